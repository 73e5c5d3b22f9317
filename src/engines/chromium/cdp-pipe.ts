import type { Readable, Writable } from 'node:stream'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'
import { BrowserFailure } from './browser-failure.ts'

type Commands = ProtocolMapping.Commands
type Events = ProtocolMapping.Events

/** Name of a DevTools method. */
export type Method = keyof Commands

/** Result of a DevTools method. */
export type MethodResult<M extends Method> = Commands[M]['returnType']

export type MethodParams = Readonly<Record<string, unknown>>

interface PendingCall {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface ProtocolMessage {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: unknown
}

/** Bytes of one message. An incompressible picture of 4096 x 4096 pixels takes 86 MiB in base64. */
const maxMessageBytes = 128 * 2 ** 20

/**
 * The DevTools protocol over a browser's pipe: JSON messages, each ended by a zero byte. No port is opened, so no other
 * program of the machine can control the browser, and the browser exits when the pipe closes.
 */
export class CdpPipe {
  readonly #write: Writable
  readonly #read: Readable
  readonly #pending = new Map<number, PendingCall>()
  readonly #listeners = new Map<string, (params: unknown) => void>()
  #lastId = 0
  #ended: Error | undefined

  constructor(write: Writable, read: Readable, longest = maxMessageBytes) {
    this.#write = write
    this.#read = read
    let chunks: Buffer[] = []
    let bytes = 0
    read.on('data', (chunk: Buffer) => {
      if (this.#ended) return
      let from = 0
      for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
        chunks.push(chunk.subarray(from, end))
        this.#parse(Buffer.concat(chunks))
        chunks = []
        bytes = 0
        from = end + 1
      }
      if (from < chunk.length) chunks.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes <= longest) return
      chunks = []
      this.end(new BrowserFailure('memory'))
    })
    // The exit of the process is a better error than a broken pipe.
    for (const stream of [write, read]) stream.on('error', () => undefined)
  }

  /** Calls a method of a session or of the browser. Rejects with `ProtocolError`, or with the reason given to `end`. */
  call<M extends Method>(method: M, params: MethodParams = {}, sessionId?: string): Promise<MethodResult<M>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended)
        return
      }
      this.#pending.set(id, { resolve: (result) => resolve(result as MethodResult<M>), reject })
      this.#write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  }

  /** Sets the listener of an event and replaces an earlier one. */
  on<E extends keyof Events>(event: E, listener: (params: Events[E][0]) => void): void {
    this.#listeners.set(event, (params) => listener(params as Events[E][0]))
  }

  /** Rejects all pending and future calls with this reason; only the first reason counts. */
  end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }

  /** Closes the pipe, upon which the browser exits. */
  close(): void {
    this.#write.destroy()
    this.#read.destroy()
  }

  /** A message that cannot be parsed ends the pipe, not this process. */
  #parse(message: Buffer): void {
    try {
      this.#dispatch(JSON.parse(message.toString('utf8')) as ProtocolMessage)
    } catch {
      this.end(new BrowserFailure('crash'))
    }
  }

  #dispatch({ id, result, error, method, params }: ProtocolMessage): void {
    if (method !== undefined) this.#listeners.get(method)?.(params)
    if (id === undefined) return
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error) pending?.reject(new ProtocolError(error.message))
    else pending?.resolve(result)
  }
}

/** The browser rejected a call, or the page's player returned an invalid result. Handled within this folder. */
export class ProtocolError extends Error {}
