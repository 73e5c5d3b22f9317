import type { Frame } from '../../media/clean/frame.ts'
import type { TextBox } from '../../media/text/box.ts'
import { createDetectorInput, textBoxes } from '../../media/text/detector-tensors.ts'
import { joinIntoLines } from '../../media/text/lines.ts'
import { serveModel } from '../onnx/model-thread.ts'

/** Reused for every frame: the garbage collector underestimates such buffers and lets them pile up. */
let memory = new Float32Array(0)

serveModel<Frame, TextBox[]>(
  async (frame, { onnx, session }) => {
    const { width, height, values } = createDetectorInput(frame, memory)
    if (values.length > memory.length) memory = values
    const [input = '', output = ''] = [...session.inputNames, ...session.outputNames]
    const found = await session.run({ [input]: new onnx.Tensor('float32', values, [1, 3, height, width]) })
    return joinIntoLines(textBoxes({ width, height, values: found[output]?.data as Float32Array }), frame)
  },
  { enableMemPattern: false },
)
