// Footer notes: doubts about the end of a file: a footer, a total, a truncated record, another encoding. They do not affect
// how it is read.
import { type Note, note } from '../../core/notes.ts'
import type { Dialect } from '../../core/receipt.ts'
import type { ReadBytes } from '../../io/read-bytes.ts'
import { isAscii, isUtf8, latin1Bytes, latin1Text } from '../../reading/bytes/platform-bytes.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import { kindOf } from '../../reading/encoding/single-byte.ts'
import { headBytesMax, type Reading } from '../../reading/reading.ts'
import type { ScannedReject } from '../../reading/scanner/scanner.ts'

/** The facts of a file that has been scanned to its end. */
export interface FileEnd {
  readonly read: ReadBytes
  /** Length of the text. */
  readonly bytes: number
  readonly reading: Pick<Reading, 'encoding' | 'dialect' | 'before' | 'width' | 'notes'>
  /** Physical lines of the file, including a last one without a line end. */
  readonly lines: number
  /** The last rejects, in file order. */
  readonly lastRejects: readonly ScannedReject[]
}

/** Number of bytes at the end that are examined. */
const tailBytesMax = 16_384
/** More short lines than this are not a footer but a broken file. */
const footerLinesMax = 5

/** What programs and people write before a total, as a whole value. */
const totalWords = [
  '(?:grand |sub[- ]?|net |overall |running )?totals?|(?:grand )?sum',
  '(?:gesamt|zwischen|end)?summen?|gesamt(?:ergebnis|betrag|wert|umsatz)?|insgesamt',
  'total(?:e|es)? g[eé]n[eé]ral(?:e|es)?|total general|totaux|totales|sous-total|somme|soma|somma|totale(?: complessivo)?',
  'totaal|eindtotaal|summa|totalsumma|totalt|i alt|yhteens[äa]',
  'suma(?: ca[łl]kowita| ko[nń]cowa| celkem)?|razem|og[óo][łl]em|[łl][ąa]cznie|celkem|spolu|[öo]sszesen|ukupno|skupaj',
  'genel toplam|toplam|итого|всего|итог|разом|усього|σύνολο|合計|総計|小計|合计|总计|總計|小计|합계|총계|tổng(?: cộng)?|jumlah',
  'المجموع|الإجمالي|סה"?כ|סך הכל',
]

const averageWords = [
  'averages?|avg|mean|standard deviation|std\\.? ?dev\\.?|mittelwert|durchschnitt|standardabweichung|moyenne|promedio',
  'média|gemiddelde|medelvärde|gennemsnit|gjennomsnitt|keskiarvo|średnia|průměr|átlag|ortalama|среднее|平均|平均值|평균',
]

const total = wholeWords(totalWords)
const average = wholeWords(averageWords)

