import { startThread } from '../platform/runtime.ts'
import { type ErrorReply, fromErrorReply } from './error-reply.ts'

/** Message of a thread: its result, or a question, after which it waits for the answer. */
export type ThreadReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'question'; readonly question: unknown }
  | ErrorReply

/** A piece of work for a thread of its own. */
export interface ThreadWork<Job> {
  /** URL of the thread's module, without its extension. The module calls `serveThread`. */
  readonly module: URL
  readonly job: Job
  /** Bytes in the job whose memory moves to the thread instead of being copied. They become unusable here. */
  readonly moved?: readonly Uint8Array[]
  /** Ends the thread; the work is rejected with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Answers a question of a thread. The memory of bytes as the answer moves to the thread. */
export type AnswerThread<Question> = (question: Question) => Promise<Uint8Array | null>

/**
 * Starts a thread, sends it a job and returns its result, as another thread would block this one. Rejects with the
 * thread's `MediaError`, with its bug, or with the error of `answer`.
 */
export async function runInThread<Result, Job, Question = never>(
  { module, job, moved = [], signal }: ThreadWork<Job>,
  answer: AnswerThread<Question> = async () => null,
): Promise<Result> {
  signal?.throwIfAborted()
  const thread = startThread(module, {})
  const ended = Promise.withResolvers<never>()
  // Handled by the race below, unless the thread ends while an answer is being prepared.
  ended.promise.catch(() => undefined)
  const abort = () => ended.reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  thread.once('error', ended.reject)
  thread.once('exit', () => ended.reject(new Error('a thread ended without a result')))
  const ask = async (message: unknown, transfer: readonly Uint8Array[]): Promise<ThreadReply> => {
    const replied = new Promise<ThreadReply>((resolve) => thread.once('message', resolve))
    thread.postMessage(message, transfer.flatMap(ownMemory))
    return await Promise.race([replied, ended.promise])
  }
  try {
    let reply = await ask(job, moved)
    while (reply.kind === 'question') {
      const answered = await answer(reply.question as Question)
      reply = await ask(answered, answered ? [answered] : [])
    }
    if (reply.kind === 'error') throw fromErrorReply(reply)
    return reply.result as Result
  } finally {
    signal?.removeEventListener('abort', abort)
    await thread.terminate()
  }
}

/** The memory of bytes, unless it contains others too: small buffers share theirs. */
function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}
