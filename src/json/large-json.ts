import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type JsonLimits, parseJsonBytes } from '../contract/bounded-json.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import { startThread } from '../platform/runtime.ts'
import { type ErrorReply, fromErrorReply } from './error-reply.ts'
import { type TransferStep, ValueBuilder } from './transfer.ts'

/** Text of this size and less is parsed at once, bytes. */
const maxBytesAtOnce = 2 ** 20

/** What the thread is to parse. */
export interface ParseJob {
  readonly bytes: Uint8Array
  readonly name: string
  readonly limits: JsonLimits
}

/** Reply of the thread to a job, or to a request for the next step. */
export type ParseReply =
  | { readonly kind: 'step'; readonly step: TransferStep }
  | { readonly kind: 'end' }
  | ErrorReply

/** One large text at a time: each takes a processor and several times its size in memory. */
const oneAtATime = limitConcurrency(1)

/**
 * Parses foreign JSON in UTF-8 as `parseJsonBytes` does, and throws the same errors. Text above 1 MiB is parsed in a
 * thread, which takes over the memory of `bytes`, and returned in steps, so that this thread is never blocked for long.
 */
export async function parseForeignJson(bytes: Buffer, name: string, limits: JsonLimits): Promise<unknown> {
  if (bytes.length <= maxBytesAtOnce) return parseJsonBytes(bytes, name, limits)
  return await oneAtATime(() => parseInThread({ bytes, name, limits }))
}

async function parseInThread(job: ParseJob): Promise<unknown> {
  const thread = startThread(new URL('./parse-thread', import.meta.url), {})
  const value = new ValueBuilder()
  try {
    // Rejects when the thread fails.
    let replied = once(thread, 'message')
    thread.postMessage(job, job.bytes.buffer instanceof ArrayBuffer ? [job.bytes.buffer] : [])
    for (;;) {
      const [reply] = (await replied) as [ParseReply]
      if (reply.kind === 'error') throw fromErrorReply(reply)
      if (reply.kind === 'end') return value.value
      value.apply(reply.step)
      await nextTurn()
      replied = once(thread, 'message')
      thread.postMessage(null, [])
    }
  } finally {
    await thread.terminate()
  }
}
