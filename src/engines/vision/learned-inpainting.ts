import type { FillHoles, HoledImage } from '../../media/clean/inpaint/holed-image.ts'
import { runLearned, unfit, type Input, type LearnedModel } from './learned-model.ts'
import { resized, rgbOf, sizeFor, tensorOf, yuvOf, type Range } from './picture-tensor.ts'

/** Fills holes by an inpainting model, which is tried out once, of samples of a range. 6016 where it is of another kind. */
export async function learnedInpainting(model: LearnedModel, range: Range): Promise<FillHoles> {
  const { inputs } = model
  const image = inputs.find(({ channels }) => channels === 3)
  const mask = inputs.find(({ channels }) => channels === 1)
  if (!image || !mask || inputs.length !== 2) {
    throw unfit('inpainting', `it takes ${inputs.map(({ name }) => name).join(', ')}`)
  }
  const named = { model, image, mask }
  const factor = await factorOf(named)
  return async (picture, { isRgb }) => {
    const pixels = isRgb ? picture.pixels : rgbOf(picture.pixels, range)
    take(picture, {
      ...(await filled(named, { ...picture, pixels })),
      factor,
      toSamples: isRgb ? (rgb) => rgb : (rgb) => yuvOf(rgb, range),
    })
  }
}

interface Named {
  readonly model: LearnedModel
  readonly image: Input
  readonly mask: Input
}

/** What a model makes of a picture in red, green and blue. */
interface Answer {
  /** One channel after the other. */
  readonly data: Float32Array
  readonly size: { readonly width: number; readonly height: number }
}

async function filled({ model, image, mask }: Named, picture: HoledImage): Promise<Answer> {
  const size = sizeFor(picture, image)
  const holes = resized(Float32Array.from(picture.hole), picture, size).map((share) => (share > 0 ? 1 : 0))
  const values = tensorOf(picture, size, 1 / 255)
  const area = size.width * size.height
  // What a hole holds is not to be seen, whatever the model does with it.
  for (let at = 0; at < values.length; at += 1) if (holes[at % area] === 1) values[at] = 0
  const { Tensor } = model.onnx
  const answers = await runLearned('inpainting', model, {
    [image.name]: new Tensor('float32', values, [1, 3, size.height, size.width]),
    [mask.name]: new Tensor('float32', holes, [1, 1, size.height, size.width]),
  })
  const { data, dims } = answers[model.session.outputNames[0] ?? ''] ?? { data: [], dims: [] }
  if (!(data instanceof Float32Array) || data.length !== 3 * area) {
    throw unfit('inpainting', `it answers ${dims.join(' x ')}`)
  }
  return { data, size }
}

/** Some answer 0 to 1, some 0 to 255: how much a step of 1 is can be told of a grey picture whose middle is missing. */
async function factorOf(named: Named): Promise<1 | 255> {
  const side = 128
  const hole = Uint8Array.from({ length: side * side }, (_, at) =>
    Math.hypot((at % side) - side / 2, at / side - side / 2) < side / 8 ? 1 : 0,
  )
  const grey = { width: side, height: side, pixels: new Uint8Array(side * side * 3).fill(128), hole }
  const { data } = await filled(named, grey)
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length
  return mean > 2 ? 1 : 255
}

/** Puts what a model made into the holes. */
function take(
  picture: HoledImage,
  { data, size, factor, toSamples }: Answer & { factor: number; toSamples: (rgb: Uint8Array) => Uint8Array },
): void {
  const rgb = new Uint8Array(picture.pixels.length)
  for (let channel = 0; channel < 3; channel += 1) {
    const area = size.width * size.height
    const plane = resized(data.subarray(channel * area, (channel + 1) * area), size, picture)
    for (let at = 0; at < plane.length; at += 1) {
      rgb[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(factor * (plane[at] ?? 0))))
    }
  }
  const made = toSamples(rgb)
  for (let at = 0; at < picture.hole.length; at += 1) {
    if (picture.hole[at] === 1) picture.pixels.set(made.subarray(at * 3, at * 3 + 3), at * 3)
  }
}
