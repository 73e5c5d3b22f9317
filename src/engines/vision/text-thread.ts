import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { Frame } from '../../media/clean/patch.ts'
import type { TextBox } from '../../media/text/box.ts'
import { boxesOf } from '../../media/text/db-boxes.ts'
import { detectorInput } from '../../media/text/detector-input.ts'
import { linesOf } from '../../media/text/lines.ts'
import type { OnnxRuntime } from '../onnx/load.ts'

/** What the thread is started with: where the model and what runs it lie, which are there. */
export interface TextThreadJob {
  readonly model: string
  readonly runtime: string
}

/** The lines of text of a frame it was sent, or why there is no answer. */
export type Looked = { readonly boxes: readonly TextBox[] } | { readonly error: unknown }

const { model, runtime } = workerData as TextThreadJob
// Not by way of the packs, whose downloads take longer to load than a picture to look at.
const { InferenceSession, Tensor } = createRequire(join(runtime, 'engine.cjs'))(
  'onnxruntime-node',
) as OnnxRuntime
// One core for each thread: cores that share a picture wait for each other.
const session = InferenceSession.create(model, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableMemPattern: false,
})

/** Used for each picture in turn: what is left to be collected is not seen to be large, and piles up. */
let memory = new Float32Array(0)

async function look(frame: Frame): Promise<TextBox[]> {
  const detector = await session
  const { width, height, values } = detectorInput(frame, memory)
  if (values.length > memory.length) memory = values
  const [input = '', output = ''] = [...detector.inputNames, ...detector.outputNames]
  const found = await detector.run({ [input]: new Tensor('float32', values, [1, 3, height, width]) })
  return linesOf(boxesOf({ width, height, values: found[output]?.data as Float32Array }), frame)
}

// Nothing to look at ends the thread.
parentPort?.on('message', (frame: Frame | null) => {
  void (frame === null ? end() : answer(frame))
})

async function answer(frame: Frame): Promise<void> {
  const looked = await look(frame).then(
    (boxes): Looked => ({ boxes }),
    (error: unknown): Looked => ({ error }),
  )
  parentPort?.postMessage(looked, [])
}

/** The engine is native: a thread that is ended from outside while it works takes the process with it. */
async function end(): Promise<void> {
  await session.then((detector) => detector.release()).catch(() => {})
  parentPort?.close()
}
