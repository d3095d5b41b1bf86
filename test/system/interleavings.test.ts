// Tests of one dataset in a directory that one process uploads, reads, scrubs, repairs, deletes and lets expire, in many
// orders.
import { datasetOrders, inDirectory } from '../support/dataset-orders.ts'

datasetOrders(inDirectory)
