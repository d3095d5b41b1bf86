// Shifted clock: the environment of a service whose wall clock is wrong; its timers are not affected.

/** A program that shifts the wall clock of its process by the milliseconds in a file. */
const clockProgram = (path: string) => `
  import { readFileSync } from 'node:fs'
  const Real = Date
  const now = () => Real.now() + Number(readFileSync(${JSON.stringify(path)}))
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(now()) : super(...given) }
    static now() { return now() }
  }`

/** The environment of a program whose clock differs by the milliseconds in a file. */
export function shiftedBy(path: string): Readonly<Record<string, string>> {
  const preload = `data:text/javascript,${encodeURIComponent(clockProgram(path))}`
  return { NODE_OPTIONS: `--import ${preload}` }
}
