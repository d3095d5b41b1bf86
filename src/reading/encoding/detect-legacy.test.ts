// Tests of the detection of legacy encodings, on short tables in many languages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDecoder } from './decoder.ts'
import { detectLegacy } from './detect-legacy.ts'

/** Bytes of a text in a single-byte encoding, by inverting its decoder. */
function encode(text: string, name: string): Uint8Array {
  const decoder = createDecoder(name, 'replace')
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder(Uint8Array.of(byte), false), byte]))
  return Uint8Array.from(
    [...text],
    (character) => bytes.get(character) ?? assert.fail(`${character} is not in ${name}`),
  )
}

const samples: readonly [text: string, names: readonly string[]][] = [
  ['Élodie Lefèvre,Besançon,Zoé Müller,Nîmes\n', ['windows-1252', 'macintosh', 'ibm850']],
  ['Año,niño,España,canción\n', ['windows-1252', 'macintosh', 'ibm850']],
  ['Åsa,Malmö,Gävle,Örebro\n', ['windows-1252', 'macintosh', 'ibm850']],
  ['price,“x”,don’t,€ 5\n', ['windows-1252']],
  ['Łódź,Kraków,Gdańsk,żółć,święta\n', ['windows-1250', 'iso-8859-2', 'ibm852']],
  ['Příliš,žluťoučký,kůň,úpěl,ďábelské\n', ['windows-1250', 'iso-8859-2', 'ibm852']],
  ['Gábor,Győr,árvíztűrő tükörfúrógép\n', ['windows-1250', 'ibm852']],
  ['név,város\nErzsébet,Budapest\nZsófia,Szűrő\n', ['windows-1250']],
  ['Jiří,Plzeň,Šárka,Příbram,Žofie,Třebíč\n', ['windows-1250', 'iso-8859-2', 'ibm852']],
  ['město,počet,České Budějovice,Hradec Králové\n', ['windows-1250']],
  ['Kováč,Nové Zámky,Trenčín,Tóth,Levoča\n', ['windows-1250']],
  ['Ivan Kovačević,Čakovec,Ana Jurić,Šibenik\n', ['windows-1250', 'ibm852']],
  ['Janez,Kočevje,Špela,Črnomelj,Žiga,Brežice\n', ['windows-1250']],
  ['vārds,pilsēta,Jānis,Rīga,Ģirts,Cēsis\n', ['windows-1257']],
  ['ad,şehir,Ayşe,İstanbul,Gökçe,Diyarbakır\n', ['windows-1254']],
  ['Søren,København,Jørgen,Ærø,Pål,Tromsø\n', ['windows-1252', 'ibm850']],
  ['býur,Jákup,Tórshavn,Bjørk,Sørvágur,Ægir,Gøta\n', ['windows-1252']],
  ['città,perché,Forlì,più,Cefalù,così,Niccolò,è\n', ['windows-1252', 'ibm850']],
  ['Hélène,Orléans,Michèle,Liège,Geneviève\n', ['windows-1252', 'ibm850']],
  ['Mercè,Òdena,Mataró,Lleó,ciència\n', ['windows-1252']],
  ['João,não,põe,às três,Camões\n', ['windows-1252', 'ibm850']],
  ['Tõnu,Võru,Pärnu,õun,küla\n', ['windows-1252', 'ibm850']],
  ['sûr,goût,août,déjà,ça\n', ['windows-1252', 'ibm850']],
  ['Київ,Євген,Їжаківка,Іван\n', ['windows-1251', 'koi8-u']],
  ['Άννα,Αθήνα,όχι\n', ['windows-1253', 'iso-8859-7']],
  ['محمد,القاهرة,شكرا\n', ['windows-1256', 'iso-8859-6']],
  ['İstanbul,Iğdır,Şişli,çocuk,güneş\n', ['windows-1254', 'ibm857']],
  ['Rīga,Liepāja,Jūrmala,Šķēde\n', ['windows-1257']],
  ['Москва,Иванов Иван,улица Ленина\n', ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'ibm855']],
  ['Αθήνα,Θεσσαλονίκη,Γιώργος\n', ['windows-1253', 'ibm737']],
  ['שם,כתובת,תל אביב\n', ['windows-1255']],
  ['الاسم,العنوان,القاهرة\n', ['windows-1256']],
  ['ชื่อ,ที่อยู่,กรุงเทพมหานคร\n', ['windows-874']],
]

