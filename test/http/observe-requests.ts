import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What the HTTP servers of this process did with requests, those included to which Node itself responds. */
export interface ObservedRequests {
  /** Parsed requests. */
  count: number
  /** Most requests of one connection that were parsed and had no complete response. */
  mostUnfinished: number
  /** Most requests of one connection that were parsed in one turn of the event loop. */
  mostInTurn: number
}

interface RequestMessage {
  readonly request: IncomingMessage
  readonly server: Server
}

/** Observes the requests to one port until the test ends. */
export function observeRequests(port: number): ObservedRequests {
  const seen: ObservedRequests = { count: 0, mostUnfinished: 0, mostInTurn: 0 }
  const unfinished = new Map<Socket, number>()
  let inTurn = new Map<Socket, number>()
  let turn = setImmediate(function next() {
    inTurn = new Map()
    turn = setImmediate(next)
  })
  const add = (counts: Map<Socket, number>, socket: Socket, change: number): number => {
    const count = (counts.get(socket) ?? 0) + change
    counts.set(socket, count)
    return count
  }
  const started = (message: unknown): void => {
    const { request, server } = message as RequestMessage
    const address = server.address()
    if (typeof address !== 'object' || address?.port !== port) return
    seen.count += 1
    seen.mostUnfinished = Math.max(seen.mostUnfinished, add(unfinished, request.socket, 1))
    seen.mostInTurn = Math.max(seen.mostInTurn, add(inTurn, request.socket, 1))
  }
  const finished = (message: unknown): void =>
    void add(unfinished, (message as RequestMessage).request.socket, -1)
  subscribe('http.server.request.start', started)
  subscribe('http.server.response.finish', finished)
  onTestFinished(() => {
    clearImmediate(turn)
    unsubscribe('http.server.request.start', started)
    unsubscribe('http.server.response.finish', finished)
  })
  return seen
}
