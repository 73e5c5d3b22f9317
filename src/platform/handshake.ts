import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HostProcess } from './hosting.ts'

/** Proof that whoever answers knows the key: HMAC-SHA256 over nonce and instance, in hex. */
export function computeProof(key: string, nonce: string, instance: string): string {
  return createHmac('sha256', key).update(`${nonce}\n${instance}`).digest('hex')
}

interface ProofInput {
  readonly key: string
  readonly nonce: string
  readonly instance: string
}

/** Tells in constant time whether a proof is the right one. */
export function verifyProof(given: string, { key, nonce, instance }: ProofInput): boolean {
  const expected = Buffer.from(computeProof(key, nonce, instance))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** What `GET /health?nonce=` answers, as the whole JSON body. */
export interface HealthResponse {
  readonly instance: string
  readonly version: string
  readonly proof: string
}

/** Answers a nonce for a service that knows the key of its process. */
export function healthResponse(
  { key, instance, version }: Pick<HostProcess, 'key' | 'instance' | 'version'>,
  nonce: string,
): HealthResponse {
  return { instance, version, proof: computeProof(key, nonce, instance) }
}
