import type { FastifyInstance } from 'fastify'
import { findInvalidKeys } from '../accounts/keys.ts'
import { onResponseClosed } from '../platform/response-closed.ts'
import type { Service } from '../tasks/service.ts'

/** Close code of event sockets whose key is no longer valid (RFC 6455, section 7.4.1: policy violation). */
export const policyViolationCode = 1008

/** Reason in the close frame. */
export const keyEndedReason = 'the API key was revoked or has expired'

/** Ends the open requests and event sockets of keys that are no longer valid. */
export class KeyWatch {
  readonly #service: Pick<Service, 'db' | 'clock' | 'log'>
  /** What ends each open request or socket, by key. */
  readonly #open = new Map<string, Set<() => void>>()

  constructor(service: Pick<Service, 'db' | 'clock' | 'log'>) {
    this.#service = service
  }

  /** Calls `end` once the key is no longer valid, unless the returned function is called before. */
  follow(keyId: string, end: () => void): () => void {
    const ends = this.#open.get(keyId) ?? new Set()
    this.#open.set(keyId, ends.add(end))
    return () => {
      ends.delete(end)
      if (ends.size === 0 && this.#open.get(keyId) === ends) this.#open.delete(keyId)
    }
  }

  /** Checks all keys in use; a failed check is logged and changes nothing. */
  async check(): Promise<void> {
    if (this.#open.size === 0) return
    const { db, clock, log } = this.#service
    try {
      for (const keyId of await findInvalidKeys(db, [...this.#open.keys()], clock())) {
        log.info({ key_id: keyId }, 'the connections of an API key that is no longer valid are closed')
        for (const end of this.#open.get(keyId) ?? []) end()
      }
    } catch (error) {
      log.warn({ err: error }, 'the keys of open connections could not be checked')
    }
  }
}

/**
 * Checks the keys of open requests and event sockets every `intervalMs`. Cuts requests whose key is no longer valid,
 * such as a download: its response has begun, so that no error can be sent.
 */
export function watchKeys(app: FastifyInstance, service: Service, intervalMs: number): KeyWatch {
  const watch = new KeyWatch(service)
  const timer = setInterval(() => void watch.check(), intervalMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', async ({ caller, raw, ws }, reply) => {
    // An event socket closes with a code instead.
    if (!caller || ws) return
    onResponseClosed(
      reply.raw,
      watch.follow(caller.keyId, () => raw.socket.destroy()),
    )
  })
  return watch
}