const dosSamples: readonly [text: string, name: string][] = [
  ['név;város\nÁgnes;Győr\nKőszegi Ödön;Pécs\n', 'ibm852'],
  ['Imię;Miasto\nŁukasz;Łódź\nGrażyna;Kraków\n', 'ibm852'],
  ['Straße;Ort\nHauptstraße;Köln\nSchloßallee;Düsseldorf\nÜbergang;Lübeck\n', 'ibm850'],
  ['número;año\nIñaki Peña;Málaga\nBegoña;Córdoba\n', 'ibm850'],
  ['Noël;maïs;Zaïre;Citroën\n', 'ibm850'],
  ['ad;şehir\nŞükrü;İzmir\nÇağla;Iğdır\n', 'ibm857'],
]
for (const [text, name] of dosSamples) {
  test(`detectLegacy() detects ${name} from ${text.trim().replaceAll('\n', ' ')}`, () =>
    assert.equal(detectLegacy(encode(text, name)), name))
}

test('detectLegacy() does not take a few damaged bytes for a rare encoding', () =>
  assert.equal(detectLegacy(Buffer.from('id,n\xa6me\n1,x\n2,a\xa6b\n', 'latin1')), null))

for (const [text, names] of samples) {
  for (const name of names) {
    test(`detectLegacy() detects ${name} from ${text.trim()}`, () =>
      assert.equal(detectLegacy(encode(text, name)), name))
  }
}

test('detectLegacy() detects East Asian encodings', () => {
  const hex = (text: string) => Buffer.from(text, 'hex')
  // 番号,名前,住所 田中,東京都
  assert.equal(
    detectLegacy(hex('94d48d862c96bc914f2c8f5a8f8a0a93639286 2c938c8b9e93730a'.replace(' ', ''))),
    'shift_jis',
  )
  assert.equal(detectLegacy(hex('c8d6b9e62cccbec1b02cbdbbbdea0ac5c4c3e62cc5ecb5fec5d40a')), 'euc-jp')
  // 姓名,地址 张伟,北京市
  assert.equal(detectLegacy(hex('d0d5c3fb2cb5d8d6b70ad5c5ceb02cb1b1bea9cad00a')), 'gb18030')
  // 姓名,地址 陳志明,臺北市
  assert.equal(detectLegacy(hex('a96da6572ca661a7 7d0ab3afa7d3a9fa2cbb4fa55fa5ab0a'.replace(' ', ''))), 'big5')
  // 이름,주소 김철수,서울
  assert.equal(detectLegacy(hex('c0ccb8a72cc1d6bcd20ab1e8c3b6bcf62cbcadbfef0a')), 'euc-kr')
})

test('detectLegacy() detects tables of names, goods and half-width kana', () => {
  const samples: readonly [text: string, hex: string, name: string][] = [
    ['ｺｳｻﾞ,ﾅﾏｴ\nﾔﾏﾀﾞ ﾀﾛｳ,ｻﾄｳ ﾊﾅｺ\n', 'bab3bbde2cc5cfb40ad4cfc0de20c0dbb32cbbc4b320cac5ba0a', 'shift_jis'],
    ['1,ﾔﾏﾀﾞ ﾀﾛｳ,100\n2,ｻﾄｳ,200\n', '312cd4cfc0de20c0dbb32c3130300a322cbbc4b32c3230300a', 'shift_jis'],
    [
      '縣市,鄉鎮\n桃園縣,龜山鄉\n屏東縣,恆春鎮\n',
      'bfa4a5ab2cb66dc2ed0aaee7b6e9bfa42cc074a473b66d0aabccaa46bfa42cabedac4bc2ed0a',
      'big5',
    ],
    ['品名,單價\n蘋果,30\n鳳梨,50\n', 'ab7ea6572cb3e6bbf90ac4abaa472c33300abbf1b1f92c35300a', 'big5'],
    [
      '省份,县城\n浙江省,龙游县\n江苏省,沛县\n',
      'caa1b7dd2ccfd8b3c70ad5e3bdadcaa12cc1fad3cecfd80abdadcbd5caa12cc5e6cfd80a',
      'gb18030',
    ],
    ['品名,单价\n苹果,30\n菠萝,50\n', 'c6b7c3fb2cb5a5bcdb0ac6bbb9fb2c33300ab2a4c2dc2c35300a', 'gb18030'],
  ]
  for (const [text, hex, name] of samples) assert.equal(detectLegacy(Buffer.from(hex, 'hex')), name, text)
})

