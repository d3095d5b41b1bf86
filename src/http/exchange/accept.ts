// Accept: the type that a client prefers among those that a route offers. Knows no route.

/**
 * Returns the offered type that an `Accept` header rates highest, the first of several with the same rating; null if it
 * accepts none of them. Without a header, any type is accepted. RFC 9110 section 12.5.1.
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

function readRange(text: string) {
  const [range = '', ...parameters] = text.split(';').map((piece) => piece.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The rating that the most specific range containing a type gives it; 0 if no range contains it. */
function qualityOf(type: string, ranges: readonly ReturnType<typeof readRange>[]): number {
  const [family] = type.split('/')
  const found = [type, `${family}/*`, '*/*'].map((wanted) => ranges.find(({ range }) => range === wanted))
  return found.find((one) => one !== undefined)?.quality ?? 0
}
