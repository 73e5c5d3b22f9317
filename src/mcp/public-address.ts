import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** IPv4 networks that are nobody's on the internet (IANA special-purpose registry), as address and prefix. */
const specialNetworksV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
] as const

/** Inside the only IPv6 network that is routed: protocol assignments with Teredo, documentation, and 6to4. */
const specialNetworksV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const specialNetworks = new BlockList()
for (const [network, prefix] of specialNetworksV4) specialNetworks.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of specialNetworksV6) specialNetworks.addSubnet(network, prefix, 'ipv6')

const routedNetworksV6 = new BlockList()
routedNetworksV6.addSubnet('2000::', 3, 'ipv6')

/** Tells whether an IP address is one of the internet, and not of this machine or a network around it. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialNetworks.check(address, 'ipv4')
  return (
    isIP(address) === 6 && routedNetworksV6.check(address, 'ipv6') && !specialNetworks.check(address, 'ipv6')
  )
}

/** A name that leads to an address which is not public. */
export class NotPublicError extends Error {}

/** Looks a name up as `dns.lookup` does, and fails with `NotPublicError` where any of its addresses is not public. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error) callback(error, '')
    else if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
      callback(new NotPublicError(hostname), '')
    } else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
