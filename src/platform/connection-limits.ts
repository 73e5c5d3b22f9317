import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  addressGroup,
  type ConnectionLimits,
  type ConnectionOwner,
  connectionToClose,
  defaultConnectionLimits,
  type OpenConnection,
} from './connection-choice.ts'
import { paceRequests } from './request-pacing.ts'
import { closeUnreadConnections, type UnreadConnectionOptions } from './unread-connections.ts'

/** How long a client may take to send the headers of a request, ms. */
export const headersTimeoutMs = 10_000

/** A request that was found to have a valid key or link. */
export interface AcceptedRequest {
  readonly raw: Pick<IncomingMessage, 'socket'>
  readonly owner: ConnectionOwner
  /** Whether the connection becomes an event socket, so that it runs until it closes. */
  readonly isUpgrade?: boolean
}

/** The open connections of a server. */
export interface LimitedConnections {
  /**
   * Assigns the connection of a request to its key or link. Returns false if they have too many connections: the
   * connection then stays without an owner, and gives way to others.
   */
  accept(request: AcceptedRequest): boolean
}

/** Options of `guardConnections`. */
export interface ConnectionGuardOptions {
  readonly limits?: ConnectionLimits | undefined
  /** When connections whose client does not read are closed. */
  readonly unread?: UnreadConnectionOptions | undefined
}

/**
 * Bounds what the connections of a server can use: their number (`limitConnections`), their requests (`paceRequests`),
 * and the time of unread responses (`closeUnreadConnections`).
 */
export function guardConnections(
  server: Server,
  { limits = defaultConnectionLimits, unread }: ConnectionGuardOptions = {},
): LimitedConnections {
  paceRequests(server)
  closeUnreadConnections(server, unread)
  return limitConnections(server, limits)
}

/** Keeps a server within its limits by closing connections: `connectionToClose` chooses which. */
export function limitConnections(server: Server, limits: ConnectionLimits): LimitedConnections {
  // The least recently active first.
  const open = new Map<Socket, LimitedConnection>()
  const touch = (connection: LimitedConnection): void => {
    if (open.delete(connection.socket)) open.set(connection.socket, connection)
  }
  const makeRoomFor = (newest: LimitedConnection): boolean => {
    const closing = connectionToClose([...open.values()], newest, limits)
    if (closing === newest) return false
    if (closing) {
      open.delete(closing.socket)
      closing.socket.destroy()
    }
    return true
  }
  server.on('connection', (socket: Socket) => {
    const connection = new LimitedConnection(socket)
    if (makeRoomFor(connection)) {
      open.set(socket, connection)
      socket.once('close', () => open.delete(socket))
    } else {
      socket.destroy()
    }
  })
  // Before the listener that handles the request.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket)
    if (!connection) return
    connection.requests += 1
    // Until its key is found valid.
    connection.owner = undefined
    touch(connection)
    response.once('close', () => {
      connection.requests -= 1
      touch(connection)
    })
  })
  return {
    accept({ raw, owner, isUpgrade = false }) {
      const connection = open.get(raw.socket)
      // It has closed.
      if (!connection) return true
      connection.owner = owner
      connection.isUpgraded = isUpgrade
      if (makeRoomFor(connection)) return true
      connection.owner = undefined
      return false
    },
  }
}

class LimitedConnection implements OpenConnection {
  readonly socket: Socket
  readonly address: string
  owner: ConnectionOwner | undefined
  /** Requests whose headers have arrived and whose response is not sent. */
  requests = 0
  isUpgraded = false

  constructor(socket: Socket) {
    this.socket = socket
    this.address = addressGroup(socket.remoteAddress ?? '')
  }

  get isRunning(): boolean {
    return this.requests > 0 || this.isUpgraded
  }
}
