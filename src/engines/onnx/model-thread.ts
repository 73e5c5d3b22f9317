import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { InferenceSession } from 'onnxruntime-node'
import type { OnnxRuntime } from './session.ts'

/** Data passed to a model thread: paths of the installed model and runtime. */
export interface ModelThreadData {
  readonly model: string
  readonly runtime: string
}

/** Reply to a request: the result, or the error. */
export type ModelReply<Answer> = { readonly answer: Answer } | { readonly error: unknown }

/** Processes one request with the model. */
export type ModelTask<Thing, Answer> = (
  thing: Thing,
  model: { readonly onnx: OnnxRuntime; readonly session: InferenceSession },
) => Promise<Answer>

/** Serves requests to this thread until it receives null. */
export function serveModel<Thing, Answer>(
  work: ModelTask<Thing, Answer>,
  options: InferenceSession.SessionOptions = {},
): void {
  const { model, runtime } = workerData as ModelThreadData
  // Loaded directly: the pack code takes longer to load than one inference.
  const onnx = createRequire(join(runtime, 'engine.cjs'))('onnxruntime-node') as OnnxRuntime
  // One core per thread: threads that share an inference wait for each other.
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
  // The engine is native: terminating the thread while it runs crashes the process.
  const end = async (): Promise<void> => {
    await opened.then((session) => session.release()).catch(() => {})
    parentPort?.close()
  }
  parentPort?.on('message', (sent: { readonly thing: Thing } | null) => {
    void (sent === null ? end() : answer(sent.thing))
  })
}
