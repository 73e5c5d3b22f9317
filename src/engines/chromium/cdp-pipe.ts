import type { Readable, Writable } from 'node:stream'
import { BrowserFailure } from './browser-failure.ts'

/** Answers of the calls that are made here, of the DevTools protocol's; those of others are not looked at. */
interface Answers {
  'Browser.getVersion': { readonly product: string }
  'Target.createTarget': { readonly targetId: string }
  'Target.attachToTarget': { readonly sessionId: string }
  'Page.getFrameTree': { readonly frameTree: { readonly frame: { readonly id: string } } }
  'Page.captureScreenshot': { readonly data: string }
  /** `cpuTime` in seconds since the process began. */
  'SystemInfo.getProcessInfo': { readonly processInfo: readonly { readonly cpuTime: number }[] }
  'HeadlessExperimental.beginFrame': { readonly screenshotData?: string }
  'Runtime.evaluate': Evaluated
  'Runtime.callFunctionOn': Evaluated
}

interface Evaluated {
  readonly result: { readonly value?: unknown; readonly objectId?: string }
  readonly exceptionDetails?: {
    readonly text: string
    readonly exception?: { readonly description?: string }
  }
}

/** What the browser tells unasked, as far as it is listened to. */
interface Events {
  'Inspector.targetCrashed': object
  'Page.frameAttached': { readonly frameId: string; readonly parentFrameId: string }
  'Page.frameRequestedNavigation': { readonly frameId: string; readonly url: string }
  'Runtime.executionContextCreated': {
    readonly context: {
      readonly id: number
      readonly auxData: { readonly frameId: string; readonly isDefault: boolean }
    }
  }
  'Network.requestWillBeSent': {
    readonly frameId?: string
    readonly request: { readonly url: string }
  }
  'Fetch.requestPaused': {
    readonly requestId: string
    readonly frameId: string
    readonly request: { readonly url: string }
  }
}

export type Method = keyof Answers | (string & {})
export type AnswerOf<M extends Method> = M extends keyof Answers ? Answers[M] : unknown
export type Parameters = Readonly<Record<string, unknown>>

interface PendingCall {
  resolve(answer: unknown): void
  reject(error: Error): void
}

interface ProtocolMessage {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: unknown
}

/** Bytes of one message: a picture of 4096 x 4096 pixels, in base64, that nothing could compress, is 86 MiB. */
const maxMessageBytes = 128 * 2 ** 20

/**
 * The DevTools protocol over a browser's pipe: JSON, each message ended by a zero byte. Nothing listens on a
 * port, so that no other program of the machine can drive the browser, and it ends when the pipe does.
 */
export class CdpPipe {
  readonly #write: Writable
  readonly #read: Readable
  readonly #waiting = new Map<number, PendingCall>()
  readonly #listeners = new Map<string, (params: unknown) => void>()
  #last = 0
  #ended: Error | undefined

  constructor(write: Writable, read: Readable, longest = maxMessageBytes) {
    this.#write = write
    this.#read = read
    let pieces: Buffer[] = []
    let bytes = 0
    read.on('data', (chunk: Buffer) => {
      if (this.#ended) return
      let from = 0
      for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
        pieces.push(chunk.subarray(from, end))
        this.#understand(Buffer.concat(pieces))
        pieces = []
        bytes = 0
        from = end + 1
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes <= longest) return
      pieces = []
      this.end(new BrowserFailure('memory'))
    })
    // The end of the process tells more than a broken pipe.
    for (const stream of [write, read]) stream.on('error', () => undefined)
  }

  /** Calls a method, of a session or else of the browser; rejects with the browser's reason, or with that of `end`. */
  call<M extends Method>(method: M, params: Parameters = {}, sessionId?: string): Promise<AnswerOf<M>> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended)
        return
      }
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as AnswerOf<M>), reject })
      this.#write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  }

  /** Listens to an event; the last listener of each is the one that hears. */
  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): void {
    this.#listeners.set(event, (params) => listener(params as Events[E]))
  }

  /** Ends every call that waits, and those to come, with this reason; the first one holds. */
  end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }

  /** Closes the pipe, at which a browser ends by itself. */
  close(): void {
    this.#write.destroy()
    this.#read.destroy()
  }

  /** What cannot be understood ends the pipe, and not this process. */
  #understand(message: Buffer): void {
    try {
      this.#hear(JSON.parse(message.toString('utf8')) as ProtocolMessage)
    } catch {
      this.end(new BrowserFailure('crash'))
    }
  }

  #hear({ id, result, error, method, params }: ProtocolMessage): void {
    if (method !== undefined) this.#listeners.get(method)?.(params)
    if (id === undefined) return
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new ProtocolError(error.message))
    else waiting?.resolve(result)
  }
}

/** Why the browser refused a call; never leaves this folder. */
export class ProtocolError extends Error {}
