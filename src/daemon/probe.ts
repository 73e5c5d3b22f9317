import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { rawRoutes, routes } from '../contract/routes.ts'
import { verifyProof } from '../platform/hosting.ts'
import { readAtMost } from '../platform/streams.ts'
import { parseJson } from '../contract/bounded-json.ts'
import type { DaemonRecord } from './record.ts'

/** How long a daemon may take to respond, ms; another program on its port may never respond. */
const responseTimeoutMs = 2000
const maxResponseBytes = 64 * 1024

/** Importing the module would also load Node's fetch, which takes longer than these requests. */
const { request } = process.getBuiltinModule('node:http')

const health = z.object({ instance: z.string(), proof: z.string() })

/** Whether the recorded daemon responds on its port and proves that it knows the key, which is not sent. */
export async function isDaemonResponding(record: DaemonRecord): Promise<boolean> {
  if (record.port === 0) return false
  const { key, instance } = record
  const nonce = randomBytes(16).toString('hex')
  const answer = await sendLocalRequest(record.port, {
    method: 'GET',
    path: `${rawRoutes.health.path}?nonce=${nonce}`,
  })
  if (answer?.status !== 200) return false
  const response = health.safeParse(answer.json).data
  return response?.instance === instance && verifyProof(response.proof, { key, nonce, instance })
}

/** Asks a verified daemon to exit. Returns false if it has work and stays; true also if it has already exited. */
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
  /** Undefined if the body is not JSON. */
  readonly json: unknown
}

/** Sends one request to this machine without following redirects; null on timeout, invalid HTTP or an oversized body. */
async function sendLocalRequest(port: number, question: LocalRequest): Promise<LocalResponse | null> {
  const signal = AbortSignal.timeout(responseTimeoutMs)
  const sent = request({ host: '127.0.0.1', port, agent: false, signal, ...question })
  // An abort after the response head would otherwise be an unhandled error.
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
