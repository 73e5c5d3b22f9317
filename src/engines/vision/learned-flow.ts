import type { FindFlow } from '../../media/clean/inpaint/flow.ts'
import { runLearned, unfit, type LearnedModel } from './learned-model.ts'
import { resized, rgbOf, sizeFor, tensorOf } from './picture-tensor.ts'

/** Finds motion by an optical flow model. 6016 where it is of another kind. */
export function learnedFlow(model: LearnedModel): FindFlow {
  const { onnx, inputs } = model
  const [one, other] = inputs
  if (!one || !other || inputs.length !== 2 || one.channels !== 3 || other.channels !== 3) {
    throw unfit('optical-flow', `it takes ${inputs.map(({ name }) => name).join(', ')}`)
  }
  return async (from, to) => {
    const size = sizeFor(from, one)
    const tensor = (picture: typeof from) => {
      const values = tensorOf({ ...picture, pixels: rgbOf(picture.pixels) }, size, 1)
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
    return { right: plane(0, from.width / size.width), down: plane(1, from.height / size.height) }
  }
}
