// Tests of patterns: they match as RE2 in DuckDB does, in steps proportional to the text, within the memory given.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { seed } from '../writer/columns.testing.ts'
import { countElements, patternElementsMax } from './count-elements.ts'
import { compilePattern, PatternError } from './pattern.ts'
import { matcherOf } from './patterns.testing.ts'

const db = await openDuckDb({})
after(() => db.closeSync())

async function setTexts(texts: readonly string[]): Promise<void> {
  await db.run('create or replace temp table texts as select unnest(string_split($1, chr(1))) as t', [
    texts.join('\x01'),
  ])
}

/** For each text of the table; null if RE2 refuses the pattern. */
async function re2(source: string): Promise<readonly boolean[] | null> {
  try {
    const reader = await db.runAndReadAll('select regexp_full_match(t, $1) from texts', [source])
    return reader.getRows().map(([isMatch]) => isMatch === true)
  } catch {
    return null
  }
}

function ours(source: string, texts: readonly string[], budget?: number): readonly boolean[] | null {
  try {
    const { matches } = matcherOf(source, budget)
    return texts.map(matches)
  } catch (error) {
    if (error instanceof PatternError) return null
    throw error
  }
}

function assertSame(found: readonly boolean[] | null, wanted: readonly boolean[] | null, where: string) {
  assert.equal(
    found === null,
    wanted === null,
    `${where}: ${found === null ? 'only RE2 accepts it' : 'RE2 refuses it'}`,
  )
  const wrong = wanted?.findIndex((one, i) => one !== found?.[i]) ?? -1
  assert.equal(wrong, -1, `${where}, text ${wrong}`)
}

/** Words between blanks, two at least, or line ends, as they stand here. */
function listed({ raw }: TemplateStringsArray): readonly string[] {
  return raw
    .join()
    .trim()
    .split(/ {2,}|\n */)
}

const texts = [
  '',
  ...'a|b|ab|ba|aab|abab|aaaa|A|AB|k|K|\u212a|s|ſ|S|é|É|ß|ẞ|ς|σ|Σ|αβγ|Ж|ж|日本|😀|a😀b|\n|a\n|\na|a\nb|a\r\nb|a b| |\t|-'.split(
    '|',
  ),
  ...'_|.|*|a.b|a*b|1|12|007|1.5|2024-01-31|x@example.org|first.last+tag@mail.example.com|٣|ǅ|İ|ı|i|\u00a0|\u007f'.split(
    '|',
  ),
  ..."\u0080|\u07ff|\u0800|\uffff|\u{10000}|\u{10ffff}|word word|a-b|a_b|it's|]|[|^|$|\\|\\E|{2}".split('|'),
]
const patterns = [
  '',
  '\\',
  ...listed`
  a  ab  a|b  a*  (a|b)*  (a|a)*b  a+?b  (|a)*  (a|)*  ()*  a||b  |  a{0}  a{2}  a{2,}  a{1,3}?  a{,2}  x{
  (ab){2}  (?:a{2}){2}  ^a$  ^^a$$  a^b  a$b  \Aa\z  (?m)a$\s^b  (?m)^a$  (?m)a$.b  (?ms)a$.^b  a\n?$
  (?m)(^|a)\n(a|$)  \b  \B  \ba\b  a\Bb  a\b.\bb  word\b\W\bword  \b\w+\b.*  .\B  (\b|a)+  \B*a  .  .*  (?s).
  (?s).*  ..  [^a]  [^a]*  \C?  \d+  \D  \w+  \W  \s  \S+  [\d.]+  [^\d]+  \d{4}-\d\d-\d{2}  [[:alpha:]]+
  [[:^alpha:]]  [[:digit:][:space:]]+  [[:word:]]  [[:foo:]]  \pL  \pL+  \PL  \p{L}  \p{^L}  \p{Greek}+  \P{Greek}
  \p{Lu}  (?i)\p{Lu}  [\p{Lu}\d]  [^\p{Latin}]  \p{Nd}  \pN  \p{Zs}  \p{Any}  \p{greek}  \p{LC}  \p{Cn}
  [\p{Assigned}]  [^\P{Ascii}]  \p{Lc}  \Q\p{Cn}\E  \\p{Cn}  (?i)k  (?i)K  (?i)s  (?i)[k-l]  (?i)[^k]  (?i)é
  (?i)ß  (?i)σ  (?i)i  (?i)a(?-i)b  (?i:a)b  (?i)ab|ba  (?i)Ж  (?i)ǆ  (?i)\x{212a}  (?i)_  \Qa.b\E  \Qa*  \Qa\E{2}
  \Q\E  \Q\\E  a\*b  \x61  \x{1F600}  \141  \07  \t  \.  \_  \-  \é  []a]  [^]a]  [a-]  [\]]  [\\]  [a\-z]  [[]
  []  [a  [b-a]  (  )  (a  a)  *  +a  a**  a*+  a{2}{3}  a{1001}  (a{100}){11}  (a{50}){20}  a{2,1}  \8  \Z
  \u0061  (?=a)  (?!a)  (?<=a)b  (?<!a)b  (a)\1  (?>a)  (?#x)a  (?x) a  (?P<n>a)b  (?P<n  (?P=n)  (?P<n-1>a)
  (?U)a+  (?U)a+?b  (?s-i:.)  (?i-)a  (?)a  \pX  \p{  \x{110000}  \x{}  \e  ^[\w.+-]+@[\w-]+\.[a-z]{2,}$
  ([\w.+-]+)@((\w+\.)+\w{2,3})  😀|日本  [😀-🙏]  [^😀]  a.b  [α-ω]+  \x{10000}  [\x{80}-\x{7ff}]  [\x{800}-\x{ffff}]
  [\x{10000}-\x{10ffff}]
`,
]

