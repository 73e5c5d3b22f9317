import type { FastifyInstance } from 'fastify'
import { listLedgerEntries } from '../accounts/ledger.ts'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { healthResponse, type HostProcess } from '../platform/hosting.ts'
import { metricsMediaType } from '../platform/metrics.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { parseParameters } from './request-input.ts'
import { success } from './responses.ts'

/** `GET /health` proves the identity of the service; `POST /daemon/exit` stops an idle one for a newer version. */
export function registerDaemonRoutes(app: FastifyInstance, host: HostProcess): void {
  app.get(rawRoutes.health.path, async (request) => {
    const { nonce } = parseParameters(rawRoutes.health.query, request.query)
    return healthResponse(host, nonce)
  })
  app.post(routes.exitDaemon.path, async () => {
    if (await host.exitIfIdle()) return success('')
    throw new MediaError(6007, 'the service has work to do', {
      hint: 'Wait until its tasks and uploads have ended.',
    })
  })
}

/** `GET /metrics`: metrics in Prometheus's text format. */
export function registerMetricsRoutes(app: FastifyInstance, { metrics }: Service): void {
  metrics.read({ name: 'reelwright_event_sockets', help: 'Open event sockets.' }, () => [
    { value: app.websocketServer.clients.size },
  ])
  app.get(rawRoutes.metrics.path, async (_, reply) => reply.type(metricsMediaType).send(await metrics.text()))
}

/** Lists the caller's ledger entries. */
export function registerLedgerRoutes(app: FastifyInstance, { db }: Service): void {
  app.get(routes.listLedger.path, async (request) => {
    const query = parseParameters(routes.listLedger.query, request.query)
    return success(await listLedgerEntries(db, authenticatedCaller(request).accountId, query))
  })
}
