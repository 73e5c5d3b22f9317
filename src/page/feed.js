/**
 * @import { TaskEvent, TaskRecord } from '../contract/task.ts'
 * @import { Api, Failure } from './api.js'
 */
import { addressOf } from './api.js'

/** Delays before the page reconnects, ms: the first, which doubles with each attempt, and the longest. */
const firstDelay = 500
const longestDelay = 15_000

/**
 * Callbacks of a feed.
 *
 * @typedef {object} Follower
 * @property {(task: TaskRecord) => void} changed a task has a new state
 * @property {(task: TaskRecord) => void} progressed a task has made progress
 * @property {() => void} missed events may have been missed: reload
 * @property {() => void} connected
 * @property {(why?: Failure) => void} disconnected called for every failed attempt
 */

/**
 * Follows all tasks and reconnects until it is ended. After a reconnect the service sends the events
 * since the last number received.
 */
export class Feed {
  #api
  #follower
  /** @type {number | undefined} */
  #lastSeq
  #delay = firstDelay
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
      this.#reconnectLater(/** @type {Failure} */ (error))
    }
  }

  /** @param {URL} address */
  #open(address) {
    const socket = new WebSocket(address)
    this.#socket = socket
    const subscription = { action: 'subscribe', all: true, after: this.#lastSeq }
    socket.addEventListener('open', () => socket.send(JSON.stringify(subscription)))
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(data)))
    socket.addEventListener('close', () => this.#reconnectLater())
  }

  /** @param {TaskEvent} event */
  #receive(event) {
    if (event.event === 'error') return this.#socket?.close()
    if (event.event === 'progress') return this.#follower.progressed(event.task)
    const expected = this.#lastSeq
    this.#lastSeq = event.seq
    if (event.event === 'status') return this.#follower.changed(event.task)
    this.#delay = firstDelay
    this.#follower.connected()
    // Another number than requested: the events in between are no longer stored, or this is the first snapshot.
    if (event.seq !== expected) this.#follower.missed()
  }

  /** @param {Failure} [why] */
  #reconnectLater(why) {
    if (this.#ended.signal.aborted) return
    this.#follower.disconnected(why)
    this.#timer = setTimeout(() => this.#connect(), this.#delay)
    this.#delay = Math.min(longestDelay, this.#delay * 2)
  }

  /** After sleep, a machine may not have noticed yet that its connection is lost. */
  #wake() {
    if (document.hidden) return
    if (this.#timer === undefined) this.#follower.missed()
    else void this.#connect()
  }
}
