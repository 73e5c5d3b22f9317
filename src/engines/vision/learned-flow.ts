import type { FindFlow } from '../../media/clean/inpaint/flow.ts'
import { openLearned, unfit } from './learned-model.ts'
import { resized, rgbOf, sizeFor, tensorOf } from './picture-tensor.ts'

const expected =
  'two images (1, 3, rows, columns) of 0 to 255 and answers the flow (1, 2, rows, columns) in pixels'

/** Finds motion by the optical flow model that is set; null where none is. 6016 where it is of another kind. */
export async function learnedFlow(): Promise<FindFlow | null> {
  const model = await openLearned('optical-flow', expected)
  if (!model) return null
  const { onnx, session, inputs } = model
  const [one, other] = inputs
  if (!one || !other || inputs.length !== 2 || one.channels !== 3 || other.channels !== 3) {
    throw unfit('optical-flow', `it takes ${inputs.map(({ name }) => name).join(', ')}`, expected)
  }
  return async (from, to) => {
    const size = sizeFor(from, one)
    const tensor = (picture: typeof from) => {
      const values = tensorOf({ ...picture, pixels: rgbOf(picture.pixels) }, size, 1)
      return new onnx.Tensor('float32', values, [1, 3, size.height, size.width])
    }
    const answers = Object.values(await session.run({ [one.name]: tensor(from), [other.name]: tensor(to) }))
    // Of a rough one and a fine one the fine one.
    const fields = answers.filter(({ dims }) => dims.length === 4 && dims[1] === 2)
    const fine = fields.toSorted((a, b) => b.size - a.size)[0]
    const [, , height = 0, width = 0] = fine?.dims ?? []
    if (!fine || !(fine.data instanceof Float32Array)) {
      throw unfit(
        'optical-flow',
        `it answers ${answers.map(({ dims }) => dims.join(' x ')).join(', ')}`,
        expected,
      )
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
