import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, systemClock } from './clock.ts'

/** How long a client may read nothing while data for it waits, ms; as long as nginx's `send_timeout`. */
const defaultTimeoutMs = 60_000

/** Lowest rate at which a client must read one large write in addition, bytes per ms. */
const minReadRate = 16

/** Checks of all connections within the timeout. */
const checksPerTimeout = 4

/** Options of `closeUnreadConnections`. */
export interface UnreadConnectionOptions {
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
}

/** A write that waits for its client, and when the client was last known to read, ms since 1970. */
interface Progress {
  written: number
  at: number
}

/**
 * Closes connections of a server whose client does not read: no write to them has completed within the timeout, plus
 * a second for each 16 KB that wait, because one write may be that large. Connections to which nothing is written, and
 * slow clients that read, stay open. Ends with the server.
 */
export function closeUnreadConnections(
  server: Server,
  { timeoutMs = defaultTimeoutMs, clock = systemClock }: UnreadConnectionOptions = {},
): void {
  const open = new Map<Socket, Progress>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, { written: 0, at: clock.now() })
    socket.once('close', () => open.delete(socket))
  })
  const check = (): void => {
    const now = clock.now()
    for (const [socket, progress] of open) {
      const waiting = socket.writableLength
      const written = socket.bytesWritten - waiting
      if (waiting === 0 || written !== progress.written) Object.assign(progress, { written, at: now })
      else if (now - progress.at >= timeoutMs + waiting / minReadRate) socket.destroy()
    }
    cancel = clock.after(timeoutMs / checksPerTimeout, check)
  }
  let cancel = clock.after(timeoutMs / checksPerTimeout, check)
  server.once('close', () => cancel())
}
