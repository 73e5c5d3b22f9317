import type { Socket } from 'node:net'
import type { Metrics, MetricReading } from '../platform/metrics.ts'

interface Moved {
  received: number
  sent: number
}

/** Counts the bytes of connections by the routes their requests go to, also of transfers under way. */
export interface Traffic {
  begin(socket: Socket, route: string): void
  end(socket: Socket, route: string): void
}

/** Measures traffic as it is on the wire, heads and frames included. */
export function measureTraffic(metrics: Metrics): Traffic {
  const byRoute = new Map<string, Moved>()
  const counted = new WeakMap<Socket, Moved>()
  const underWay = new Map<Socket, string>()

  /** Counts for a route what a connection moved since it was last counted. */
  const count = (socket: Socket, route: string): void => {
    const now = { received: socket.bytesRead, sent: socket.bytesWritten }
    const before = counted.get(socket) ?? { received: 0, sent: 0 }
    const total = byRoute.get(route) ?? { received: 0, sent: 0 }
    total.received += now.received - before.received
    total.sent += now.sent - before.sent
    counted.set(socket, now)
    byRoute.set(route, total)
  }
  const readings = (direction: keyof Moved) => (): MetricReading[] => {
    for (const [socket, route] of underWay) count(socket, route)
    return Array.from(byRoute, ([route, moved]) => ({ labels: { route }, value: moved[direction] }))
  }
  metrics.read(
    { name: 'reelwright_http_received_bytes_total', help: 'Bytes received by route.', type: 'counter' },
    readings('received'),
  )
  metrics.read(
    { name: 'reelwright_http_sent_bytes_total', help: 'Bytes sent by route.', type: 'counter' },
    readings('sent'),
  )
  return {
    begin: (socket, route) => void underWay.set(socket, route),
    end(socket, route) {
      count(socket, route)
      underWay.delete(socket)
    },
  }
}
