// Write examples: calls every operation of a real service and stores a response of each schema, for `npm run docs`.
import { writeFileSync } from 'node:fs'
import { Description } from '../api/description.ts'
import { examplesOf, session, startService } from '../api/session.ts'

await using service = await startService()
const examples = examplesOf(await session(service.url), await Description.of(service.url))
if (!('UploadReceipt' in examples)) throw new Error('Cannot write examples: the upload failed')
const url = new URL('../../src/http/openapi/examples.json', import.meta.url)
writeFileSync(url, `${JSON.stringify(examples, null, 2)}\n`)
process.stdout.write('src/http/openapi/examples.json\n')
