import { serveModel } from '../src/engines/onnx/model-thread.ts'
import { basicPitchWindow } from '../src/engines/piano/basic-pitch-window.ts'

// Runs only Basic Pitch, on model threads like the product (bench/piano-speed.ts).

serveModel<Float32Array, null>(async (samples, { onnx, session }) => {
  const [input = ''] = session.inputNames
  await session.run({ [input]: new onnx.Tensor('float32', samples, [1, basicPitchWindow.samples, 1]) })
  return null
})
