import type { Frame } from '../../media/clean/frame.ts'
import type { Face } from '../../media/vision/face.ts'
import { openModelThreads } from '../onnx/model-threads.ts'

/** Detects faces in images, on several threads. */
export interface FaceDetector extends AsyncDisposable {
  /** Returns the faces in a frame, in its pixels, best first. Takes ownership of the frame's memory. */
  find(frame: Frame): Promise<readonly Face[]>
}

/** Starts detector threads, each with its own copy of YuNet. Throws 6401 if the model or the runtime is missing. */
export async function openFaceDetector(
  threads: number,
  signal: AbortSignal | undefined,
): Promise<FaceDetector> {
  const module = new URL('./face-thread', import.meta.url)
  const kind = { pack: 'face-detection', purpose: 'face detection', module } as const
  const pool = await openModelThreads<Frame, readonly Face[]>(kind, threads, signal)
  return {
    find: (frame) => pool.run(frame, [frame.bytes.buffer as ArrayBuffer]),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
