import type { Frame } from '../../media/clean/frame.ts'
import type { TextBox } from '../../media/text/box.ts'
import { openModelThreads } from '../onnx/model-threads.ts'

/** Finds lines of text in pictures, on several cores at once. */
export interface TextDetector extends AsyncDisposable {
  /** The lines of text of a picture, in its pixels; the picture's memory belongs to the detector from then on. */
  find(frame: Frame): Promise<readonly TextBox[]>
}

/** Starts as many threads as are allowed, each with the model; 6401 where that, or what runs it, is not there. */
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