test('detectLegacy() detects the encoding of a text with a few damaged lines', () => {
  // 氏名,\x83\xff 山田,3 鈴木,4
  assert.equal(detectLegacy(Buffer.from('8e8196bc2c83ff0a8e5293632c330a97e996d82c340a', 'hex')), 'shift_jis')
})

test('detectLegacy() gives up on bytes that are not words', () => {
  assert.equal(
    detectLegacy(Buffer.from('8984 6b95 8194 856b 8194 96a4 95a3 25f1 6bf2'.replaceAll(' ', ''), 'hex')),
    null,
  )
  assert.equal(detectLegacy(Buffer.from([0x61, 0xff, 0xfe, 0x80, 0x62])), null)
  // A single byte does not prove a rare encoding.
  assert.equal(detectLegacy(Buffer.from([0x4a, 0x6f, 0x87, 0x73, 0x0a])), null)
})

/** Words that are not among those from which letters were counted. */
const towns: readonly (readonly [names: string, words: string])[] = [
  ['windows-1252', 'Bénédicte Châteauroux Mâcon Sébastien Fréjus crêpe'],
  ['windows-1252', 'Mühlhausen Bärbel Höxter Bückeburg Gemüse Süßholz'],
  ['windows-1252', 'Mérida Castellón Cáceres Ramón melón plátano'],
  ['windows-1252', 'Vitória Maceió Florianópolis Inês feijão maracujá'],
  ['windows-1252', 'Santità tiramisù ragù sarà bontà caffè'],
  ['windows-1252', 'ruïne egoïst poëzie geïsoleerd Loïs coëfficiënt'],
  ['windows-1252', 'Dénia Alcúdia Maó Empúries llençol avió'],
  ['windows-1252', 'Mjölby Sölvesborg Märsta Hörby gräddfil mjölk'],
  ['windows-1252', 'Sønderborg Tønder Tårs Rødovre smør mælk'],
  ['windows-1252', 'Hyvinkää Seinäjoki töissä leipä jäätee kääryle'],
  ['windows-1252', 'Dalvík Ólafsfjörður Hveragerði Djúpivogur Þingeyri rækja'],
  ['windows-1252 windows-1257', 'Tõstamaa Otepää Käina jõgi kõrvits jäätis'],
  ['windows-1252', 'Môn tân Rhôs gêm Penrhôs Glân'],
  ['windows-1252', 'Cháirde Béal Doiré Inis Ó fáilte'],
  ['windows-1250 iso-8859-2 ibm852', 'Słupsk Grudziądz Łomża Jarosław Bożena śledź'],
  ['windows-1250 iso-8859-2 ibm852', 'Třeboň Mělník Příbor Šumperk Žatec čaj'],
  ['windows-1250', 'Kežmarok Humenné Ľuboš Šurany hríby ľad'],
  ['windows-1250', 'Hajdúböszörmény Gyöngyös Szőlő túró gyümölcs őszi'],
  ['windows-1250', 'Šmarje Žiri Ormož hruška češnja Škofije'],
  ['windows-1250', 'Varaždin Đurđica Anđela višnja češnjak Žumberak'],
  ['windows-1250', 'Bârlad Mediaş Zalău Făgăraş brânză ceapă'],
  ['windows-1257', 'Cēsu Krāslava Preiļi Līvāni maizīte kāposti'],
  ['windows-1257', 'Varėna Molėtai Šakiai Kelmė bulvės kopūstai'],
  ['windows-1254 ibm857', 'Balıkesir Kırklareli Niğde Şırnak şeker yoğurt'],
  ['iso-8859-3', 'Għaxaq Għargħur Kerċem Żebbiegħ ġobon ċikkulata'],
  ['iso-8859-14', 'Llŷn Tŷ dŵr gŵydd Gŵyr llŷs'],
  ['windows-1253 iso-8859-7', 'Πάτρα Βόλος Λάρισα Ηράκλειο Καβάλα τυρί'],
  ['windows-1251 koi8-r ibm866 iso-8859-5', 'Казань Пермь Томск молоко хлеб сыр'],
  ['windows-1251', 'София Пловдив Варна мляко хляб'],
  ['windows-1255', 'חיפה ירושלים אילת חלב לחם גבינה'],
  ['windows-1256', 'دمشق بغداد حليب الخبز الجبن'],
  ['windows-874', 'เชียงใหม่ ภูเก็ต ขนมปัง'],
  ['macintosh ibm850', 'Bénédicte Châteauroux Sébastien Fréjus crêpe bière'],
]

