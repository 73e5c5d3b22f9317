import type { Client, Connection } from '../client/client.ts'
import { isUnreachable } from '../client/response.ts'
import { MediaError } from '../contract/errors.ts'

/** Ways to reach the service. */
export interface ServiceConnector {
  /** Connects to the local daemon, started when needed, or to a remote service. */
  readonly connect: () => Promise<Connection>
  /** Connects to a service that runs, null where none does; left out where `connect` starts none either. */
  readonly find?: () => Promise<Connection | null>
}

/** A connection that is there or being made. */
interface ConnectionAttempt {
  readonly connection: Promise<Connection>
}

/**
 * A client that connects at first use and, where the service is gone or changed its key (the local
 * daemon ends when idle and starts anew elsewhere), connects again and repeats the request once.
 * Events are news of a service that runs: for them none is started.
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
    if (!connection) throw new MediaError(6401, 'The media service does not run')
    if (!current) return (current = { connection: Promise.resolve(connection) })
    // A call was faster.
    await connection.close()
    return current
  }

  /** Others may still have requests under way on it. */
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
        // Whatever it was: the next attempt looks where the service is by then.
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
