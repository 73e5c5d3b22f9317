import type { Frame } from '../../media/clean/frame.ts'
import type { TextBox } from '../../media/text/box.ts'
import { openModelThreads } from '../onnx/model-threads.ts'

/** Detects lines of text in images, on several threads. */
export interface TextDetector extends AsyncDisposable {
  /** Returns the lines of text in a frame, in its pixels. Takes ownership of the frame's memory. */
  find(frame: Frame): Promise<readonly TextBox[]>
}

/** Starts detector threads, each with its own copy of the model. Throws 6401 if the model or the runtime is missing. */
export async function openTextDetector(
  threads: number,
  signal: AbortSignal | undefined,
): Promise<TextDetector> {
  const module = new URL('./text-thread', import.meta.url)
  const kind = { pack: 'text-detection', purpose: 'text detection', module } as const
  const pool = await openModelThreads<Frame, readonly TextBox[]>(kind, threads, signal)
  return {
    find: (frame) => pool.run(frame, [frame.bytes.buffer as ArrayBuffer]),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
