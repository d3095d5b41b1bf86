// Build changed: builds what has changed of the child programs, the WebAssembly and the page.
import { buildChildren } from './build-children.mjs'

try {
  await buildChildren()
  await import('./build-scanner.mjs')
  await import('./build-web.mjs')
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
