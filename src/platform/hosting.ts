import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The process of a service: the daemon of a data folder, or `reelwright serve`. */
export interface HostProcess {
  readonly version: string
  /** Id of this run. */
  readonly instance: string
  /** API key of this run; `GET /health` proves that the service has it. */
  readonly key: string
  /** Called by clients of a newer version. Returns whether the process exits; it stays while it has work. */
  readonly exitIfIdle: () => Promise<boolean>
}

/** A running service, for its process. */
export interface HostedService {
  readonly port: number
  /** Whether a task is queued or running, or an upload or download is in progress; one in parts if active within minutes. */
  isBusy(): Promise<boolean>
  /** Whether a request is in progress; open event sockets do not count. */
  hasOpenRequests(): boolean
  /** Time of the last request, ms since 1970; `/health` and `/metrics` do not count. */
  lastActivity(): number
  /** Stops accepting requests, finishes open ones, requeues running tasks, closes the database. */
  close(): Promise<void>
}

/** Proof of knowing the key: HMAC-SHA256 of nonce and instance, in hex. */
export function computeProof(key: string, nonce: string, instance: string): string {
  return createHmac('sha256', key).update(`${nonce}\n${instance}`).digest('hex')
}

interface ProofInput {
  readonly key: string
  readonly nonce: string
  readonly instance: string
}

/** Verifies a proof in constant time. */
export function verifyProof(given: string, { key, nonce, instance }: ProofInput): boolean {
  const expected = Buffer.from(computeProof(key, nonce, instance))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** JSON body of `GET /health?nonce=`. */
export interface HealthResponse {
  readonly instance: string
  readonly version: string
  readonly proof: string
}

/** Response to a nonce, with the proof. */
export function healthResponse(
  { key, instance, version }: Pick<HostProcess, 'key' | 'instance' | 'version'>,
  nonce: string,
): HealthResponse {
  return { instance, version, proof: computeProof(key, nonce, instance) }
}

/** Creates an API key: the prefix `rw_` and 32 random bytes. */
export function newKey(): string {
  return `rw_${randomBytes(32).toString('base64url')}`
}