/** `\C` matches a byte, and is refused here, where a text is a sequence of characters. */
const refusedHere = new Set(['\\C?'])

test('patterns match as in RE2, and what it refuses is refused', async () => {
  await setTexts(texts)
  for (const source of patterns) {
    const wanted = refusedHere.has(source) ? null : await re2(source)
    assertSame(ours(source, texts), wanted, JSON.stringify(source))
    if (wanted !== null) assertSame(ours(source, texts, 0), wanted, `${JSON.stringify(source)} in a small table`)
  }
})

const alphabet = ['a', 'b', 'k', 'K', 'é', 'σ', 'Σ', '日', '😀', '1', '_', ' ', '\n', '-', '.']
const atoms = listed`
  .  \d  \w  \W  \s  \pL  \PL  \p{Greek}  [[:alpha:]]  [^a]  [a-k]  [^\w-]  (?i:k)  (?i:[^σ])  \b  \B  ^  $  \A
  \z  (?m:^)  (?m:$)  \Qa.b\E  \x{1F600}  [\d_]  ()  (?s:.)  [[:^space:]]
`
const repetitions = ['*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,3}', '{2,}', '{0}']
/** Most of them are not valid. */
const noise = ['(', ')', '[', ']', '{', '*', '\\', '(?i)', '(?', '|', '^', '-', '(?m)', '\\Q']

function randomPattern(random: Random, depth: number): string {
  const pick = (from: readonly string[]) => from[random(from.length)] ?? ''
  const inner = () => randomPattern(random, depth - 1)
  if (random(150) === 0) return pick(noise)
  const kind = random(depth <= 0 ? 4 : 10)
  if (kind < 2) return pick(alphabet)
  if (kind < 4) return pick(atoms)
  if (kind < 6) return inner() + inner()
  if (kind < 8) return `(${inner()}|${random(4) === 0 ? '' : inner()})`
  return `(?${pick(['', 'i', 'm', 's', 'U', 'i-m'])}:${inner()})${pick(repetitions)}`
}

function randomText(random: Random): string {
  return Array.from({ length: random(7) }, () => alphabet[random(alphabet.length)]).join('')
}

