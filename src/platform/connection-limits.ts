import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to send the headers of a request, ms. */
export const headersTimeoutMs = 10_000

/** Limits of a server's open connections. */
export interface ConnectionLimits {
  readonly total: number
  /** From one address. Behind a proxy all connections have its address. */
  readonly perAddress: number
}

/** Limits by default: with files and child processes, less than the 1024 descriptors of many systems. */
export const defaultConnectionLimits: ConnectionLimits = { total: 400, perAddress: 200 }

interface Connection {
  readonly socket: Socket
  readonly address: string
  /** Requests whose headers have arrived and whose response is not sent. */
  requests: number
  /** Whether the latest request had a valid key. */
  isAuthenticated: boolean
}

/** The open connections of a server. */
export interface LimitedConnections {
  /** Marks the connection of a request with a valid key: it is not closed to make room for others. */
  authenticated(request: Pick<IncomingMessage, 'socket'>): void
}

/**
 * Keeps a server within its limits. A further connection closes the oldest one without a valid key: first of those
 * that wait for a request, which clients send at once and attackers withhold. Without one, the new connection closes.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): LimitedConnections {
  // In order of their arrival.
  const open = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    const connection = { socket, address: socket.remoteAddress ?? '', requests: 0, isAuthenticated: false }
    const others = [...open.values()]
    const fromSameAddress = others.filter(({ address }) => address === connection.address)
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    if (fromSameAddress.length >= limits.perAddress) closeOne(fromSameAddress, socket)
    else if (others.length >= limits.total) closeOne(others, socket)
  })
  // Before the listener that handles the request.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket)
    if (!connection) return
    connection.requests += 1
    // Until its key is found valid.
    connection.isAuthenticated = false
    response.once('close', () => (connection.requests -= 1))
  })
  return {
    authenticated({ socket }) {
      const connection = open.get(socket)
      if (connection) connection.isAuthenticated = true
    },
  }

  function closeOne(candidates: readonly Connection[], newest: Socket): void {
    const anonymous = candidates.filter(({ isAuthenticated }) => !isAuthenticated)
    const victim = anonymous.find(({ requests }) => requests === 0) ?? anonymous[0]
    const socket = victim?.socket ?? newest
    open.delete(socket)
    socket.destroy()
  }
}