/** The character with which DOS marks the end of a text. */
const textEnd = '\x1a'
const remark = /^\s*[-(*=]|\b(?:rows?|records?|lines?|zeilen|lignes|filas|source|note|end)\b/i

/** Notes what a careful reader would ask about the last lines. Reads 16 KB, whatever the size of the file. */
export async function footerNotes(file: FileEnd): Promise<Note[]> {
  const { tail, lines, hasLineEnd } = await tailLines(file)
  const { dialect, before, width } = file.reading
  const lineOf = (at: number) => file.lines - (lines.length - 1 - at)
  const rejects = new Map(file.lastRejects.map((reject) => [reject.line, reject]))
  const footer: number[] = []
  let at = lines.length - 1
  for (; at >= 0 && lineOf(at) > before.lines; at -= 1) {
    const line = lines[at] ?? ''
    const reject = rejects.get(lineOf(at))
    // A record that lacks a field or two is just that.
    const isFooter = reject?.reason === 'too_few_fields' && (reject.detail * 2 <= width || isRemark(line, dialect))
    if (isFooter) footer.unshift(lineOf(at))
    else if (!isPassedOver(line, dialect)) break
  }
  const notes = utf8Note(file, tail)
  const isRecord = lineOf(at) > before.lines && !rejects.has(lineOf(at))
  const first = firstValue(lines[at] ?? '', dialect)
  if (isRecord && total.test(first)) notes.push(totalNote('a total', lineOf(at)))
  else if (isRecord && average.test(first)) notes.push(totalNote('an average', lineOf(at)))
  const last = file.lastRejects.at(-1)
  const isOpen = last?.reason === 'unclosed_quote'
  const isShort = last?.reason === 'too_few_fields' && last.line === file.lines && footer.length <= 1
  const isCut = isOpen || (isShort && !isRemark(lines.at(-1) ?? '', dialect))
  if (last !== undefined && isCut && !hasLineEnd) notes.push(cutNote(last.line))
  else if (footer.length > 0 && footer.length <= footerLinesMax && !isTable(file.lastRejects.slice(-footer.length)))
    notes.push(footerNote(footer))
  return notes
}

/** Several records with the same number of fields are rather a second table. */
function isTable(rejects: readonly ScannedReject[]): boolean {
  const [first] = rejects
  return rejects.length > 2 && rejects.every(({ detail }) => detail > 1 && detail === first?.detail)
}

function isPassedOver(line: string, { commentChar }: Dialect): boolean {
  return line.trim() === '' || (commentChar !== null && line.startsWith(commentChar))
}

/** True for what programs and people write below a table. */
function isRemark(line: string, dialect: Dialect): boolean {
  const first = firstValue(line, dialect)
  return total.test(first) || average.test(first) || remark.test(line) || line.startsWith(textEnd)
}

function wholeWords(words: readonly string[]): RegExp {
  return new RegExp(`^(?:${words.join('|')})(?: ?[:=(].*| ?)$`, 'iu')
}

/** The first value of the line that is not empty, without quotes. */
function firstValue(line: string, { delimiter, quoteChar }: Dialect): string {
  const values = line.split(delimiter.charAt(0)).map((value) => value.replaceAll(quoteChar ?? '"', '').trim())
  return values.find((value) => value !== '') ?? ''
}

function totalNote(what: string, line: number): Note {
  const message = `The last record (line ${line}) looks like ${what}: it is read as a record like the others.`
  return note('TOTAL_RECORD', message, { lines: [line] })
}

function footerNote(lines: readonly number[]): Note {
  const [first] = lines
  const message =
    lines.length === 1
      ? `The last record (line ${first}) has fewer fields than the table and looks like a footer: it is a reject.`
      : `The last ${lines.length} records (lines ${lines.join(', ')}) have fewer fields than the table and look like a footer: they are rejects.`
  return note('FOOTER_REJECTED', message, { lines })
}

/** Lines of UTF-8 at the end of a file in an encoding that was guessed from its head, where they would be noted, too. */
function utf8Note({ bytes, reading, lines }: FileEnd, tail: Uint8Array): Note[] {
  const { encoding, dialect, notes } = reading
  const isGuess = notes.some(({ code }) => code === 'ENCODING_GUESSED')
  if (!isGuess || bytes <= headBytesMax || kindOf(encoding.name) !== 'single-byte' || dialect.lineTerminator === '\r')
    return []
  const isProof = (line: Uint8Array) => !isAscii(line) && isUtf8(line)
  // The first line may be cut.
  const last = latin1Text(tail).replace(/\n$/, '').split('\n').slice(1)
  const utf8 = last.flatMap((line, at) => (isProof(latin1Bytes(line)) ? [lines - last.length + 1 + at] : []))
  const [first, ...others] = utf8
  if (first === undefined) return []
  const are = others.length === 0 ? '1 line at the end is' : `${utf8.length} lines at the end are`
  const which = others.length === 0 ? `line ${first}` : `lines ${first} to ${others.at(-1)}`
  const message = `The encoding is not certain: ${encoding.name} was guessed from the first megabyte, but ${are} valid UTF-8; please check ${which}.`
  return [note('ENCODING_GUESSED', message, { lines: utf8 })]
}

function cutNote(line: number): Note {
  const message = `The file ends in an incomplete record without a line end (line ${line}): it may be truncated.`
  return note('FILE_CUT_OFF', message, { lines: [line] })
}

/**
 * The last whole lines of a file, and whether the very last has a line end. Lines of a multi-line value count
 * individually.
 */
async function tailLines({ read, bytes, reading: { encoding, dialect } }: FileEnd) {
  // Units of UTF-16 and UTF-32 begin at offsets divisible by their length.
  const wanted = Math.max(0, bytes - tailBytesMax)
  const from = wanted - (wanted % 4)
  const tail = await read(from, bytes - from)
  const text = createDecoder(encoding.name, 'replace')(tail, true)
  const lines = text.split(dialect.lineTerminator === '\r' ? '\r' : dialect.lineTerminator === '\n\r' ? '\n\r' : '\n')
  const hasLineEnd = lines.at(-1) === ''
  if (hasLineEnd) lines.pop()
  return { tail, lines: from > 0 ? lines.slice(1) : lines, hasLineEnd }
}