test('random patterns match random texts as in RE2', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  let matches = 0
  let refused = 0
  for (let round = 0; round < 60; round++) {
    const some = Array.from({ length: 60 }, () => randomText(random))
    await setTexts(some)
    for (let i = 0; i < 50; i++) {
      const source = randomPattern(random, 5)
      const wanted = await re2(source)
      assertSame(ours(source, some, random(2) * 4096), wanted, `SEED=${seed} ${JSON.stringify(source)}`)
      matches += wanted?.filter((one) => one).length ?? 0
      if (wanted === null) refused++
    }
  }
  assert.ok(matches > 3000 && refused > 20, `${matches} matches, ${refused} refused`)
})

const exploding = [
  '(a|a)*b',
  '(a|b)*a(a|b){20}',
  '(x+x+)+y',
  '(.*)(.*)(.*)(.*)x',
  '((a{1,10}){1,10}){1,10}',
  '(?:a|b)*a(?:a|b){900}',
]
for (const source of exploding) {
  test(`${source} takes at most one step of the host a character, whatever the room for its tables`, (t) => {
    t.diagnostic(`SEED=${seed}`)
    const random = randomFrom(seed)
    for (const [budget, length] of [
      [0, 2_000],
      [65_536, 2_000],
      [65_536, 4_000],
      [1_048_576, 8_000],
    ] as const) {
      const { matches, hostCalls, blockBytes } = matcherOf(source, budget)
      assert.ok(blockBytes <= Math.max(budget, 4096), `${blockBytes} bytes`)
      for (const text of ['a'.repeat(length), 'x'.repeat(length)]) {
        const before = hostCalls()
        matches(text)
        assert.ok(hostCalls() - before <= 1100, `${hostCalls() - before} steps for one character again and again`)
      }
      const before = hostCalls()
      matches(Array.from({ length }, () => 'ab'[random(2)]).join(''))
      assert.ok(hostCalls() - before <= length, `SEED=${seed} ${hostCalls() - before} steps for ${length} characters`)
    }
  })
}

test('a full table is cleared, and later values match as before', async () => {
  const some = Array.from({ length: 200 }, (_, i) =>
    i.toString(2).padStart(9, '0').replaceAll('0', 'b').replaceAll('1', 'a'),
  )
  const source = '(a|b)*a(a|b){5}'
  await setTexts(some)
  const wanted = await re2(source)
  const { matches, hostCalls } = matcherOf(source, 0)
  for (let round = 0; round < 3; round++) assertSame(some.map(matches), wanted, source)
  const roomy = matcherOf(source)
  assertSame(some.map(roomy.matches), wanted, source)
  const computed = roomy.hostCalls()
  assertSame(some.map(roomy.matches), wanted, source)
  assert.equal(roomy.hostCalls(), computed)
  assert.ok(hostCalls() > 2 * computed)
})

test('compilePattern() counts elements with counts written out', () => {
  for (const [source, elements] of [
    ['', 0],
    ['aa(?:bc){10}', 32],
    ['a{3}{0,}(|b*){2,5}?', 24],
    ['(?:[^)]\\Q(((\\E[]({9}]){7}', 42],
    ['\\pL[^\\pN\\P{L}]\\\\pL', 35],
    ['[a-\\x{8000}]', 1],
    ['(?i:[a-\\x{8000}][\\--耀])', 263],
  ] as const) {
    assert.equal(countElements(source), elements, source)
  }
  const most = 'a'.repeat(patternElementsMax)
  assert.equal(compilePattern(most).elements, patternElementsMax)
  for (const large of [
    `${most}a`,
    '(?:a{100}){10}'.repeat(10),
    '\\pL'.repeat(910),
    `(?i)${'[B-\\x{1E000}]'.repeat(21)}`,
  ]) {
    const message = `it has more than ${patternElementsMax} elements, with counts written out`
    assert.throws(() => compilePattern(large), { message })
  }
})

test('compilePattern() accepts named groups as current versions of RE2 do, and DuckDB does not', () => {
  assert.deepEqual(ours('(?<n>a)b|(?P<m>c)', ['ab', 'c', 'a', '(?<n>a)b']), [true, true, false, false])
})
