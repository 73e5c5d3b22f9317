import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The process a service runs in: the daemon of a data folder, or `reelwright serve`. */
export interface HostProcess {
  readonly version: string
  /** Names this run. */
  readonly instance: string
  /** The API key of this run; `GET /health` proves that the service knows it. */
  readonly key: string
  /** A client asks for room for a newer version: true when the process leaves, false when it has work or stays anyway. */
  readonly exitIfIdle: () => Promise<boolean>
}

/** A service that accepts requests, as its process sees it. */
export interface HostedService {
  readonly port: number
  /** Whether a task is queued or running, or an upload or a download is under way, one in parts within minutes. */
  isBusy(): Promise<boolean>
  /** Whether a request is being answered; an open event socket is none. */
  hasOpenRequests(): boolean
  /** When the latest request came, ms since 1970; `/health` and `/metrics` do not count. */
  lastActivity(): number
  /** Stops accepting, finishes requests, puts running tasks back into the queue, closes the database. */
  close(): Promise<void>
}

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

/** A new API key: 32 random bytes behind a prefix that tells what it opens. */
export function newKey(): string {
  return `rw_${randomBytes(32).toString('base64url')}`
}
