import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { request } from 'undici'
import type { ApiResponse } from '../service/api.ts'
import { assertDocumented } from '../service/assert-documented.ts'

/** A response with its headers. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

interface SendRequestOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request with exactly these headers. Asserts that the response is documented. */
export async function sendRequest(url: string, options: SendRequestOptions = {}): Promise<RawAnswer> {
  const { method = 'GET' } = options
  const { statusCode: status, headers, body } = await request(url, { method, ...options })
  const bytes = Buffer.from(await body.bytes())
  const type = headers['content-type'] === undefined ? null : String(headers['content-type'])
  assertDocumented({
    method,
    path: url.slice(new URL(url).origin.length),
    status,
    type,
    body: bytes.toString(),
  })
  return { status, headers, bytes }
}

/** The envelope of a response. */
export function envelope<T = unknown>({ status, bytes }: RawAnswer): ApiResponse<T> {
  return { status, ...(JSON.parse(bytes.toString()) as Omit<ApiResponse<T>, 'status'>) }
}

/** One part of a multipart form. */
export interface Part {
  readonly field: string
  /** Without it, the part is a plain field. */
  readonly filename?: string
  readonly content: string | Buffer
}

export const formType = 'multipart/form-data; boundary=edge'

/** A multipart form as bytes, by default with its closing boundary. */
export function form(parts: readonly Part[], { closed = true } = {}): Buffer {
  const chunks = parts.flatMap(({ field, filename, content }) => [
    `--edge\r\nContent-Disposition: form-data; name="${field}"`,
    filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`,
    '\r\n\r\n',
    content,
    '\r\n',
  ])
  return Buffer.concat([...chunks, closed ? '--edge--\r\n' : ''].map((chunk) => Buffer.from(chunk)))
}

/** A TCP connection for requests that no regular client sends. */
export interface RawConnection extends Disposable {
  readonly socket: Socket
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>
  /** Received data once it matches, or when the connection closes. */
  waitForText(pattern: RegExp): Promise<string>
}

/** Connects to a service. */
export async function openConnection(baseUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  let more = Promise.withResolvers<void>()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    more.resolve()
    more = Promise.withResolvers<void>()
  })
  // Some tests cause connection errors.
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  return {
    socket,
    closed,
    async waitForText(pattern) {
      while (!pattern.test(text) && !socket.closed) await Promise.race([more.promise, closed])
      return text
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
