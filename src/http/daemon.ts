import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes } from '../contract/routes.ts'
import { healthAnswer } from '../platform/handshake.ts'
import { success } from './failures.ts'
import { read } from './parameters.ts'

/** What a service tells of the process it runs in. */
export interface DaemonSide {
  readonly version: string
  /** Names this run. */
  readonly instance: string
  /** The key by whose possession a client tells this service from an impostor on its port. */
  readonly key: string
  /** True when the process leaves, false when it has work. */
  readonly exitIfIdle: () => Promise<boolean>
}

const healthQuery = z.object({ nonce: z.string().max(200).default('') })

/** `GET /health` proves who answers; `POST /daemon/exit` makes room for a newer version. */
export function daemonRoutes(app: FastifyInstance, daemon: DaemonSide): void {
  app.get(rawRoutes.health.path, async (request) => {
    const { nonce } = read(healthQuery, request.query)
    return healthAnswer(daemon, nonce)
  })
  app.post('/daemon/exit', async () => {
    if (await daemon.exitIfIdle()) return success('')
    throw new MediaError(6007, 'there is work to do', { hint: 'Wait until it is done.' })
  })
}
