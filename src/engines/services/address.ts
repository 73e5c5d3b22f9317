import { BlockList, isIP } from 'node:net'
import { isLoopback } from '../../platform/loopback.ts'

/** Networks around a machine (RFC 1918, 6598, 4193). */
const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Names that nobody on the internet can have (RFC 6761, 6762, 8375, ICANN's `.internal`), or of one part. */
const localName = /^[\w-]+$|\.(local|localhost|internal|lan|home\.arpa)$/i

/** How requests are spoken to a voice service, as its address begins. */
const dialectPrefix = /^(gpt-sovits|openai)\+/

/** Tells whether a host is this machine or one of a network around it. */
export function isLocalNetworkHost(host: string): boolean {
  const bare = host.replaceAll(/[[\]]/g, '')
  const version = isIP(bare)
  if (version === 0) return localName.test(bare)
  return isLoopback(bare) || privateNetworks.check(bare, version === 4 ? 'ipv4' : 'ipv6')
}

/** Tells whether a service may be asked at an address: https, or http nearby; without a password or a query. */
export function isServiceAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocalNetworkHost(hostname))
  return isSafe && `${username}${password}${search}${hash}` === ''
}

/** A service's address without how it is spoken to, and the latter: `openai` where nothing is said. */
export function parseServiceAddress(address: string): { readonly base: URL; readonly dialect: string } {
  const [prefix = '', dialect = 'openai'] = dialectPrefix.exec(address) ?? []
  return { base: new URL(address.slice(prefix.length)), dialect }
}

/** What may be said before the address of a voice service. */
export function stripDialect(address: string): string {
  return address.replace(dialectPrefix, '')
}
