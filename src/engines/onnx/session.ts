import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import type { PackName } from '../packs/manifest.ts'
import { loadEngine } from '../packs/resolve.ts'

type ModelOutputs = runtime.InferenceSession.OnnxValueMapType

/** A model that is open. */
export interface OnnxModel extends AsyncDisposable {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  /** Runs it; 6402 where it cannot work on what it is given. */
  run(tensors: Readonly<Record<string, runtime.Tensor>>): Promise<ModelOutputs>
}

/** Opens the model of a pack; 6401 where it, or what runs it, cannot be used. */
export async function openOnnxModel(pack: PackName, path: string, threads = 1): Promise<OnnxModel> {
  const onnx = await loadOnnxRuntime()
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  const session = await onnx.InferenceSession.create(path, options).catch((cause: unknown) => {
    throw new MediaError(6401, `the model ${pack} does not load: ${firstErrorLine(cause)}`, {
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
        throw new MediaError(6402, `the model ${pack} does not run: ${firstErrorLine(cause)}`, {
          cause,
          retryable: false,
          hint: 'See `reelwright models verify`; a model of your own must be the kind that its title tells.',
        })
      }),
    [Symbol.asyncDispose]: () => session.release(),
  }
}

/** A native engine's errors may have many lines. */
function firstErrorLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}

/** What runs models: the native library behind it is loaded when it is first needed. */
export type OnnxRuntime = typeof runtime

/** Loads the runtime; 6401 where it is not there. It sends nothing anywhere: `src/config.ts` has told it not to. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  return (await loadEngine('onnx-runtime')).engine as OnnxRuntime
}
