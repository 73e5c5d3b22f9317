import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import type { PackName } from '../packs/manifest.ts'
import { loadOnnxRuntime, type OnnxRuntime } from './load.ts'

type Values = runtime.InferenceSession.OnnxValueMapType

/** A model that is open. */
export interface Model extends AsyncDisposable {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  /** Runs it; 6402 where it cannot work on what it is given. */
  run(tensors: Readonly<Record<string, runtime.Tensor>>): Promise<Values>
}

/** Opens the model of a pack; 6401 where it, or what runs it, cannot be used. */
export async function openModel(pack: PackName, path: string, threads = 1): Promise<Model> {
  const onnx = await loadOnnxRuntime()
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  const session = await onnx.InferenceSession.create(path, options).catch((cause: unknown) => {
    throw new MediaError(6401, `the model ${pack} does not load: ${reasonOf(cause)}`, {
      cause,
      retryable: false,
      hint: 'See `reelwright models verify`; a model of your own must be the kind that its title tells.',
    })
  })
  return {
    onnx,
    session,
    run: (tensors) =>
      session.run(tensors).catch((cause: unknown) => {
        throw new MediaError(6402, `the model ${pack} does not run: ${reasonOf(cause)}`, {
          cause,
          retryable: false,
          hint: 'See `reelwright models verify`; a model of your own must be the kind that its title tells.',
        })
      }),
    [Symbol.asyncDispose]: () => session.release(),
  }
}

/** A native engine's errors may have many lines. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}
