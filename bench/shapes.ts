// Shapes: kinds of file that are harder to read than a clean one, made of the same records. Knows no measurements.

export interface Shape {
  readonly name: string
  readonly header: string
  /** Returns one record with its line end, from the cells of a clean one; `more` returns cells of further records. */
  record(cells: readonly string[], id: number, more: () => readonly string[]): string | Buffer
  encode(text: string): Buffer
}

const header = 'id,name,email,city,amount,ratio,active,created_at\n'
const cityColumn = 3
/** The first megabyte decides encoding, dialect and width, so misleading records come only after it. */
const headRecords = 20_000
const utf8 = (text: string): Buffer => Buffer.from(text)
const line = (cells: readonly string[]): string => `${cells.join(',')}\n`
const withCity = (cells: readonly string[], city: string): string => line(cells.with(cityColumn, city))

export const clean: Shape = { name: 'clean', header, record: line, encode: utf8 }

/** Ways to make a record a reject. */
const faults: readonly ((cells: readonly string[]) => string | Buffer)[] = [
  (cells) => line(cells.slice(0, -1)),
  (cells) => line([...cells, 'x']),
  (cells) => withCity(cells, '"Berlin'),
  (cells) => withCity(cells, '"Berlin"x'),
  (cells) => Buffer.from(withCity(cells, 'Zürich'), 'latin1'),
]
/** The fault of a record by its number; the first two do not mislead the detection. */
const faultOf = (number: number, isInHead: boolean) => faults[number % (isInHead ? 2 : faults.length)]!

/** Ways to make a record odd but readable. */
const oddities: readonly string[] = ['5" pipe', '"Berlin" ', 'Ber\rlin']

const faultNames = ['a field too few', 'a field too many', 'an open quote', 'text after a quote', 'a wrong byte']
const oddityNames = ['a stray quote', 'a blank after a quote', 'a lone CR']

/** Files in which every record after the first megabyte is bad, or odd, in one way. */
export const singleShapes: readonly Shape[] = [
  ...faults.map((fault, index) => ({ name: faultNames[index]!, fault })),
  ...oddities.map((city, index) => ({
    name: oddityNames[index]!,
    fault: (cells: readonly string[]) => withCity(cells, city),
  })),
].map(({ name, fault }) => ({
  name,
  header,
  record: (cells, id) => (id < headRecords ? line(cells) : fault(cells)),
  encode: utf8,
}))

/** Twenty columns of numbers, twelve of them with decimal places. */
export const numbers: Shape = {
  name: 'numbers',
  header: line(Array.from({ length: 20 }, (_, i) => `n${i + 1}`)),
  record: (cells, _, more) =>
    line(
      [cells, more(), more(), more()].flatMap(([id, , , , amount, ratio]) => [id!, amount!, ratio!, amount!, ratio!]),
    ),
  encode: utf8,
}

/** Nine columns of text. */
export const texts: Shape = {
  name: 'texts',
  header: line(Array.from({ length: 9 }, (_, i) => `t${i + 1}`)),
  record: (cells, _, more) => line([cells, more(), more()].flatMap((one) => one.slice(1, 4))),
  encode: utf8,
}

const wideOf = (columns: number): Shape => ({
  name: `${columns} columns`,
  header: line(Array.from({ length: columns }, (_, i) => `c${i + 1}`)),
  record: (cells, _, more) => line([...cells, ...Array.from({ length: columns / 8 }, more).flat()].slice(0, columns)),
  encode: utf8,
})
export const wide = wideOf(500)
export const wider = wideOf(1000)

/** As in continental Europe. */
export const european: Shape = {
  name: 'decimal commas and dotted dates',
  header: header.replaceAll(',', ';'),
  record: ([id, name, email, city, amount, ratio, active, at]) => {
    const [year, month, day] = at!.slice(0, 10).split('-')
    const numbers = [amount, ratio].map((one) => one!.replace('.', ','))
    return [id, name, email, city, ...numbers, active, `${day}.${month}.${year}`].join(';').concat('\n')
  },
  encode: utf8,
}

/** Numbers in groups of three digits. */
export const grouped: Shape = {
  name: 'numbers in groups',
  header: header.replaceAll(',', ';'),
  record: ([id, name, email, city, amount, ...others]) => {
    const [first, second] = [id, amount].map((one) => one!.replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ','))
    return [first, name, email, city, second, ...others].join(';').concat('\n')
  },
  encode: utf8,
}

export const shapes: readonly Shape[] = [
  {
    name: '1 record in 10 is bad',
    header,
    record: (cells, id) => (id % 10 === 0 ? faultOf(id / 10, id < headRecords)(cells) : line(cells)),
    encode: utf8,
  },
  {
    name: 'every record after the first megabyte is bad',
    header,
    record: (cells, id) => (id < headRecords ? line(cells) : faultOf(id, false)(cells)),
    encode: utf8,
  },
  {
    name: 'every record is odd, and normalized',
    header,
    record: (cells, id) => withCity(cells, oddities[id % oddities.length]!),
    encode: utf8,
  },
  {
    name: 'all fields are quoted',
    header,
    record: (cells) => line(cells.map((cell) => (cell.startsWith('"') ? cell : `"${cell}"`))),
    encode: utf8,
  },
  { name: 'Windows-1252', header, record: line, encode: (text) => Buffer.from(text, 'latin1') },
  { name: 'UTF-16', header: `\ufeff${header}`, record: line, encode: (text) => Buffer.from(text, 'utf16le') },
]
