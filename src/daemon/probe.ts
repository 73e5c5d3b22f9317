import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { rawRoutes, routes } from '../contract/routes.ts'
import { verifyProof } from '../platform/hosting.ts'
import { readAtMost } from '../platform/streams.ts'
import { parseJson } from '../platform/text-formats.ts'
import type { DaemonRecord } from './record.ts'

/** How long a daemon may take to answer, in ms; a stranger on its port may never. */
const responseTimeoutMs = 2000
const maxResponseBytes = 64 * 1024

/** An import of the module loads Node's fetch with it, which takes longer than all that is asked here. */
const { request } = process.getBuiltinModule('node:http')

const health = z.object({ instance: z.string(), proof: z.string() })

/** Tells whether the recorded daemon answers on its port and knows the key, without telling the key. */
export async function isDaemonResponding(record: DaemonRecord): Promise<boolean> {
  if (record.port === 0) return false
  const { key, instance } = record
  const nonce = randomBytes(16).toString('hex')
  const answer = await sendLocalRequest(record.port, {
    method: 'GET',
    path: `${rawRoutes.health.path}?nonce=${nonce}`,
  })
  if (answer?.status !== 200) return false
  const said = health.safeParse(answer.json).data
  return said?.instance === instance && verifyProof(said.proof, { key, nonce, instance })
}

/** Asks a proven daemon to leave; false when it has work and stays, true also when it is gone by now. */
export async function requestDaemonExit({ port, key }: DaemonRecord): Promise<boolean> {
  const answer = await sendLocalRequest(port, {
    method: routes.exitDaemon.method,
    path: routes.exitDaemon.path,
    headers: { authorization: key, 'content-length': 0 },
  })
  return answer === null || answer.status === 200
}

interface LocalRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string | number>
}

interface LocalResponse {
  readonly status: number
  /** Undefined when the body was no JSON. */
  readonly json: unknown
}

/** One request to this machine, following nothing; null for silence, for what is not HTTP and for too much of it. */
async function sendLocalRequest(port: number, question: LocalRequest): Promise<LocalResponse | null> {
  const signal = AbortSignal.timeout(responseTimeoutMs)
  const sent = request({ host: '127.0.0.1', port, agent: false, signal, ...question })
  // An abort after the answer's head has nobody else to tell.
  sent.on('error', () => undefined)
  sent.end()
  try {
    const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage]
    const body = await readAtMost(response, maxResponseBytes)
    return { status: response.statusCode ?? 0, json: parseJson(body.toString()) }
  } catch {
    return null
  } finally {
    sent.destroy()
  }
}
