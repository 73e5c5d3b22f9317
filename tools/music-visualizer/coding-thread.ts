import { parentPort, workerData } from 'node:worker_threads'
import { FrameCoder, frameSlots, pictureSlots, sharedSlot, type FrameCoderOptions } from './frame-coder.ts'

/** What the thread is started with: shared memory of several pictures that are drawn, and of their frames. */
export interface CodingJob {
  readonly plate: FrameCoderOptions
  readonly pictures: SharedArrayBuffer
  readonly frames: SharedArrayBuffer
}

/** Says that the next picture is drawn; that its frame is made is answered by an empty message. */
export interface PictureDrawn {
  readonly channelShift: number
}

const { plate, pictures, frames } = workerData as CodingJob
const coder = new FrameCoder(plate)
let index = 0
parentPort?.on('message', ({ channelShift }: PictureDrawn) => {
  const pixels = sharedSlot(pictures, index, pictureSlots)
  coder.code({ pixels, channelShift }, sharedSlot(frames, index, frameSlots))
  index += 1
  parentPort?.postMessage(undefined, [])
})
