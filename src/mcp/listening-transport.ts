import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { rejectTaskListening } from './task-extension.ts'

interface ListenObserver {
  /** A modern client subscribes to something. */
  listens(): void
  /** The client has gone. */
  closed(): void
}

/**
 * Passes everything through and tells when a modern client subscribes to resources: the SDK answers
 * `subscriptions/listen` by itself and does not say which resources are wanted. What it does not know to
 * refuse is refused here.
 */
export class ListenObservingTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #inner: Transport
  readonly #notice: ListenObserver

  constructor(inner: Transport, notice: ListenObserver) {
    this.#inner = inner
    this.#notice = notice
  }

  start(): Promise<void> {
    const handlers: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => {
        this.onclose?.()
        this.#notice.closed()
      },
      onerror: (error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => {
        const refused = rejectTaskListening(message)
        if (refused) {
          this.#inner.send(refused).catch((error: Error) => this.onerror?.(error))
          return
        }
        if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') this.#notice.listens()
        this.onmessage?.(message)
      },
    }
    Object.assign(this.#inner, handlers)
    return this.#inner.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
