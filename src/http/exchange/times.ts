// Times: how JSON shows a moment, as milliseconds and in words. Knows no resource.

type Moments = Readonly<Record<`${string}At`, number | null>>

type Times<Of> = Of & {
  readonly [Name in keyof Of as Name extends `${infer Short}At` ? Short : never]: string | Extract<Of[Name], null>
}

/** Each `createdAt` in milliseconds, or null, and beside it `created` as RFC 3339. */
export function times<Of extends Moments>(moments: Of): Times<Of> {
  const inWords = Object.entries(moments).map(([name, ms]) => [
    name.slice(0, -'At'.length),
    ms === null ? null : new Date(ms).toISOString(),
  ])
  return { ...moments, ...Object.fromEntries(inWords) } as Times<Of> // the names and values of the type
}
