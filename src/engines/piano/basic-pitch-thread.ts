import type { InferenceSession } from 'onnxruntime-node'
import { pianoFrameHop } from '../../media/piano/frames.ts'
import { PartialLevelMeter } from '../../media/piano/partial-levels.ts'
import { keyCount } from '../../media/piano/note.ts'
import type { OnnxRuntime } from '../onnx/session.ts'
import { serveModel } from '../onnx/model-thread.ts'
import { countedFrames, marginFrames, basicPitchWindow, type WindowAnalysis } from './basic-pitch-window.ts'

/** Tensor names of the model. */
const tensors = {
  sound: 'serving_default_input_2:0',
  onsets: 'StatefulPartitionedCall:2',
  sounding: 'StatefulPartitionedCall:1',
} as const

const levels = new PartialLevelMeter()
const moments = Array.from({ length: countedFrames }, (_, frame) => (marginFrames + frame) * pianoFrameHop)

/** Input and outputs of the model; memory of this thread, not shared. */
const memory = {
  sound: new Float32Array(basicPitchWindow.samples),
  onsets: new Float32Array(basicPitchWindow.frames * keyCount),
  sounding: new Float32Array(basicPitchWindow.frames * keyCount),
}

serveModel<WindowAnalysis, null>(async (analysis, { onnx, session }) => {
  memory.sound.set(analysis.samples)
  await runModel(onnx, session)
  for (const name of ['onsets', 'sounding'] as const)
    analysis[name].set(
      memory[name].subarray(marginFrames * keyCount, (marginFrames + countedFrames) * keyCount),
    )
  levels.measure(memory.sound, moments, analysis.levels)
  return null
})

async function runModel({ Tensor }: OnnxRuntime, session: InferenceSession): Promise<void> {
  const keysOfFrames = [1, basicPitchWindow.frames, keyCount]
  const tensor = (name: keyof typeof memory, dims: readonly number[]) => ({
    [tensors[name]]: new Tensor('float32', memory[name], dims),
  })
  await session.run(tensor('sound', [1, basicPitchWindow.samples, 1]), {
    ...tensor('onsets', keysOfFrames),
    ...tensor('sounding', keysOfFrames),
  })
}
