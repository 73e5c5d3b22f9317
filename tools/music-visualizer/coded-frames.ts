import { on } from 'node:events'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import { startThread } from '../../src/platform/thread.ts'
import { bytesOf, formOf, framesShared, picturesShared, place } from './coder.ts'
import type { CodingJob, PictureDrawn } from './coding-thread.ts'
import type { Drawn } from './frames.ts'

/** What is to be drawn and coded. */
interface Job {
  readonly drawn: Drawn
  readonly moments: AsyncIterable<AudioFeatures>
  readonly width: number
  readonly height: number
}

/**
 * Frames in the form that `formOf` says. A thread makes them while the next picture is drawn. Once a frame is asked
 * for, the memory of the one before is used again.
 */
export async function* codedFrames({ drawn, moments, width, height }: Job): AsyncGenerator<Uint8Array> {
  const { still, region, scale, beside } = drawn
  const plate = { still, region, scale, beside, width, height }
  const job: CodingJob = {
    plate,
    pictures: new SharedArrayBuffer(
      picturesShared * 4 * (region.width / scale + 2 * beside) * (region.height / scale),
    ),
    frames: new SharedArrayBuffer(framesShared * bytesOf(formOf(plate))),
  }
  const worker = startThread(new URL('./coding-thread', import.meta.url), job)
  // Where the thread fails, waiting for it does.
  const made = on(worker, 'message')
  let [sent, taken] = [0, 0]
  const nextFrame = async () => {
    await made.next()
    taken += 1
    return place(job.frames, taken - 1, framesShared)
  }
  try {
    for await (const { pixels, apart } of drawn.frames(moments)) {
      place(job.pictures, sent, picturesShared).set(pixels)
      worker.postMessage({ apart } satisfies PictureDrawn, [])
      sent += 1
      if (sent === taken + framesShared) yield await nextFrame()
    }
    while (taken < sent) yield await nextFrame()
  } finally {
    await worker.terminate()
  }
}
