import { EventEmitter } from 'node:events'
import type { TaskEvent } from '../contract/task.ts'

interface Published {
  readonly accountId: number
  readonly event: Extract<TaskEvent, { event: 'status' | 'progress' }>
}

/** What happened to tasks, told in this process after the commit. */
export class TaskEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  publish(accountId: number, event: Published['event']): void {
    this.#emitter.emit('event', { accountId, event } satisfies Published)
  }

  /** Tells that a task has ended. */
  end(taskId: string): void {
    this.#emitter.emit(`end of ${taskId}`)
  }

  /** Aborted when a task ends, whoever ends it. */
  watchEnd(taskId: string): Disposable & { readonly signal: AbortSignal } {
    const end = new AbortController()
    const tell = () => end.abort()
    this.#emitter.once(`end of ${taskId}`, tell)
    return { signal: end.signal, [Symbol.dispose]: () => this.#emitter.off(`end of ${taskId}`, tell) }
  }

  /** Calls the listener for every event of one account until the returned function is called. */
  follow(accountId: number, listener: (event: Published['event']) => void): () => void {
    const filtered = (published: Published): void => {
      if (published.accountId === accountId) listener(published.event)
    }
    this.#emitter.on('event', filtered)
    return () => this.#emitter.off('event', filtered)
  }
}
