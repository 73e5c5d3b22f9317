import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/**
 * Runs an action that connects to a server of this process. Returns its result, and the server's side of the first
 * connection.
 */
export async function withServerSocket<T>(action: () => Promise<T>): Promise<[T, Socket]> {
  const accepted = Promise.withResolvers<Socket>()
  const listener = (message: unknown) => accepted.resolve((message as { socket: Socket }).socket)
  subscribe('net.server.socket', listener)
  try {
    return [await action(), await accepted.promise]
  } finally {
    unsubscribe('net.server.socket', listener)
  }
}
