import { isIPv4, isIPv6 } from 'node:net'

/** Limits of a server's open connections. */
export interface ConnectionLimits {
  readonly total: number
  /** From one address, or one IPv6 /64. Behind a proxy all connections have its address. */
  readonly perAddress: number
}

/** Limits by default: with files and child processes, less than the 1024 descriptors of many systems. */
export const defaultConnectionLimits: ConnectionLimits = { total: 400, perAddress: 200 }

/** Whose valid key or signed link a connection uses. */
export interface ConnectionOwner {
  readonly kind: 'key' | 'link'
  /** Id of the key, or of the file that the link opens. */
  readonly id: string
}

/** An open connection, as far as the choice depends on it. */
export interface OpenConnection {
  /** See `addressGroup`. */
  readonly address: string
  /** Absent until the latest request is found to have a valid key or link. */
  readonly owner?: ConnectionOwner | undefined
  /** Whether a request or an event socket is open. */
  readonly isRunning: boolean
}

/** Connections that one key or link may always have: those of one client with parallel transfers. */
const minPerOwner = 8

/** Most connections of one key or link: a quarter of the total, at least 8. */
export function maxPerOwner({ total }: ConnectionLimits): number {
  return Math.max(minPerOwner, Math.floor(total / 4))
}

/** Most of `limit` connections that keys and links can use. An eighth stays free for clients to present their key. */
export function ownedShare(limit: number): number {
  return Math.max(1, limit - Math.max(1, Math.floor(limit / 8)))
}

/**
 * Chooses the connection to close so that `newest` fits, which was just opened or has just got its owner. Returns
 * undefined if there is room, and `newest` if no other has to give way. open: all connections, the least recently
 * active first, with or without `newest`.
 *
 * Without an owner, connections without an owner give way, those without a request first. With an owner, idle
 * connections with an owner give way, then running downloads by links, then the key with the most connections. A running
 * request with an owner thus never gives way to a client without a valid key, nor a key to a link.
 */
export function connectionToClose<C extends OpenConnection>(
  open: readonly C[],
  newest: C,
  limits: ConnectionLimits,
): C | undefined {
  const others = open.filter((one) => one !== newest)
  const { owner } = newest
  if (owner) {
    const own = others.filter((one) => one.owner && isSameOwner(one.owner, owner))
    if (own.length >= maxPerOwner(limits)) return own.find(isIdle) ?? newest
  }
  const neighbours = others.filter(({ address }) => address === newest.address)
  const scopes = [
    { candidates: neighbours, limit: limits.perAddress },
    { candidates: others, limit: limits.total },
  ]
  for (const { candidates, limit } of scopes) {
    const owned = candidates.filter((one) => one.owner !== undefined)
    if (owner && owned.length >= ownedShare(limit)) return chooseOwned(owned, owner) ?? newest
    if (!owner && candidates.length >= limit) {
      const anonymous = candidates.filter((one) => one.owner === undefined)
      return anonymous.find(isIdle) ?? anonymous[0] ?? owned.find(isIdle) ?? newest
    }
  }
  return undefined
}

/**
 * Group of an address for the limit per address: an IPv4 address, also when it is mapped to IPv6, or the /64 of an IPv6
 * address, all of which belong to one client.
 */
export function addressGroup(address: string): string {
  const [plain = '', zone] = address.toLowerCase().split('%')
  const mapped = plain.slice(plain.lastIndexOf(':') + 1)
  if (isIPv4(mapped)) return mapped
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0')
  const network = [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
  return `${network.join(':')}::/64${zone === undefined ? '' : `%${zone}`}`
}

function isIdle({ isRunning }: OpenConnection): boolean {
  return !isRunning
}

function isSameOwner(one: ConnectionOwner, other: ConnectionOwner): boolean {
  return one.kind === other.kind && one.id === other.id
}

/** Of connections with owners, the one that gives way to a further one of `newcomer`. */
function chooseOwned<C extends OpenConnection>(
  owned: readonly C[],
  newcomer: ConnectionOwner,
): C | undefined {
  const idle = owned.find(isIdle)
  if (idle) return idle
  const groups = [...Map.groupBy(owned, ({ owner }) => `${owner?.kind} ${owner?.id}`).values()].toSorted(
    (one, other) => other.length - one.length,
  )
  const largest = (kind: ConnectionOwner['kind']) =>
    groups.find(([first]) => first?.owner?.kind === kind) ?? []
  const ownCount = owned.filter(({ owner }) => owner && isSameOwner(owner, newcomer)).length + 1
  const links = largest('link')
  // The latest request of a group has lost the least when it is repeated.
  if (links.length > (newcomer.kind === 'link' ? ownCount : 0)) return links.at(-1)
  const keys = largest('key')
  return newcomer.kind === 'key' && keys.length > ownCount ? keys.at(-1) : undefined
}