test('detectLegacy() reads short tables of languages and their code pages, all but one', () => {
  const wrong = towns.flatMap(([names, words]) =>
    names.split(' ').flatMap((name) => {
      const rows = words.split(' ').map((word, i) => `${i},${word},${3 * i}\n`)
      const bytes = encode(`id,town,n\n${rows.join('')}`, name)
      const found = detectLegacy(bytes)
      const text = found === null ? '' : createDecoder(found, 'replace')(bytes, true)
      return text.includes(rows.join('')) ? [] : [`${words} in ${name}: ${found}`]
    }),
  )
  assert.ok(wrong.length <= 1, wrong.join('\n'))
})

test('detectLegacy() reads symbols among ASCII words as windows-1252', () => {
  const cells =
    'µg/m³|37°C|25 µM dCTP|¥1250|JP¥500|10\u00a0km|• milk|5¢|6 ÷ 2|12÷4|N·m|W/m²·K|£12.50|€ 9.99|100€|© Acme|Acme®|½ cup|5½in|±5%|±0.5mm|m²|x²y|3–5|Mon–Fri|no – yes|“Hello”|wait…|§ 12|Pro™|don’t|O’Brien|‘yes’|3×4|¼ – ½|20°C – 25°C|«x»|note†|5‰|µS/cm|\u00a0|1º|¶'
  const wrong = cells
    .split('|')
    .flatMap((cell) =>
      [`id;${cell};n\n1;iron;7\n2;salmon;9\n`, `id,name,n\n1,${cell},7\n2,copper,9\n3,${cell},4\n`].filter(
        (text) => detectLegacy(encode(text, 'windows-1252')) !== 'windows-1252',
      ),
    )
  assert.deepEqual(wrong, [])
})

test('detectLegacy() reads every symbol of windows-1252 as such beside words and numbers, alone and in pairs', () => {
  const symbols = Array.from('§©®°±²³¹µ¶·¼½¾×÷€£¥¢…“”‘’–—•™‰«»¿¡\u00a0')
  const forms: readonly ((symbol: string, n: number) => string)[] = [
    (symbol) => symbol,
    (symbol, n) => `${symbol} ${n}`,
    (symbol, n) => `${symbol}${n}`,
    (symbol, n) => `${n} ${symbol}`,
    (symbol, n) => `${n}${symbol}`,
    (symbol, n) => `${symbol}\u00a0${n}`,
    (symbol, n) => `size ${symbol} big ${n}`,
  ]
  const tables = [
    (one: string, two: string) => `${one}\n${two}\n`,
    (one: string, two: string) => `id,item\n1,${one}\n2,${two}\n`,
    (one: string, two: string) => `id;item;n\n1;${one};7\n2;plain;8\n3;${two};9\n`,
  ]
  const pairedWith = [1, 2, 5, 11, 17, 29]
  const wrong = symbols.flatMap((one, at) =>
    [one, ...pairedWith.map((step) => symbols[(at + step) % symbols.length] ?? one)].flatMap((two) =>
      forms.flatMap((form) =>
        tables
          .map((table) => table(form(one, 5), form(two, 9)))
          .filter((text) => {
            return detectLegacy(encode(text, 'windows-1252')) !== 'windows-1252'
          }),
      ),
    ),
  )
  assert.deepEqual(wrong, [])
})
