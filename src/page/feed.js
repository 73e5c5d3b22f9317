/**
 * @import { TaskEvent, TaskRecord } from '../contract/task.ts'
 * @import { Api, Failure } from './api.js'
 */
import { addressOf } from './api.js'

/** Waits before the page connects again, ms: the first, and the longest of those that double. */
const firstWait = 500
const longestWait = 15_000

/**
 * What a follower is told.
 *
 * @typedef {object} Follower
 * @property {(task: TaskRecord) => void} changed a task came to a state
 * @property {(task: TaskRecord) => void} progressed
 * @property {() => void} missed something may have changed that is not told of: look anew
 * @property {() => void} connected
 * @property {(why?: Failure) => void} disconnected told again with each attempt that fails
 */

/**
 * Follows all tasks, connecting again as long as it takes; what changed meanwhile is told then, by the
 * number of the last event that was heard.
 */
export class Feed {
  #api
  #follower
  /** @type {number | undefined} */
  #reached
  #wait = firstWait
  /** @type {WebSocket | undefined} */
  #socket
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #ended = new AbortController()

  /**
   * @param {Api} api
   * @param {Follower} follower
   */
  constructor(api, follower) {
    this.#api = api
    this.#follower = follower
    const { signal } = this.#ended
    addEventListener('online', () => this.#wake(), { signal })
    document.addEventListener('visibilitychange', () => this.#wake(), { signal })
    void this.#connect()
  }

  end() {
    this.#ended.abort()
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  async #connect() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      const address = addressOf('/task/events')
      address.searchParams.set('ticket', await this.#api.eventTicket())
      address.protocol = address.protocol.replace('http', 'ws')
      if (!this.#ended.signal.aborted) this.#open(address)
    } catch (error) {
      this.#later(/** @type {Failure} */ (error))
    }
  }

  /** @param {URL} address */
  #open(address) {
    const socket = new WebSocket(address)
    this.#socket = socket
    const wish = { action: 'subscribe', all: true, after: this.#reached }
    socket.addEventListener('open', () => socket.send(JSON.stringify(wish)))
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(data)))
    socket.addEventListener('close', () => this.#later())
  }

  /** @param {TaskEvent} event */
  #hear(event) {
    if (event.event === 'error') return this.#socket?.close()
    if (event.event === 'progress') return this.#follower.progressed(event.task)
    const expected = this.#reached
    this.#reached = event.seq
    if (event.event === 'status') return this.#follower.changed(event.task)
    this.#wait = firstWait
    this.#follower.connected()
    // Another number than asked for: what came between is no longer kept, or was never heard.
    if (event.seq !== expected) this.#follower.missed()
  }

  /** @param {Failure} [why] */
  #later(why) {
    if (this.#ended.signal.aborted) return
    this.#follower.disconnected(why)
    this.#timer = setTimeout(() => this.#connect(), this.#wait)
    this.#wait = Math.min(longestWait, this.#wait * 2)
  }

  /** A machine that slept may not know yet that its connection is gone. */
  #wake() {
    if (document.hidden) return
    if (this.#timer === undefined) this.#follower.missed()
    else void this.#connect()
  }
}
