import type { InferenceSession } from 'onnxruntime-node'
import { frameHop } from '../../media/piano/frames.ts'
import { Levels } from '../../media/piano/levels.ts'
import { keys } from '../../media/piano/note.ts'
import type { OnnxRuntime } from '../onnx/load.ts'
import { serveModel } from '../onnx/model-thread.ts'
import { counted, margin, window, type Look } from './basic-pitch-window.ts'

/** The model's own names. */
const tensors = {
  sound: 'serving_default_input_2:0',
  onsets: 'StatefulPartitionedCall:2',
  sounding: 'StatefulPartitionedCall:1',
} as const

const levels = new Levels()
const moments = Array.from({ length: counted }, (_, frame) => (margin + frame) * frameHop)

/** What the model takes and answers: memory of this thread alone, which it does not share. */
const memory = {
  sound: new Float32Array(window.samples),
  onsets: new Float32Array(window.frames * keys),
  sounding: new Float32Array(window.frames * keys),
}

serveModel<Look, null>(async (look, { onnx, session }) => {
  memory.sound.set(look.samples)
  await hear(onnx, session)
  for (const name of ['onsets', 'sounding'] as const)
    look[name].set(memory[name].subarray(margin * keys, (margin + counted) * keys))
  levels.measure(memory.sound, moments, look.levels)
  return null
})

async function hear({ Tensor }: OnnxRuntime, session: InferenceSession): Promise<void> {
  const keysOfFrames = [1, window.frames, keys]
  const tensor = (name: keyof typeof memory, dims: readonly number[]) => ({
    [tensors[name]]: new Tensor('float32', memory[name], dims),
  })
  await session.run(tensor('sound', [1, window.samples, 1]), {
    ...tensor('onsets', keysOfFrames),
    ...tensor('sounding', keysOfFrames),
  })
}
