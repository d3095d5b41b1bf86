// Public addresses: which network addresses are public, so that a request to them reaches nothing internal. Knows no URL.
import { BlockList, isIPv4 } from 'node:net'

/** Addresses that are not global, from IANA's registries of special-purpose addresses. */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** In IPv6, 2000::/3 is global except for these, some of which contain an IPv4 address. */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const special = listOf([...specialIpv4, ...specialIpv6])
const global = listOf(['2000::/3'])

/** A test of addresses: true for public ones, and for those in the given networks (`10.0.0.0/8`, `::1`). */
export function publicOr(networks: readonly string[]): (address: string) => boolean {
  const named = listOf(networks)
  return (address) => {
    const family = familyOf(address)
    const isPublic = !special.check(address, family) && (family === 'ipv4' || global.check(address, family))
    return isPublic || named.check(address, family)
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}
