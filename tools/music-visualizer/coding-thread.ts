import { parentPort, workerData } from 'node:worker_threads'
import { FrameCoder, frameSlots, pictureSlots, sharedSlot, type FrameCoderOptions } from './frame-coder.ts'

/** Start data of the thread: shared memory of pictures and of frames. */
export interface CodingJob {
  readonly plate: FrameCoderOptions
  readonly pictures: SharedArrayBuffer
  readonly frames: SharedArrayBuffer
}

/** Message that the next picture is drawn. The thread replies with an empty message when its frame is converted. */
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
