import type * as runtime from 'onnxruntime-node'
import { loadEngine } from '../packs/use.ts'

/** What runs models: the native library behind it is loaded when it is first needed. */
export type OnnxRuntime = typeof runtime

/** Loads the runtime; 6401 where it is not there. It sends nothing anywhere: `src/config.ts` has told it not to. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  return (await loadEngine('onnx-runtime')).engine as OnnxRuntime
}
