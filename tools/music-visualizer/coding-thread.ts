import { parentPort, workerData } from 'node:worker_threads'
import { Coder, framesShared, picturesShared, place, type Plate } from './coder.ts'

/** What the thread is started with: shared memory of several pictures that are drawn, and of their frames. */
export interface CodingJob {
  readonly plate: Plate
  readonly pictures: SharedArrayBuffer
  readonly frames: SharedArrayBuffer
}

/** Says that the next picture is drawn; that its frame is made is answered by an empty message. */
export interface PictureDrawn {
  readonly apart: number
}

const { plate, pictures, frames } = workerData as CodingJob
const coder = new Coder(plate)
let index = 0
parentPort?.on('message', ({ apart }: PictureDrawn) => {
  const pixels = place(pictures, index, picturesShared)
  coder.code({ pixels, apart }, place(frames, index, framesShared))
  index += 1
  parentPort?.postMessage(undefined, [])
})
