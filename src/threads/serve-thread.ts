import { parentPort } from 'node:worker_threads'
import { toErrorReply } from './error-reply.ts'
import type { ThreadReply } from './run-in-thread.ts'

/** Asks the thread that started this one, and returns its answer. */
export type AskStarter<Question> = (question: Question) => Promise<Uint8Array | null>

/**
 * Does the one job that `runInThread` sends to this thread. Reports the result or a `MediaError`; another error ends the
 * thread. For modules that are threads.
 */
export function serveThread(work: (job: never, ask: AskStarter<unknown>) => unknown): void {
  const reply = (message: ThreadReply) => parentPort?.postMessage(message, [])
  let receive: (message: Uint8Array | null) => void
  const ask: AskStarter<unknown> = async (question) => {
    const answer = new Promise<Uint8Array | null>((resolve) => (receive = resolve))
    reply({ kind: 'question', question })
    return await answer
  }
  const serve = async (job: never): Promise<void> => {
    try {
      reply({ kind: 'result', result: await work(job, ask) })
    } catch (error) {
      reply(toErrorReply(error))
    }
  }
  let isStarted = false
  parentPort?.on('message', (message: unknown) => {
    if (isStarted) return receive(message as Uint8Array | null)
    isStarted = true
    void serve(message as never)
  })
}
