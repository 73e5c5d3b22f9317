import { expect, test } from 'vitest'
import { PageTickets } from './tickets.ts'

test('a ticket returns its key once', () => {
  const tickets = new PageTickets(() => 5)
  const one = tickets.issue('key one')
  const other = tickets.issue('key two')
  expect(Buffer.from(one.ticket, 'base64url')).toHaveLength(32)
  expect(one.expireAt).toBe(60_005)
  expect(tickets.redeem(other.ticket)).toBe('key two')
  expect(tickets.redeem(one.ticket)).toBe('key one')
  expect(tickets.redeem(one.ticket)).toBeUndefined()
  expect(tickets.redeem('')).toBeUndefined()
})

test('a ticket expires after a minute', () => {
  let now = 0
  const tickets = new PageTickets(() => now)
  const [early, late] = [tickets.issue('key'), tickets.issue('key')]
  now = 59_999
  expect(tickets.redeem(early.ticket)).toBe('key')
  now = 60_000
  expect(tickets.redeem(late.ticket)).toBeUndefined()
})

test('beyond a hundred tickets the oldest are dropped', () => {
  const tickets = new PageTickets(() => 0)
  const all = Array.from({ length: 102 }, (_, index) => tickets.issue(`key ${index}`).ticket)
  const known = all.map((ticket) => tickets.redeem(ticket) !== undefined)
  expect(known).toEqual([false, false, ...Array.from({ length: 100 }, () => true)])
})
