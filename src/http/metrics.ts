import type { FastifyInstance } from 'fastify'
import { rawRoutes } from '../contract/routes.ts'
import { metricsMediaType } from '../platform/metrics.ts'
import type { Service } from '../tasks/service.ts'

/** `GET /metrics`: how the service does, in Prometheus's text format. */
export function metricsRoutes(app: FastifyInstance, { metrics }: Service): void {
  metrics.read({ name: 'reelwright_event_sockets', help: 'Open event sockets.' }, () => [
    { value: app.websocketServer.clients.size },
  ])
  app.get(rawRoutes.metrics.path, async (_, reply) => reply.type(metricsMediaType).send(await metrics.text()))
}
