// Frequent characters: the most common characters of East Asian encodings, which their standards list first. Knows no files.

interface Rows {
  /** First and last lead byte of the level 1 characters, or of Hangul. */
  readonly leads: readonly [number, number]
  readonly trails: readonly (readonly [number, number])[]
}

const lowTrails = [0x40, 0x7e] as const
const highTrails = [0xa1, 0xfe] as const

const rows: Readonly<Record<string, Rows>> = {
  shift_jis: { leads: [0x88, 0x97], trails: [lowTrails, [0x80, 0xfc]] },
  'euc-jp': { leads: [0xb0, 0xcf], trails: [highTrails] },
  gb18030: { leads: [0xb0, 0xd7], trails: [highTrails] },
  big5: { leads: [0xa4, 0xc6], trails: [lowTrails, highTrails] },
  'euc-kr': { leads: [0xb0, 0xc8], trails: [highTrails] },
}

const sets = new Map<string, ReadonlySet<string>>()

/** True for the level 1 characters of an encoding; false for encodings without levels. */
export function isFrequent(encoding: string, character: string): boolean {
  const known = sets.get(encoding) ?? read(encoding)
  sets.set(encoding, known)
  return known.has(character)
}

function read(encoding: string): ReadonlySet<string> {
  const found = rows[encoding]
  if (found === undefined) return new Set()
  const bytes: number[] = []
  for (let lead = found.leads[0]; lead <= found.leads[1]; lead += 1) {
    for (const [from, to] of found.trails) for (let trail = from; trail <= to; trail += 1) bytes.push(lead, trail)
  }
  return new Set(new TextDecoder(encoding).decode(Uint8Array.from(bytes)).replaceAll('\ufffd', ''))
}
