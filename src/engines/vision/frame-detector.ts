import type { Frame } from '../../media/clean/frame.ts'
import type { TextBox } from '../../media/text/box.ts'
import type { Face } from '../../media/vision/face.ts'
import { openModelThreads } from '../onnx/model-threads.ts'

/** Detects things in images, on several threads. */
interface FrameDetector<Found> extends AsyncDisposable {
  /** Returns what is in a frame, in its pixels. Takes ownership of the frame's memory. */
  find(frame: Frame): Promise<readonly Found[]>
}

/** Detects lines of text. */
export type TextDetector = FrameDetector<TextBox>
/** Detects faces, best first. */
export type FaceDetector = FrameDetector<Face>

type Signal = AbortSignal | undefined

/** Starts threads, each with its own copy of the text detector. Throws 6401 if it or the runtime is missing. */
export function openTextDetector(threads: number, signal: Signal): Promise<TextDetector> {
  const module = new URL('./text-thread', import.meta.url)
  return openFrameDetector({ pack: 'text-detection', purpose: 'text detection', module }, threads, signal)
}

/** Starts threads, each with its own copy of YuNet. Throws 6401 if it or the runtime is missing. */
export function openFaceDetector(threads: number, signal: Signal): Promise<FaceDetector> {
  const module = new URL('./face-thread', import.meta.url)
  return openFrameDetector({ pack: 'face-detection', purpose: 'face detection', module }, threads, signal)
}

async function openFrameDetector<Found>(
  kind: Parameters<typeof openModelThreads>[0],
  threads: number,
  signal: Signal,
): Promise<FrameDetector<Found>> {
  const pool = await openModelThreads<Frame, readonly Found[]>(kind, threads, signal)
  return {
    find: (frame) => pool.run(frame, [frame.bytes.buffer as ArrayBuffer]),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
