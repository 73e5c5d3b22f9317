import type { FillHoles, Holed } from '../../media/clean/inpaint/picture.ts'
import { openLearned, unfit } from './learned-model.ts'
import { resized, rgbOf, sizeFor, tensorOf, yuvOf } from './picture-tensor.ts'

const expected =
  'an image (1, 3, rows, columns) of 0 to 1 and a mask (1, 1, rows, columns) of 0 and 1, and answers the image filled'

/** Fills holes by the inpainting model that is set; null where none is. 6016 where it is of another kind. */
export async function learnedInpainting(): Promise<FillHoles | null> {
  const model = await openLearned('inpainting', expected)
  if (!model) return null
  const { onnx, session, inputs } = model
  const image = inputs.find(({ channels }) => channels === 3)
  const mask = inputs.find(({ channels }) => channels === 1)
  const [output] = session.outputNames
  if (!image || !mask || inputs.length !== 2 || output === undefined) {
    throw unfit('inpainting', `it takes ${inputs.map(({ name }) => name).join(', ')}`, expected)
  }
  return async (picture, { isRgb }) => {
    const size = sizeFor(picture, image)
    const pixels = isRgb ? picture.pixels : rgbOf(picture.pixels)
    const holes = resized(Float32Array.from(picture.hole), picture, size).map((share) => (share > 0 ? 1 : 0))
    const values = tensorOf({ ...picture, pixels }, size, 1 / 255)
    const area = size.width * size.height
    // What a hole holds is not to be seen, whatever the model does with it.
    for (let at = 0; at < values.length; at += 1) if (holes[at % area] === 1) values[at] = 0
    const filled = await session.run({
      [image.name]: new onnx.Tensor('float32', values, [1, 3, size.height, size.width]),
      [mask.name]: new onnx.Tensor('float32', holes, [1, 1, size.height, size.width]),
    })
    const { data, dims } = filled[output] ?? { data: [], dims: [] }
    if (!(data instanceof Float32Array) || data.length !== 3 * area) {
      throw unfit('inpainting', `it answers ${dims.join(' x ')}`, expected)
    }
    take(picture, { data, size, isRgb })
  }
}

/** Puts what a model made into the holes. Some answer 0 to 1, some 0 to 255. */
function take(
  picture: Holed,
  { data, size, isRgb }: { data: Float32Array; size: { width: number; height: number }; isRgb: boolean },
): void {
  const factor = data.some((value) => value > 2) ? 1 : 255
  const rgb = new Uint8Array(picture.pixels.length)
  for (let channel = 0; channel < 3; channel += 1) {
    const area = size.width * size.height
    const plane = resized(data.subarray(channel * area, (channel + 1) * area), size, picture)
    for (let at = 0; at < plane.length; at += 1) {
      rgb[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(factor * (plane[at] ?? 0))))
    }
  }
  const made = isRgb ? rgb : yuvOf(rgb)
  for (let at = 0; at < picture.hole.length; at += 1) {
    if (picture.hole[at] === 1) picture.pixels.set(made.subarray(at * 3, at * 3 + 3), at * 3)
  }
}
