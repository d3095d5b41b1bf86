// Client network: which addresses count as one client. Knows nothing of routes.
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** Networks whose last 32 bits are an IPv4 address: mapped (RFC 4291 section 2.5.5.2), and NAT64 (RFC 6052). */
const ipv4Networks = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']

/**
 * Returns an IPv4 address itself, even if it is written as IPv6. Of an IPv6 address, returns the first 64 bits, which
 * belong to a single customer: whoever has one address in that network has all of them (RFC 6177).
 */
export function clientNetworkOf(address: string): string {
  const plain = withoutPort(address)
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  if (ipv4Networks.includes(groups.slice(0, 6).join(':'))) {
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
      .join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Some proxies append the port of each client, as in `203.0.113.7:51234` or `[2001:db8::1]:443`. */
export function dropForwardedPorts(request: IncomingMessage): void {
  const forwarded = request.headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return
  request.headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((one) => withoutPort(one.trim()))
    .join(', ')
}

function withoutPort(address: string): string {
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d*)?$|^([^:]*):\d*$/.exec(address) ?? []
  return inBrackets ?? beforePort ?? address
}

/** The eight groups of an IPv6 address, in hex without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const bare = address.replace(/%.*$/, '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const hex = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)
    return `${hex(a, b)}:${hex(c, d)}`
  })
  const [head = '', tail] = bare.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16))
}
