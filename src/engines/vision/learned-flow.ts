import type { EstimateFlow } from '../../media/clean/inpaint/initial-flow.ts'
import { runLearned, unfit, type LearnedModel } from './learned-model.ts'
import { resized, rgbOf, sizeFor, tensorOf, type Range } from './picture-tensor.ts'

/** Side of the picture that a model is tried out with: of smaller ones some have nothing left in their last layers. */
const triedSide = 128

/** Finds motion by an optical flow model, which is tried out once, in samples of a range. 6016 where it is of another kind. */
export async function learnedFlow(model: LearnedModel, range: Range): Promise<EstimateFlow> {
  const { onnx, inputs } = model
  const [one, other] = inputs
  if (!one || !other || inputs.length !== 2 || one.channels !== 3 || other.channels !== 3) {
    throw unfit('optical-flow', `it takes ${inputs.map(({ name }) => name).join(', ')}`)
  }
  const find: EstimateFlow = async (from, to) => {
    const size = sizeFor(from, one)
    const tensor = (picture: typeof from) => {
      const values = tensorOf({ ...picture, pixels: rgbOf(picture.pixels, range) }, size, 1)
      return new onnx.Tensor('float32', values, [1, 3, size.height, size.width])
    }
    const answers = Object.values(
      await runLearned('optical-flow', model, { [one.name]: tensor(from), [other.name]: tensor(to) }),
    )
    // Of a rough one and a fine one the fine one.
    const fields = answers.filter(({ dims }) => dims.length === 4 && dims[1] === 2)
    const fine = fields.toSorted((a, b) => b.size - a.size)[0]
    const [, , height = 0, width = 0] = fine?.dims ?? []
    if (!fine || !(fine.data instanceof Float32Array)) {
      throw unfit('optical-flow', `it answers ${answers.map(({ dims }) => dims.join(' x ')).join(', ')}`)
    }
    const { data } = fine
    // Steps are in pixels of the size that the model saw.
    const plane = (axis: number, factor: number) =>
      resized(data.subarray(axis * width * height, (axis + 1) * width * height), { width, height }, from).map(
        (step) => step * factor,
      )
    return { flowX: plane(0, from.width / size.width), flowY: plane(1, from.height / size.height) }
  }
  const grey = {
    width: triedSide,
    height: triedSide,
    pixels: new Uint8Array(triedSide * triedSide * 3).fill(128),
  }
  await find(grey, grey)
  return find
}
