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
export type ModelReply<Result> = { readonly result: Result } | { readonly error: unknown }

/** Processes one request with the model. */
export type ModelTask<Request, Result> = (
  request: Request,
  model: { readonly onnx: OnnxRuntime; readonly session: InferenceSession },
) => Promise<Result>

/** Serves requests to this thread until it receives null. */
export function serveModel<Request, Result>(
  work: ModelTask<Request, Result>,
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
  const respond = async (request: Request): Promise<void> => {
    const reply = await opened
      .then((session) => work(request, { onnx, session }))
      .then(
        (done): ModelReply<Result> => ({ result: done }),
        (error: unknown): ModelReply<Result> => ({ error }),
      )
    parentPort?.postMessage(reply, [])
  }
  // The engine is native: terminating the thread while it runs crashes the process.
  const end = async (): Promise<void> => {
    await opened.then((session) => session.release()).catch(() => {})
    parentPort?.close()
  }
  parentPort?.on('message', (sent: { readonly request: Request } | null) => {
    void (sent === null ? end() : respond(sent.request))
  })
}
