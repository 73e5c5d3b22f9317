import type { FastifyInstance } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { healthResponse, type HostProcess } from '../platform/hosting.ts'
import { success } from './failures.ts'
import { read } from './parameters.ts'

/** `GET /health` proves who answers; `POST /daemon/exit` makes room for a newer version. */
export function daemonRoutes(app: FastifyInstance, host: HostProcess): void {
  app.get(rawRoutes.health.path, async (request) => {
    const { nonce } = read(rawRoutes.health.query, request.query)
    return healthResponse(host, nonce)
  })
  app.post(routes.exitDaemon.path, async () => {
    if (await host.exitIfIdle()) return success('')
    throw new MediaError(6007, 'there is work to do', { hint: 'Wait until it is done.' })
  })
}
