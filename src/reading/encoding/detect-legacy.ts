// Detect legacy: guesses the legacy encoding under which the text looks most like a language. Knows no files.
import { concatBytes, isUtf8 } from '../bytes/platform-bytes.ts'
import { createDecoder } from './decoder.ts'
import { isFrequent, latinPairsOf } from './frequent-characters.ts'

/** What text in an encoding should look like. */
interface Candidate {
  readonly name: string
  /** Letters frequent in any text of the language. Kana and other letters of its own alphabet need not be listed. */
  readonly common?: string
  /** The languages written in an encoding of Latin letters; latinPairsOf() knows them. */
  readonly languages?: string
  readonly script: RegExp
  /** True if hardly any file has it: a few bytes are then more likely damage. */
  readonly isRare?: true
}

const hebrew = /\p{Script=Hebrew}/u
const latin = /\p{Script=Latin}/u
const cyrillic = /\p{Script=Cyrillic}/u
const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。（）「」・％]/u
const hangul = /[\p{Script=Hangul}\p{Script=Han}]/u

const western = 'fr de es pt it nl ca gl sv da fi is fo ga et sq'
const central = 'pl cs sk hu sl hr ro'
const russian = 'оеаинтсрвлкмдпуя'
const simplified =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开因只从想实日者意无力与长把机十民第公已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利二等产或新制身加西月话合回特代内信表化老给世位次度门任常先海通教原东声提立及比员解水名真论处走义各入几口认条平系气题活电数安少报结反受目量再建务接必场件计管期市直德资山金指统区保至社便空决治展马科司五基书非则白界光放强即权思王完设式色路记南品住告类求据程北边张该交规万取拉格望术领共确师观清今切院让识候带导争运广湖江河上京津号姓名址'
const traditional =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開因只從想實日者意無力與長把機十民第公已工使情明性知全三又關點正業外將兩高間由問很最重並物手應向頭文體政美相見被利二等產或新制身加西月話合回特代內信表化老給世位次度門任常先海通教原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活電數安少報結反受目量再建務接必場件計管期市直德資山金指統區保至社便空決治展馬科司五基書非則白界光放強即權思王完設式色路記南品住告類求據程北邊張該交規萬取拉格望術領共確師觀清今切院讓識候帶導爭運廣灣臺台號姓名址'
const japanese =
  '一二三四五六七八九十百千万円年月日時分大小中上下左右人名前後氏住所番号電話郵便東京都道府県市区町村丁目田山川本木林森原野島崎橋口井石高橋佐藤鈴渡辺伊加吉松清水池内部長社会員国学校会計金額数量合計価格商品品目種類単位担当備考状態登録更新開始終了期間男女性別生年齢歳西南北海阪神戸横浜名古屋福岡広仙台新潟出入力行用地方法人株式有限自動車事業実施者手作成見取引売買代表明和平成立花正美子一郎愛知香奈千葉埼玉兵庫静沖縄青秋形梨岐阜三重滋賀良歌取根媛徳佐賀熊児沢'
const korean =
  '이다는에의가을고한하은지를로서도어사기자시나리그인들대정아수있일해보제게장주부스라전여오으면상소구신성안과국원조동만유진비경적공호교마선연무관세모명바방미계실물양분위르개회화내김박최강윤임한송홍울산천광남북군읍번름소이날짜금액품'

