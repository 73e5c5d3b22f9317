import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import type { PackName } from '../packs/manifest.ts'
import { loadEngine } from '../packs/resolve.ts'

type ModelOutputs = runtime.InferenceSession.OnnxValueMapType

/** An open model. */
export interface OnnxModel extends AsyncDisposable {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  /** Runs the model. Throws 6402 if it fails on the inputs. */
  run(tensors: Readonly<Record<string, runtime.Tensor>>): Promise<ModelOutputs>
}

/** Opens the model of a pack. Throws 6401 if the model or the runtime cannot be used. */
export async function openOnnxModel(pack: PackName, path: string, threads = 1): Promise<OnnxModel> {
  const onnx = await loadOnnxRuntime()
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  const session = await onnx.InferenceSession.create(path, options).catch((cause: unknown) => {
    throw new MediaError(6401, `the model ${pack} does not load: ${firstErrorLine(cause)}`, {
      cause,
      retryable: false,
      hint: 'Run `reelwright models verify`. A model of your own must be of the kind that its title states.',
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
          hint: 'Run `reelwright models verify`. A model of your own must be of the kind that its title states.',
        })
      }),
    [Symbol.asyncDispose]: () => session.release(),
  }
}

/** Returns the first line of an error message, shortened; native errors have many lines. */
function firstErrorLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}

/** The ONNX runtime; its native library is loaded on first use. */
export type OnnxRuntime = typeof runtime

/** Loads the runtime. Throws 6401 if it is not installed. Telemetry is disabled by `src/config/config.ts`. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  return (await loadEngine('onnx-runtime')).engine as OnnxRuntime
}
