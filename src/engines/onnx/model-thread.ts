import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { InferenceSession } from 'onnxruntime-node'
import type { OnnxRuntime } from './session.ts'

/** What a thread is started with: where the model and what runs it lie, which are there. */
export interface ModelThreadData {
  readonly model: string
  readonly runtime: string
}

/** What a thread answers to a thing it was sent, or why there is no answer. */
export type ModelReply<Answer> = { readonly answer: Answer } | { readonly error: unknown }

/** How a thing is worked on. */
export type ModelTask<Thing, Answer> = (
  thing: Thing,
  model: { readonly onnx: OnnxRuntime; readonly session: InferenceSession },
) => Promise<Answer>

/** Works on whatever this thread is sent, until it is sent nothing. */
export function serveModel<Thing, Answer>(
  work: ModelTask<Thing, Answer>,
  options: InferenceSession.SessionOptions = {},
): void {
  const { model, runtime } = workerData as ModelThreadData
  // Not by way of the packs, whose downloads take longer to load than a picture to look at.
  const onnx = createRequire(join(runtime, 'engine.cjs'))('onnxruntime-node') as OnnxRuntime
  // One core for each thread: cores that share a thing wait for each other.
  const opened = onnx.InferenceSession.create(model, {
    ...{ intraOpNumThreads: 1, interOpNumThreads: 1 },
    ...options,
  })
  const answer = async (thing: Thing): Promise<void> => {
    const told = await opened
      .then((session) => work(thing, { onnx, session }))
      .then(
        (done): ModelReply<Answer> => ({ answer: done }),
        (error: unknown): ModelReply<Answer> => ({ error }),
      )
    parentPort?.postMessage(told, [])
  }
  // The engine is native: a thread that is ended from outside while it works takes the process with it.
  const end = async (): Promise<void> => {
    await opened.then((session) => session.release()).catch(() => {})
    parentPort?.close()
  }
  parentPort?.on('message', (sent: { readonly thing: Thing } | null) => {
    void (sent === null ? end() : answer(sent.thing))
  })
}