const candidates: readonly Candidate[] = [
  { name: 'windows-1252', languages: western, script: latin },
  { name: 'windows-1250', languages: central, script: latin },
  { name: 'iso-8859-2', languages: central, script: latin },
  { name: 'windows-1254', languages: 'tr', script: latin },
  { name: 'windows-1257', languages: 'lv lt et', script: latin },
  { name: 'iso-8859-3', languages: 'mt', script: latin, isRare: true },
  { name: 'iso-8859-4', languages: 'lv lt et', script: latin, isRare: true },
  { name: 'iso-8859-14', languages: 'cy ga', script: latin, isRare: true },
  { name: 'iso-8859-15', languages: 'fi fr et', script: latin, isRare: true },
  { name: 'ibm850', languages: western, script: latin },
  { name: 'macintosh', languages: western, script: latin },
  { name: 'ibm852', languages: central, script: latin, isRare: true },
  { name: 'ibm857', languages: 'tr', script: latin, isRare: true },
  { name: 'windows-1251', common: russian, script: cyrillic },
  { name: 'koi8-r', common: russian, script: cyrillic },
  { name: 'koi8-u', common: `${russian}іїєґ`, script: cyrillic },
  { name: 'ibm866', common: russian, script: cyrillic },
  { name: 'iso-8859-5', common: russian, script: cyrillic },
  { name: 'ibm855', common: russian, script: cyrillic, isRare: true },
  { name: 'windows-1253', common: 'αοιετσνηυρπκμλωςάέίό', script: /\p{Script=Greek}/u },
  { name: 'iso-8859-7', common: 'αοιετσνηυρπκμλωςάέίό', script: /\p{Script=Greek}/u },
  { name: 'ibm737', common: 'αοιετσνηυρπκμλωςάέίό', script: /\p{Script=Greek}/u, isRare: true },
  { name: 'windows-1255', common: 'יוהלאתרבמשנםדקחגפעט', script: hebrew },
  { name: 'windows-1256', common: 'اليمنوتربةعدسفهكقحأ', script: /\p{Script=Arabic}/u },
  { name: 'iso-8859-6', common: 'اليمنوتربةعدسفهكقحأ', script: /\p{Script=Arabic}/u },
  { name: 'windows-874', common: 'ารนกอเงมยลวดทสตะปบคหแจ่้ิีัืุู็์ำ', script: /\p{Script=Thai}/u },
  { name: 'shift_jis', common: japanese, script: han },
  { name: 'euc-jp', common: japanese, script: han },
  { name: 'gb18030', common: simplified, script: han },
  { name: 'big5', common: traditional, script: han },
  { name: 'euc-kr', common: korean, script: hangul },
]

/** Punctuation that no letter precedes, that no letter follows, and other signs. */
const opening = '‘“„‚«‹¿¡№'
const closing = '”»›ªº³¹®™¢‰'
const signs = `${opening}${closing}’–—…•·×÷±µ€£¥°©²§¶¼½¾¦¬†‡¤¨´¸¯\u00a0　，：；！？`
/**
 * Symbols of the usual encoding that are beside no letter, but of a unit or after a name. In another encoding they would be
 * letters or parts of characters, and words seldom consist of one.
 */
const symbol = '[§©®°±²³¹µ¶·¼½¾×÷€£¥¢…“”‘’–—•™‰«»¿¡]'
const letter = '[A-Za-z]'
const symbolsApart = new RegExp(
  [
    `(?<!${symbol}|${letter})${symbol}(?!${symbol}|${letter})`,
    `°(?=[CFK](?!${letter}))|µ(?=[a-z]{1,3}(?!${letter}))`,
    `(?<=m)[²³](?!${letter})|(?<=[a-z])[®™©](?!${letter})`,
    `(?<!${letter})\u00a0(?!${letter})|(?<=\\d)\u00a0`,
  ].join('|'),
  'gu',
)
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const halfKana = /[\uff61-\uff9f]/
const sampleBytesMax = 4096
const usual = 'windows-1252'
/** Worth of a letter that any language of the encoding has there: less than in a single one. */
const mixedWorth = 0.55
/** Required lead of any other encoding over the usual one, divided by the number of characters and twice as much for one, and that of a rare one. */
const doubt = 0.5
const rareDoubt = 1.2
/** With less than this it is not a language. */
const scoreMin = 0.45
/** The same after the lead that other encodings than the usual one need. */
const leadMin = 0.3

/**
 * The name of the most likely encoding; null if the bytes look like words under no known one.
 *
 * @param head Bytes of which some are not ASCII.
 */
export function detectLegacy(head: Uint8Array): string | null {
  const lines = withoutUtf8(tellingLines(head))
  const sample = concatBytes(lines)
  const others = decode(sample, usual)?.replaceAll(symbolsApart, '')
  if (others !== undefined && !/\P{ASCII}/u.test(others)) return usual
  return likeliest((name) => decode(sample, name)) ?? likeliest((name) => decodeMost(lines, name))
}

/** With this many lines that are not UTF-8, others are not needed. */
const brokenLinesMin = 10

