// Record text: shows the bytes of a record as text, never with replacement characters.
import type { RecordText, Reject, RejectPreview } from '../../core/receipt.ts'
import type { ReadBytes } from '../../io/read-bytes.ts'
import { base64Text } from '../../reading/bytes/platform-bytes.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'

/** The rejects with at most `textBytesMax` bytes of each record, read from the original. */
export async function readTexts(
  read: ReadBytes,
  encoding: string,
  rejects: readonly Reject[],
  textBytesMax: number,
): Promise<RejectPreview[]> {
  if (rejects.length === 0) return []
  const textOf = createRecordReader(encoding)
  const previews: RejectPreview[] = []
  for (const reject of rejects) {
    const length = Math.min(reject.byteLength, textBytesMax)
    const bytes = await read(reject.byteOffset, length)
    previews.push({ ...reject, ...textOf(bytes, reject.byteLength > length) })
  }
  return previews
}

/** Returns a record's text, or its bytes as base64 if they are invalid. `isCut` if they are only its beginning. */
export type RecordReader = (bytes: Uint8Array, isCut: boolean) => RecordText

/** A reader for many records in one encoding: a decoder for each would take more memory and time than the records. */
export function createRecordReader(encoding: string): RecordReader {
  const newDecoder = () => createDecoder(encoding, 'strict', 'character')
  let decode = newDecoder()
  return (bytes, isCut) => {
    let text: string | null = null
    try {
      // At the end of a beginning, half a character is left out.
      text = decode(bytes, !isCut)
    } catch {}
    // Bytes left over from a cut or invalid record must not precede the next one.
    if (isCut || text === null) decode = newDecoder()
    const cut = isCut ? { cut: true as const } : {}
    return text === null ? { text, base64: base64Text(bytes), ...cut } : { text, ...cut }
  }
}
