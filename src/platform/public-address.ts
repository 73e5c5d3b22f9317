import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are not public (IANA special-purpose address registry), as address and prefix length. */
const specialNetworksV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
] as const

/**
 * Public IPv4 addresses that reach a cloud provider's own services from inside its machines: Azure's host agent and DNS.
 * Those of other providers are in special networks.
 */
const cloudNetworksV4 = [['168.63.129.16', 32]] as const

/**
 * Non-public networks inside 2000::/3, the only routed IPv6 network: protocol assignments with Teredo, documentation, 6to4
 * and AS112 (IANA special-purpose address registry).
 */
const specialNetworksV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const closedNetworks = new BlockList()
for (const [network, prefix] of [...specialNetworksV4, ...cloudNetworksV4]) {
  closedNetworks.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of specialNetworksV6) closedNetworks.addSubnet(network, prefix, 'ipv6')

const routedNetworksV6 = new BlockList()
routedNetworksV6.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an IP address is public: not of this machine, a local network or a cloud provider's own services. IPv6 forms of
 * IPv4 addresses (mapped, NAT64, 6to4, Teredo) are not public, whatever they contain.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !closedNetworks.check(address, 'ipv4')
  return (
    isIP(address) === 6 && routedNetworksV6.check(address, 'ipv6') && !closedNetworks.check(address, 'ipv6')
  )
}
