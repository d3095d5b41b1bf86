// Samples: CSV content for tests of the whole service; random content comes from a seed.

export { randomFrom as createRandom } from '../../src/core/random.testing.ts'

/** CSV text with a header and LF line ends, from rows whose cells need no quotes. */
export function csvText(header: string, records: number, recordOf: (i: number) => string): string {
  let text = `${header}\n`
  for (let i = 0; i < records; i++) text += `${recordOf(i)}\n`
  return text
}

/** The seed of this run: `SEED=17` replays one. */
export const seed = Number(process.env.SEED ?? (Date.now() % 1_000_000) + 1)

const cells = [
  '7',
  '',
  'abc',
  '"q,1"',
  '"say ""hi"""',
  '""',
  '"two\nlines"',
  '"crlf\r\nin"',
  'ä€',
  '3.50',
  'NA',
  "it's",
  ' x ',
]
const odd = ['"open', 'a"b', '"a"b', '"', '#x', 'nul\0here']

/** A CSV of mostly correct records, with the faults of real files. */
export function randomCsv(random: (below: number) => number): Buffer {
  const pick = <One>(list: readonly One[]): One => list[random(list.length)]!
  const lineEnd = pick(['\n', '\r\n'])
  const records = 20 + random(300)
  const pieces: Buffer[] = [Buffer.from(`id,name,amount,note${lineEnd}`)]
  for (let i = 1; i <= records; i++) {
    const roll = random(60)
    const fields = [String(i), pick(cells), pick(cells), pick(cells)]
    if (roll === 0) fields.push('extra')
    if (roll === 1) fields.pop()
    if (roll === 2) fields[1 + random(3)] = pick(odd)
    const line = roll === 3 ? '' : roll === 4 ? '# a comment, or not' : fields.join(',')
    pieces.push(Buffer.from(line))
    if (roll === 5) pieces.push(Buffer.from([0xff, 0xc3]))
    const isLast = i === records
    if (!isLast || random(2) === 0) pieces.push(Buffer.from(random(40) === 0 ? '\n' : lineEnd))
  }
  return Buffer.concat(pieces)
}
