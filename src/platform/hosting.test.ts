import { expect, test } from 'vitest'
import { verifyProof, computeProof } from './hosting.ts'

const claim = { key: 'a key', nonce: 'a nonce', instance: 'an instance' }

test('a proof is valid only for its key, nonce and instance', () => {
  const proof = computeProof(claim.key, claim.nonce, claim.instance)
  expect(proof).toMatch(/^[0-9a-f]{64}$/)
  expect(verifyProof(proof, claim)).toBe(true)
  for (const field of ['key', 'nonce', 'instance'] as const)
    expect(verifyProof(proof, { ...claim, [field]: 'another' })).toBe(false)
})

test.each(['', 'x', 'é'.repeat(64), '0'.repeat(64)])('%j is not a valid proof', (proof) => {
  expect(verifyProof(proof, claim)).toBe(false)
})

test('a proof depends on the boundary between nonce and instance', () => {
  expect(computeProof('k', 'ab', 'c')).not.toBe(computeProof('k', 'a', 'bc'))
})
