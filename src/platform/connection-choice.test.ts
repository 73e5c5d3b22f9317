import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressGroup,
  type ConnectionLimits,
  type ConnectionOwner,
  connectionToClose,
  maxPerOwner,
  type OpenConnection,
  ownedShare,
} from './connection-choice.ts'

interface TestConnection extends OpenConnection {
  readonly id: number
}

const owners = fc.option(
  fc.record({
    kind: fc.constantFrom<ConnectionOwner['kind']>('key', 'link'),
    id: fc.constantFrom('1', '2', '3', '4', '5'),
  }),
  { nil: undefined },
)
const steps = fc.array(
  fc.record({
    address: fc.constantFrom('a', 'b', 'c'),
    owner: owners,
    isRunning: fc.boolean(),
  }),
  { maxLength: 120 },
)
const limits = fc.record({
  total: fc.integer({ min: 1, max: 40 }),
  perAddress: fc.integer({ min: 1, max: 40 }),
})

/** Opens a connection, then gives it its owner, as a server does. Reports each connection that closes. */
function connect(
  open: TestConnection[],
  { owner, ...step }: TestConnection,
  {
    limits: within,
    closed,
  }: { limits: ConnectionLimits; closed: (victim: TestConnection, newest: TestConnection) => void },
): TestConnection[] {
  const close = (all: TestConnection[], newest: TestConnection) => {
    const victim = connectionToClose(all, newest, within)
    if (victim) closed(victim, newest)
    return all.filter((one) => one !== victim)
  }
  const anonymous = { ...step, isRunning: false }
  const admitted = close([...open, anonymous], anonymous)
  if (!admitted.includes(anonymous)) return admitted
  const owned = { ...step, owner }
  const all = admitted.map((one) => (one === anonymous ? owned : one))
  return owner ? close(all, owned) : all
}

describe('connectionToClose', () => {
  test('keeps all limits, and cuts no running request of a key for a client without one or with a link', () => {
    fc.assert(
      fc.property(limits, steps, (within, all) => {
        let open: TestConnection[] = []
        for (const [id, step] of all.entries()) {
          open = connect(
            open,
            { ...step, id },
            {
              limits: within,
              closed: (victim, newest) => {
                if (victim !== newest && victim.isRunning && victim.owner?.kind === 'key')
                  expect(newest.owner?.kind).toBe('key')
              },
            },
          )
          const keyed = open.filter(({ owner }) => owner)
          expect(open.length).toBeLessThanOrEqual(within.total)
          expect(keyed.length).toBeLessThanOrEqual(ownedShare(within.total))
          for (const some of Map.groupBy(open, ({ address }) => address).values())
            expect(some.length).toBeLessThanOrEqual(within.perAddress)
          for (const some of Map.groupBy(keyed, ({ owner }) => JSON.stringify(owner)).values())
            expect(some.length).toBeLessThanOrEqual(maxPerOwner(within))
        }
      }),
    )
  })

  test('lets every key in, unless no key has more connections', () => {
    fc.assert(
      fc.property(limits, steps, (within, all) => {
        let open: TestConnection[] = []
        for (const [id, step] of all.entries())
          open = connect(open, { ...step, id }, { limits: within, closed: () => {} })
        const newest = { id: -1, address: 'a', owner: { kind: 'key', id: 'new' }, isRunning: true } as const
        if (connectionToClose([...open, newest], newest, within) !== newest) return
        // Where there is no room, each key has one connection, with a running request.
        const keyed = open.filter(({ owner }) => owner)
        const full = [
          { some: keyed.filter(({ address }) => address === 'a'), most: within.perAddress },
          { some: keyed, most: within.total },
        ].filter(({ some, most }) => some.length >= ownedShare(most))
        const isTaken = ({ some }: { some: readonly TestConnection[] }) =>
          some.every(({ isRunning, owner }) => isRunning && owner?.kind === 'key') &&
          new Set(some.map(({ owner }) => owner?.id)).size === some.length
        expect(full.some(isTaken)).toBe(true)
      }),
    )
  })

  const limit = { total: 16, perAddress: 16 }
  const key = (id: string, isRunning = true): TestConnection => ({
    id: 0,
    address: id,
    owner: { kind: 'key', id },
    isRunning,
  })
  const link = (id: string): TestConnection => ({ ...key(id), owner: { kind: 'link', id } })
  const anonymous = (isRunning: boolean): TestConnection => ({ id: 0, address: 'x', isRunning })
  const many = (count: number, create: () => TestConnection) => Array.from({ length: count }, create)

  test('closes for a client without a key: without a request, with one, idle with a key, then the client', () => {
    const order = [anonymous(false), anonymous(true), key('1', false)]
    const newest = anonymous(false)
    for (const [index, next] of order.entries()) {
      const rest = order.slice(index + 1)
      const open = [...many(15 - rest.length, () => key('2')), ...rest.toReversed(), next]
      expect(connectionToClose(open, newest, limit)).toBe(next)
    }
    expect(
      connectionToClose(
        many(16, () => key('2')),
        newest,
        limit,
      ),
    ).toBe(newest)
  })

  test('closes for a client with a key: idle, then links, then the key with the most, then the client', () => {
    const newest = key('new')
    const idle = key('1', false)
    const linked = link('1')
    const latest = key('2')
    const keys = [...many(5, () => key('2')), latest, ...many(5, () => key('3'))]
    expect(connectionToClose([...keys, key('4'), linked, idle], newest, limit)).toBe(idle)
    expect(connectionToClose([...keys, key('4'), key('5'), linked], newest, limit)).toBe(linked)
    expect(connectionToClose([...keys, key('4'), key('5'), key('6')], newest, limit)).toBe(latest)
    const alone = Array.from({ length: 14 }, (_, index) => key(`${index}`))
    expect(connectionToClose(alone, newest, limit)).toBe(newest)
    expect(connectionToClose([...keys, ...many(3, () => key('4'))], link('9'), limit)).toMatchObject(
      link('9'),
    )
  })

  test('limits a key to a quarter, and closes its idle connections first', () => {
    const busy = many(100, () => key('1'))
    const newest = key('1')
    const within = { total: 400, perAddress: 400 }
    expect(connectionToClose(busy.slice(1), newest, within)).toBeUndefined()
    expect(connectionToClose(busy, newest, within)).toBe(newest)
    const idle = key('1', false)
    expect(connectionToClose([...busy.slice(1), idle], newest, within)).toBe(idle)
  })
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64%eth0'],
  ['', ''],
])('the group of address %j is %j', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})
