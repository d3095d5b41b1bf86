// Measure declared: the CPU time of the service for files with a schema, in turns with the same file without one.
import { type Bench, whereAndWhen } from './bench.ts'
import { cpuSeconds, descendants } from './processes.ts'
import { european, grouped, type Shape, wider } from './shapes.ts'
import { median } from './statistics.ts'

const bytes = 87_000_000
const rounds = 9

interface Field {
  readonly name: string
  readonly type: string
  readonly [member: string]: unknown
}
interface Case {
  readonly name: string
  readonly target: number
  readonly shape?: Shape
  readonly schema: { readonly fields: readonly Field[]; readonly [member: string]: unknown }
}

const types = ['integer', 'string', 'string', 'string', 'number', 'number', 'boolean', 'datetime']
const names = ['id', 'name', 'email', 'city', 'amount', 'ratio', 'active', 'created_at']
const fields: readonly Field[] = names.map((name, i) => ({ name, type: types[i]! }))
const some = (...wanted: readonly string[]) => ({
  fieldsMatch: 'subset',
  fields: fields.filter(({ name }) => wanted.includes(name)),
})
const constrained = (amountMax: number) => {
  const rules: Readonly<Record<string, object>> = {
    id: { minimum: 1 },
    email: { pattern: '[^@ ]+@[a-z]+\\.[a-z]+' },
    amount: { minimum: 0, maximum: amountMax },
    created_at: { minimum: '2000-01-01T00:00:00' },
  }
  return { fields: fields.map((one) => ({ ...one, ...(rules[one.name] && { constraints: rules[one.name] }) })) }
}
const europeanFields = fields.map((one) =>
  one.type === 'number'
    ? { ...one, decimalChar: ',' }
    : one.type === 'datetime'
      ? { ...one, type: 'date', format: '%d.%m.%Y' }
      : one,
)

const cases: readonly Case[] = [
  { name: 'one column', target: 1.05, schema: some('amount') },
  { name: 'all columns, four ranges, one pattern', target: 1.2, schema: constrained(100_000) },
  { name: 'the same, 1 % of the records break a rule', target: 1.3, schema: constrained(98_999.99) },
  {
    name: 'all columns, decimal commas and `%d.%m.%Y`',
    target: 1.3,
    shape: european,
    schema: { fields: europeanFields },
  },
  {
    name: 'all columns, numbers in groups of three',
    target: 1.3,
    shape: grouped,
    schema: { fields: fields.map((one) => (/^(integer|number)$/.test(one.type) ? { ...one, groupChar: ',' } : one)) },
  },
  { name: '`primaryKey` of one integer', target: 1.3, schema: { ...some('id'), primaryKey: 'id' } },
  {
    name: '`primaryKey` of two texts',
    target: 1.8,
    schema: {
      ...some('email', 'created_at'),
      fields: [
        { name: 'email', type: 'string' },
        { name: 'created_at', type: 'string' },
      ],
      primaryKey: ['email', 'created_at'],
    },
  },
  {
    name: '1,000 columns',
    target: 1.3,
    shape: wider,
    schema: { fields: Array.from({ length: 1000 }, (_, i) => ({ name: `c${i + 1}`, type: types[i % 8]! })) },
  },
]

/** The file takes turns with and without its schema, so that other load on the machine affects both. */
export async function measureDeclared(bench: Bench) {
  const { pid } = bench.service
  const secondsOf = async (path: string, schema?: string) => {
    const before = new Map([pid, ...descendants(pid)].map((one) => [one, cpuSeconds(one)]))
    const { body } = await bench.uploadOnce(path, schema)
    // A child may have ended meanwhile.
    const after = [pid, ...descendants(pid)].map((one) => cpuSeconds(one) - (before.get(one) ?? 0))
    // A receipt.
    return {
      seconds: after.reduce((sum, one) => sum + one, 0),
      rejected: (JSON.parse(body) as { records: { rejected: number } }).records.rejected,
    }
  }
  const figures = []
  for (const { name, target, shape, schema } of cases) {
    const path = bench.file({ bytes, ...(shape && { shape }) })
    const text = JSON.stringify(schema)
    await secondsOf(path)
    const { rejected } = await secondsOf(path, text)
    const turns: { plain: number; declared: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const { seconds: plain } = await secondsOf(path)
      const { seconds: declared } = await secondsOf(path, text)
      turns.push({ plain, declared })
    }
    const ratios = turns.map(({ plain, declared }) => declared / plain)
    const figure = {
      name,
      target,
      rejected,
      plainCpu: median(turns.map(({ plain }) => plain)),
      declaredCpu: median(turns.map(({ declared }) => declared)),
      ratio: median(ratios),
      ratioMin: Math.min(...ratios),
      ratioMax: Math.max(...ratios),
    }
    console.error(JSON.stringify(figure))
    figures.push(figure)
  }
  return { ...whereAndWhen(), bytes, rounds, cases: figures }
}
