// Write docs: updates the generated parts of the docs, for `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { generatedParts, pageUrl, withPart } from './generated.ts'

for (const part of generatedParts) {
  const url = pageUrl(part.page)
  writeFileSync(url, withPart(readFileSync(url, 'utf8'), part))
  process.stdout.write(`${part.page}: ${part.name}\n`)
}
