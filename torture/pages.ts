// Pages: visits pages of another origin in Chromium, repeatedly.
import { noBrowser } from '../test/support/page-browser.ts'
import { visitHostilePages } from '../test/system/hostile-pages.ts'
import type { Run } from './modules.ts'

export const run: Run = async (scale) => {
  if (noBrowser) throw new Error(`Cannot visit pages: ${noBrowser}`)
  const rounds = scale === 'long' ? 3 : 1
  let visits = 0
  for (let round = 0; round < rounds; round += 1) visits += await visitHostilePages()
  return { 'pages visited': visits, 'changed or read something': 0 }
}