/** In a file assembled from several, lines of UTF-8 would look like words of other languages. */
function withoutUtf8(lines: readonly Uint8Array[]): readonly Uint8Array[] {
  const broken = lines.filter((line) => !isUtf8(line))
  return broken.length < brokenLinesMin ? lines : broken
}

/** @param textIn The text of the sample in an encoding; null if it is invalid in it. */
function likeliest(textIn: (name: string) => string | null): string | null {
  let best: { readonly name: string; readonly score: number } | null = null
  let most = Number.NEGATIVE_INFINITY
  for (const candidate of candidates) {
    const text = textIn(candidate.name)
    const beside = text === null ? [] : contextsOf(text)
    const count = beside.reduce((sum, [, times]) => sum + times, 0)
    // Most letters of Latin text are ASCII; EBCDIC, where hardly any are, would pass for it otherwise.
    if (text === null || count === 0 || (candidate.languages !== undefined && count * 5 > text.length * 2)) continue
    const { name, isRare } = candidate
    const score = scoreOf(beside, candidate) / count
    const lead = score - (name === usual ? 0 : ((isRare ? rareDoubt : doubt) * (1 + 1 / count)) / count)
    if (lead <= most) continue
    best = { name, score }
    most = lead
  }
  return best !== null && best.score > scoreMin && most > leadMin ? best.name : null
}

/** The undamaged lines of a text with a few damaged ones; null if they are not a majority. */
function decodeMost(lines: readonly Uint8Array[], name: string): string | null {
  const whole = lines.map((line) => decode(line, name)).filter((text) => text !== null)
  return whole.length * 2 > lines.length ? whole.join('') : null
}

/** Null if the bytes are invalid in the encoding. */
function decode(bytes: Uint8Array, name: string): string | null {
  try {
    return createDecoder(name, 'strict')(bytes, false)
  } catch {
    return null
  }
}

/** The lines with bytes beyond ASCII, up to a limit. */
function tellingLines(head: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = []
  let bytes = 0
  for (let at = 0; at < head.length && bytes < sampleBytesMax; ) {
    const found = head.indexOf(0x0a, at)
    const end = Math.min(found < 0 ? head.length : found + 1, at + sampleBytesMax)
    const line = head.subarray(at, end)
    if (line.some((byte) => byte >= 0x80)) {
      lines.push(line)
      bytes += line.length
    }
    at = end
  }
  return lines
}

/** The score of the characters beyond ASCII: 1 for each frequent letter, and for punctuation in its usual place. */
function scoreOf(beside: readonly Context[], candidate: Candidate): number {
  const languages = candidate.languages?.split(' ')
  const common = new Set(candidate.common)
  let sum = 0
  for (const [context, times] of beside) {
    if (!isLatinLetter(context[1])) sum += times * worthOf(context, candidate, common)
  }
  if (languages === undefined) return sum
  const letters = beside.flatMap(([[before, character, after], times]) => {
    if (!isLatinLetter(character)) return []
    const letter = lowerCase(character)
    const isMisplaced = letter !== character && /\p{Ll}/u.test(before)
    return [{ letter, pairs: [sideOf(before) + letter, letter + sideOf(after)] as const, times, isMisplaced }]
  })
  const each = languages.map((language) => latinWorth(letters, latinPairsOf(language)))
  // Names of several countries are in no one language.
  const mixed = new Set(languages.flatMap((language) => [...latinPairsOf(language)]))
  return sum + Math.max(...each, latinWorth(letters, mixed) * mixedWorth)
}

type Context = readonly [context: readonly [before: string, character: string, after: string], times: number]

/** The characters beyond ASCII with those next to them, and how often each occurs. */
function contextsOf(text: string): readonly Context[] {
  const found = new Map<string, [readonly [string, string, string], number]>()
  for (const { 0: character, index } of text.matchAll(/\P{ASCII}/gu)) {
    const after = index + character.length
    const key = text.slice(Math.max(index - 1, 0), after + 1)
    const known = found.get(key)
    if (known === undefined) found.set(key, [[text.charAt(index - 1), character, text.charAt(after)], 1])
    else known[1] += 1
  }
  return [...found.values()]
}

function isLatinLetter(character: string): boolean {
  return latin.test(character) && !signs.includes(character)
}

