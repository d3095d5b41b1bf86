// Accept: which of the types that a route offers a client wants most. Knows no route.

/**
 * The offered type that an `Accept` header rates highest, the first of those rated alike; null when it wants none of
 * them. Without a header anything will do. RFC 9110 section 12.5.1.
 */
export function acceptedType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null
  const ranges = accept.split(',').map(readRange)
  let best: { readonly type: Type; readonly quality: number } | null = null
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    if (quality > (best?.quality ?? 0)) best = { type, quality }
  }
  return best?.type ?? null
}

interface Range {
  readonly range: string
  readonly quality: number
}

function readRange(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((piece) => piece.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** What the most precise range that a type is in says of it; 0 where it is in none. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const [family] = type.split('/')
  const found = [type, `${family}/*`, '*/*'].map((wanted) => ranges.find(({ range }) => range === wanted))
  return found.find((one) => one !== undefined)?.quality ?? 0
}
