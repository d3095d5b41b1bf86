// Code pages: single-byte encodings that the platform does not have, DOS and EBCDIC. Knows nothing of files.

const ascii = String.fromCharCode(...Array.from({ length: 0x80 }, (_, code) => code))

/** From 0x80 on. Code page 850 is that of DOS and of old Windows consoles; 437 has the same letters. */
const dos850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'
const dos437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
/** Central Europe. */
const dos852 =
  'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0'
/** Cyrillic. */
const dos855 =
  'ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u00adыЫзЗшШэЭщЩчЧ§■\u00a0'
/** Greek. */
const dos737 =
  'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0'
/** Turkish; three bytes have no character. */
const dos857 =
  'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ×ÚÛÙìÿ¯´\u00ad±¾¶§÷¸°¨·¹³²■\u00a0'

/** From 0x40 on: EBCDIC as in the United States. */
const ebcdic037 =
  ' \u00a0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×{ABCDEFGHI\u00adôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u009f'
/** Up to 0x3f. Its two line ends, 0x15 (NEL) and 0x25 (LF), are both read as a line feed. */
const ebcdicControls =
  '\u0000\u0001\u0002\u0003\u009c\u0009\u0086\u007f\u0097\u008d\u008e\u000b\u000c\u000d\u000e\u000f\u0010\u0011\u0012\u0013\u009d\u000a\u0008\u0087\u0018\u0019\u0092\u008f\u001c\u001d\u001e\u001f\u0080\u0081\u0082\u0083\u0084\u000a\u0017\u001b\u0088\u0089\u008a\u008b\u008c\u0005\u0006\u0007\u0090\u0091\u0016\u0093\u0094\u0095\u0096\u0004\u0098\u0099\u009a\u009b\u0014\u0015\u009e\u001a'

/** How the others differ from it: the byte in hex and the character. */
const pages: Readonly<Record<string, string>> = {
  ibm850: ascii + dos850,
  ibm437: ascii + dos437,
  ibm852: ascii + dos852,
  ibm855: ascii + dos855,
  ibm737: ascii + dos737,
  ibm857: ascii + dos857,
  ibm037: ebcdic(''),
  ibm500: ebcdic('4a[4f!5a]5f^b0¢ba¬bb|'),
  ibm1047: ebcdic('5f^ad[b0¬baÝbb¨bd]'),
  ibm273: ebcdic('43{4aÄ4f!59~5aÜ5f^63[6aö7c§a1ßb0¢b5@ba¬bb|bc‾c0äcc¦d0üdc}e0Öec\\fc]'),
  ibm01140: ebcdic('9f€'),
  ibm01141: ebcdic('43{4aÄ4f!59~5aÜ5f^63[6aö7c§9f€a1ßb0¢b5@ba¬bb|bc‾c0äcc¦d0üdc}e0Öec\\fc]'),
  ibm01148: ebcdic('4a[4f!5a]5f^9f€b0¢ba¬bb|'),
}

function ebcdic(differences: string): string {
  const page = Array.from(ebcdicControls + ebcdic037)
  for (let at = 0; at < differences.length; at += 3) {
    page[Number.parseInt(differences.slice(at, at + 2), 16)] = differences.charAt(at + 2)
  }
  return page.join('')
}

/** The 256 characters of an encoding, by their bytes; undefined for any other encoding. */
export function codePage(name: string): string | undefined {
  return Object.hasOwn(pages, name) ? pages[name] : undefined
}

/** The name of the encoding for a label such as `cp037`, `IBM-1047` or `cp850`; null for any other label. */
export function codePageName(label: string): string | null {
  const number = Number(/^(?:ibm|cp|ccsid)?[-_]?(\d{2,5})$/i.exec(label)?.[1] ?? Number.NaN)
  return Object.keys(pages).find((name) => Number(name.slice(3)) === number) ?? null
}

const usual = /[\p{L}\p{N}\s,;|"'.:/()[\]_&@#*%+=!?€-]/u
const ebcdicNames = ['ibm037', 'ibm500', 'ibm1047', 'ibm273', 'ibm01140', 'ibm01148', 'ibm01141']
const sampleBytesMax = 65_536

/** The likeliest variant of EBCDIC; null if the bytes are probably not EBCDIC. */
export function detectEbcdic(head: Uint8Array): string | null {
  const sample = head.subarray(0, sampleBytesMax)
  // As EBCDIC, the line feed and blank of ASCII are control characters, which EBCDIC texts do not contain; other texts
  // hardly ever lack them.
  if (sample.includes(0x0a) || sample.includes(0x20) || !(sample.includes(0x15) || sample.includes(0x25))) return null
  const counts = new Uint32Array(256)
  for (const byte of sample) counts[byte] = (counts[byte] ?? 0) + 1
  let best: string | null = null
  let most = sample.length * 0.95
  for (const name of ebcdicNames) {
    let count = 0
    Array.from(pages[name] ?? '').forEach((character, byte) => {
      if (usual.test(character)) count += counts[byte] ?? 0
    })
    if (count <= most) continue
    best = name
    most = count
  }
  return best
}
