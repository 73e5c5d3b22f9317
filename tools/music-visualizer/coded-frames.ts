import { on } from 'node:events'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import { startThread } from '../../src/platform/thread.ts'
import { rawFrameBytes, rawFormat, frameSlots, pictureSlots, sharedSlot } from './coder.ts'
import type { CodingJob, PictureDrawn } from './coding-thread.ts'
import type { PreparedDrawing } from './frames.ts'

/** What is to be drawn and coded. */
interface RawFramesOptions {
  readonly drawn: PreparedDrawing
  readonly moments: AsyncIterable<AudioFeatures>
  readonly width: number
  readonly height: number
}

/**
 * Frames in the form that `rawFormat` says. A thread makes them while the next picture is drawn. Once a frame is asked
 * for, the memory of the one before is used again.
 */
export async function* rawFrames({
  drawn,
  moments,
  width,
  height,
}: RawFramesOptions): AsyncGenerator<Uint8Array> {
  const { still, region, scale, sidePadding: beside } = drawn
  const plate = { still, region, scale, beside, width, height }
  const job: CodingJob = {
    plate,
    pictures: new SharedArrayBuffer(
      pictureSlots * 4 * (region.width / scale + 2 * beside) * (region.height / scale),
    ),
    frames: new SharedArrayBuffer(frameSlots * rawFrameBytes(rawFormat(plate))),
  }
  const worker = startThread(new URL('./coding-thread', import.meta.url), job)
  // Where the thread fails, waiting for it does.
  const made = on(worker, 'message')
  let [sent, taken] = [0, 0]
  const nextFrame = async () => {
    await made.next()
    taken += 1
    return sharedSlot(job.frames, taken - 1, frameSlots)
  }
  try {
    for await (const { pixels, channelShift: apart } of drawn.frames(moments)) {
      sharedSlot(job.pictures, sent, pictureSlots).set(pixels)
      worker.postMessage({ apart } satisfies PictureDrawn, [])
      sent += 1
      if (sent === taken + frameSlots) yield await nextFrame()
    }
    while (taken < sent) yield await nextFrame()
  } finally {
    await worker.terminate()
  }
}
