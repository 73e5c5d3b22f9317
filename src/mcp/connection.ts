import type { Client } from '../client/client.ts'
import { isUnreachable } from '../client/unreachable.ts'
import { MediaError } from '../contract/errors.ts'

/**
 * A client that connects at first use and, where the service is gone or changed its key (the local
 * daemon ends when idle and starts anew elsewhere), connects again and repeats the request once.
 */
export function reconnecting(connect: () => Promise<Client>): Client {
  let current: Promise<Client> | undefined

  function connected(): Promise<Client> {
    const attempt = (current ??= connect())
    attempt.catch(() => forget(attempt))
    return attempt
  }

  function forget(attempt: Promise<Client>): void {
    if (current === attempt) current = undefined
  }

  async function use<T>(act: (client: Client) => Promise<T>): Promise<T> {
    const attempt = connected()
    const client = await attempt
    try {
      return await act(client)
    } catch (error) {
      const keyRefused = error instanceof MediaError && error.code === 6502
      if (!keyRefused && !isUnreachable(error)) throw error
      forget(attempt)
    }
    return act(await connected())
  }

  return {
    call: (route, request) => use((client) => client.call(route, request)),
    send: (request) => use((client) => client.send(request)),
    openEvents: () => use((client) => client.openEvents()),
    async close() {
      const attempt = current
      current = undefined
      await attempt?.then((client) => client.close()).catch(() => undefined)
    },
  }
}
