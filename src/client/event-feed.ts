import type { WebSocket } from 'undici'
import { taskEvent } from '../contract/task.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { exponentialDelay } from '../platform/retry.ts'
import type { Client } from './client.ts'
import type { TaskChangeFeed, TaskRef } from './tasks.ts'

const reconnectDelay = { firstMs: 500, jitter: 0 }

/** Task events of the account over one socket. Open while it has listeners; reconnects when the socket breaks. */
export class EventFeed implements TaskChangeFeed, Disposable {
  readonly #client: Client
  readonly #listeners = new Set<(task: TaskRef | null) => void>()
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #connecting = false
  #failures = 0
  #lastSeq: number | undefined

  constructor(client: Client) {
    this.#client = client
  }

  follow(listener: (task: TaskRef | null) => void): () => void {
    // A separate function, so that the same listener may be added twice.
    const entry = (task: TaskRef | null): void => listener(task)
    this.#listeners.add(entry)
    if (!this.#socket && !this.#connecting) void this.#connect()
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.#disconnect()
    }
  }

  [Symbol.dispose](): void {
    this.#listeners.clear()
    this.#disconnect()
  }

  #disconnect(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#socket?.close()
    this.#socket = undefined
  }

  async #connect(): Promise<void> {
    this.#connecting = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    const socket = await this.#client.openEvents().catch(() => undefined)
    this.#connecting = false
    if (this.#listeners.size === 0) {
      socket?.close()
    } else if (socket) {
      this.#attach(socket)
    } else {
      this.#reconnectLater()
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      // A replaced socket may still deliver messages.
      if (this.#socket === socket) this.#receive(data)
    })
    // A broken socket emits `error` and then `close`.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      if (this.#listeners.size > 0) this.#reconnectLater()
    })
    socket.send(JSON.stringify({ action: 'subscribe', all: true, after: this.#lastSeq }))
  }

  #reconnectLater(): void {
    this.#failures += 1
    const delay = exponentialDelay(this.#failures, reconnectDelay)
    this.#timer = setTimeout(() => void this.#connect(), delay).unref()
  }

  #receive(data: unknown): void {
    const event = taskEvent.safeParse(typeof data === 'string' ? parseJson(data) : undefined)
    if (!event.success) return
    // The subscription has ended: reconnect and resume from the last number.
    if (event.data.event === 'error') return this.#socket?.close()
    this.#failures = 0
    const missed = event.data.event === 'status' && this.#lastSeq !== event.data.seq - 1
    if (event.data.event !== 'progress') this.#lastSeq = event.data.seq
    const task = missed ? null : event.data.task
    for (const listener of this.#listeners) listener(task)
  }
}
