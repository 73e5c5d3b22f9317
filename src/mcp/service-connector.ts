import type { Client, Connection } from '../client/client.ts'
import { isUnreachable } from '../client/response.ts'
import { MediaError } from '../contract/errors.ts'

/** Connects to the media service. */
export interface ServiceConnector {
  /** Connects to a remote service, or to the local daemon, which it starts if necessary. */
  readonly connect: () => Promise<Connection>
  /** Connects only to a service that is running, else returns null. Absent if `connect` never starts one. */
  readonly find?: () => Promise<Connection | null>
}

/** An established or pending connection. */
interface ConnectionAttempt {
  readonly connection: Promise<Connection>
}

/**
 * A client that connects on first use. If the service is unreachable or rejects the key, it reconnects and repeats the
 * request once: the local daemon exits when idle and restarts with another port and key. Opening the event socket
 * never starts a service.
 */
export function reconnectingClient({ connect, find = connect }: ServiceConnector): Client {
  let current: ConnectionAttempt | undefined

  function connected(): ConnectionAttempt {
    if (current) return current
    const attempt = { connection: connect() }
    attempt.connection.catch(() => forget(attempt))
    return (current = attempt)
  }

  async function found(): Promise<ConnectionAttempt> {
    if (current) return current
    const connection = await find()
    if (!connection) throw new MediaError(6401, 'The media service is not running')
    if (!current) return (current = { connection: Promise.resolve(connection) })
    // A concurrent call has connected first.
    await connection.close()
    return current
  }

  /** Retires the connection, as other requests may still use it. */
  function forget(attempt: ConnectionAttempt): void {
    if (current !== attempt) return
    current = undefined
    attempt.connection.then((connection) => connection.retire()).catch(() => undefined)
  }

  async function use<T>(act: (client: Client) => Promise<T>): Promise<T> {
    const attempt = connected()
    const connection = await attempt.connection
    try {
      return await act(connection)
    } catch (error) {
      const keyRefused = error instanceof MediaError && error.code === 6502
      if (!keyRefused && !isUnreachable(error)) throw error
      forget(attempt)
    }
    return act(await connected().connection)
  }

  return {
    call: (route, request) => use((client) => client.call(route, request)),
    send: (request) => use((client) => client.send(request)),
    async openEvents() {
      const attempt = await found()
      try {
        return await (await attempt.connection).openEvents()
      } catch (error) {
        // After any error, the next attempt locates the service again.
        forget(attempt)
        throw error
      }
    },
    async close() {
      const attempt = current
      current = undefined
      await attempt?.connection.then((connection) => connection.close()).catch(() => undefined)
    },
  }
}
