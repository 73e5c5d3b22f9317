import type { Frame } from '../../media/clean/frame.ts'
import type { Face } from '../../media/vision/face.ts'
import { createFaceInput, decodeFaces, faceStrides } from '../../media/vision/face-tensors.ts'
import { serveModel } from '../onnx/model-thread.ts'

/** Reused for every frame: the garbage collector underestimates such buffers and lets them pile up. */
let memory = new Float32Array(0)

serveModel<Frame, Face[]>(
  async (frame, { onnx, session }) => {
    const { width, height, values } = createFaceInput(frame, memory)
    if (values.length > memory.length) memory = values
    const [input = ''] = session.inputNames
    const found = await session.run({ [input]: new onnx.Tensor('float32', values, [1, 3, height, width]) })
    const output = (name: string, stride: number) => found[`${name}_${stride}`]?.data as Float32Array
    const grids = faceStrides.map((stride) => ({
      ...{ stride, cls: output('cls', stride), obj: output('obj', stride) },
      ...{ bbox: output('bbox', stride), kps: output('kps', stride) },
    }))
    return decodeFaces(grids, width)
  },
  { enableMemPattern: false },
)
