import { frameHop } from '../../media/piano/frames.ts'
import { Levels } from '../../media/piano/levels.ts'
import { keys } from '../../media/piano/note.ts'
import { serveModel } from '../onnx/model-thread.ts'
import { counted, margin, window, type Looked } from './basic-pitch-window.ts'

/** The model's own names. */
const tensors = {
  sound: 'serving_default_input_2:0',
  onsets: 'StatefulPartitionedCall:2',
  sounding: 'StatefulPartitionedCall:1',
} as const

const levels = new Levels()
const moments = Array.from({ length: counted }, (_, frame) => (margin + frame) * frameHop)

serveModel<Float32Array, Looked>(async (samples, { onnx, session }) => {
  const sound = new onnx.Tensor('float32', samples, [1, window.samples, 1])
  const answers = await session.run({ [tensors.sound]: sound })
  const of = (name: string) => {
    const data = answers[name]?.data
    if (data instanceof Float32Array) return data.slice(margin * keys, (margin + counted) * keys)
    throw new TypeError('Basic Pitch answers something else')
  }
  const looked = {
    ...{ onsets: of(tensors.onsets), sounding: of(tensors.sounding) },
    levels: levels.measure(samples, moments),
  }
  return [looked, Object.values(looked).map(({ buffer }) => buffer)]
})
