// Host prefix: puts the prefix below which a host's app has our routes before the links of a response.

/** The links of a response, and of the items of a list. Where nothing is prefixed, the value itself. */
export function withPrefix(value: object, prefix: string): object {
  if (prefix === '') return value
  const put = (link: unknown) => (typeof link === 'string' ? prefix + link : link)
  const { links, error } = value as { links?: object; error?: { path?: string } | null }
  const lists = Object.entries(value).filter(([name, list]) => linked.has(name) && Array.isArray(list))
  return {
    ...value,
    ...Object.fromEntries(lists.map(([name, list]) => [name, list.map((one: object) => withPrefix(one, prefix))])),
    ...(links && { links: Object.fromEntries(Object.entries(links).map(([name, link]) => [name, put(link)])) }),
    ...(error?.path && { error: { ...error, path: prefix + error.path } }),
  }
}

/** Lists whose items have links. */
const linked: ReadonlySet<string> = new Set(['datasets', 'uploads'])
