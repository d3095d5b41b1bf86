// Client network: who counts as one sender by address, where nobody is asked who they are. Knows no requests.

/**
 * The address itself for IPv4, also where it is written as IPv6; of IPv6 the first 64 bits, which are one customer's
 * network at least: whoever has one address there has all of them (RFC 6177).
 */
export function clientNetworkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const groups = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0'), ...last]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
