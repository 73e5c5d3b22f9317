import { expect, test } from 'vitest'
import { isProof, proof } from './handshake.ts'

const claim = { key: 'a key', nonce: 'a nonce', instance: 'an instance' }

test('a proof holds for exactly its key, nonce and instance', () => {
  const given = proof(claim.key, claim.nonce, claim.instance)
  expect(given).toMatch(/^[0-9a-f]{64}$/)
  expect(isProof(given, claim)).toBe(true)
  for (const field of ['key', 'nonce', 'instance'] as const)
    expect(isProof(given, { ...claim, [field]: 'another' })).toBe(false)
})

test.each(['', 'x', 'é'.repeat(64), '0'.repeat(64)])('%j is no proof', (given) => {
  expect(isProof(given, claim)).toBe(false)
})

test('text cannot move between nonce and instance', () => {
  expect(proof('k', 'ab', 'c')).not.toBe(proof('k', 'a', 'bc'))
})