/** A Latin letter and the pairs that it forms with those next to it. */
interface PairedLetter {
  readonly letter: string
  readonly pairs: readonly [string, string]
  readonly times: number
  /** A capital after a small letter. */
  readonly isMisplaced: boolean
}

/** The sum for Latin letters: 1 for one that is between letters as in the language, 0 and less for others. */
function latinWorth(letters: readonly PairedLetter[], known: ReadonlySet<string>): number {
  let sum = 0
  for (const { letter, pairs, times, isMisplaced } of letters) {
    const [left, right] = pairs
    if (isMisplaced || !known.has(letter)) sum -= times
    else sum += times * (known.has(left) && known.has(right) ? 1 : known.has(left) || known.has(right) ? 0.6 : 0.1)
  }
  return sum
}

/** A letter as the pairs have it; a blank for anything else. */
function sideOf(character: string): string {
  return latin.test(character) ? lowerCase(character) : ' '
}

/** Without the dot above that JavaScript makes a character of its own. */
function lowerCase(character: string): string {
  return character === 'İ' ? character : character.toLowerCase()
}

function worthOf([before, character, after]: Context[0], candidate: Candidate, common: ReadonlySet<string>): number {
  const { script } = candidate
  // A multi-byte character that is alone beside a letter has taken a byte of a word.
  if (isEastAsian(character) && /[a-z]/i.test(before + after) && !isEastAsian(before) && !isEastAsian(after))
    return -0.5
  if (halfKana.test(character)) return halfKanaWorth(character, before)
  // Other encodings have signs in the place of letters.
  if (signs.includes(character)) return signWorth(character, before, after) * (candidate.name === usual ? 1 : 0.7)
  // Words do not mix letters of two scripts or digits; Han and Kana go with anything.
  const isForeign =
    script !== han && /\p{L}/u.test(character) && (/[0-9]/.test(after) || (script !== latin && /[a-z]/i.test(after)))
  if (script.test(character)) return letterWorth(character, before, candidate, common) - (isForeign ? 1 : 0)
  if (/[\p{C}\ufffd]/u.test(character)) return -3
  if (/\p{L}/u.test(before)) return -1
  return /\p{L}/u.test(character) ? -0.5 : -0.3
}

function isEastAsian(character: string): boolean {
  return halfKana.test(character) || han.test(character) || hangul.test(character)
}

/** 1 for a sign where words have such, less within a word or on the wrong side of it. */
function signWorth(sign: string, before: string, after: string): number {
  const isAfter = /[\p{L}]/u.test(before) && !signs.includes(before)
  const isBefore = /[\p{L}]/u.test(after) && !signs.includes(after)
  if (isAfter && opening.includes(sign)) return -1
  if (isBefore && closing.includes(sign)) return -1
  const isBeside = before !== '' && before !== sign && signs.includes(before)
  if (isBeside && !/[\u00a0‘-„«»–—…•·]/.test(before + sign)) return -0.2
  const isInside = isAfter && /\p{Ll}/u.test(after) && isBefore
  return isInside && !'’·\u00a0…²'.includes(sign) ? -0.2 : 1
}

/** Half-width kana form words, and voicing marks follow only the few kana that can have them. */
function halfKanaWorth(kana: string, before: string): number {
  if (kana === '\uff9e') return /[\uff73\uff76-\uff84\uff8a-\uff8e]/.test(before) ? 0.9 : -1
  if (kana === '\uff9f') return /[\uff8a-\uff8e]/.test(before) ? 0.9 : -1
  const isSmall = kana >= '\uff67' && kana <= '\uff70'
  if (isSmall) return halfKana.test(before) ? 0.9 : -0.5
  return kana < '\uff66' ? 0.2 : 0.8
}

function letterWorth(letter: string, before: string, candidate: Candidate, common: ReadonlySet<string>): number {
  const { script } = candidate
  if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(letter)) return -1
  const isCommon = common.has(letter.toLowerCase()) || kana.test(letter)
  if (script === han || script === hangul) return isCommon ? 1 : isFrequent(candidate.name, letter) ? 0.6 : 0.1
  if (script === hebrew && 'םןךףץ'.includes(before)) return -1
  return /[a-z0-9]/i.test(before) ? -1 : isCommon ? 1 : 0.25
}
