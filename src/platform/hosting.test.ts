import { expect, test } from 'vitest'
import { verifyProof, computeProof } from './hosting.ts'

const claim = { key: 'a key', nonce: 'a nonce', instance: 'an instance' }

test('a proof holds for exactly its key, nonce and instance', () => {
  const given = computeProof(claim.key, claim.nonce, claim.instance)
  expect(given).toMatch(/^[0-9a-f]{64}$/)
  expect(verifyProof(given, claim)).toBe(true)
  for (const field of ['key', 'nonce', 'instance'] as const)
    expect(verifyProof(given, { ...claim, [field]: 'another' })).toBe(false)
})

test.each(['', 'x', 'é'.repeat(64), '0'.repeat(64)])('%j is no proof', (given) => {
  expect(verifyProof(given, claim)).toBe(false)
})

test('text cannot move between nonce and instance', () => {
  expect(computeProof('k', 'ab', 'c')).not.toBe(computeProof('k', 'a', 'bc'))
})
