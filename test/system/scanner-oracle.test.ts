// Scanner oracle: tests that the scanner equals its oracle on many random inputs; `npm test` compares a fifth as many.
import { compareWithOracle } from '../../src/reading/scanner/compare-with-oracle.testing.ts'

compareWithOracle({ small: 1_500, large: 1_500, long: 40 })
