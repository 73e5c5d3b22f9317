import type { FillHoles, HoledImage } from '../../media/clean/inpaint/holed-image.ts'
import type { EstimateFlow } from '../../media/clean/inpaint/initial-flow.ts'
import type { InpaintingModels } from '../../media/clean/inpaint/temporal-inpainter.ts'
import { ownModelSha256, requirePack } from '../packs/resolve.ts'
import {
  planarTensor,
  resizePlane,
  rgbToYuv,
  type SampleRange,
  tensorSize,
  yuvToRgb,
} from './image-tensor.ts'
import {
  type LearnedModel,
  type LearnedPack,
  type ModelInput,
  openLearnedModel,
  runLearnedModel,
  unusableModel,
} from './learned-model.ts'

/** Models for video; a still image has no motion. */
const allPacks: readonly LearnedPack[] = ['inpainting', 'optical-flow']

/**
 * Returns the checksums of the configured models, which identify the results they produce. Throws 6016 if a file is not
 * the configured one, and 6401 if the runtime is missing.
 */
export async function learnedModelChecksums(packs = allPacks): Promise<Readonly<Record<string, string>>> {
  const sums: Record<string, string> = {}
  for (const name of packs) {
    const sum = await ownModelSha256(name)
    if (sum !== null) sums[name] = sum
  }
  if (Object.keys(sums).length > 0) await requirePack('onnx-runtime')
  return sums
}

/**
 * Opens the configured models, each with a number of threads, for frames of a sample range. Throws 6016 if a model has
 * other inputs. Do not dispose while a model is running.
 */
export async function openLearnedModels(
  threads: number,
  {
    packs = allPacks,
    range = 'limited',
  }: { readonly packs?: typeof allPacks; readonly range?: SampleRange } = {},
): Promise<InpaintingModels & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const open = (name: LearnedPack) =>
    packs.includes(name) ? openLearnedModel(name, { threads, opened }) : null
  const [inpainting, flow] = [await open('inpainting'), await open('optical-flow')]
  const learned: InpaintingModels = {
    ...(inpainting && { fill: await createModelInpainting(inpainting, range) }),
    ...(flow && { flow: await createModelFlow(flow, range) }),
  }
  const kept = opened.move()
  return { ...learned, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/**
 * Returns a hole filler based on an inpainting model, after a trial run. Throws 6016 if the model does not meet the
 * requirements.
 */
export async function createModelInpainting(model: LearnedModel, range: SampleRange): Promise<FillHoles> {
  const { inputs } = model
  const image = inputs.find(({ channels }) => channels === 3)
  const mask = inputs.find(({ channels }) => channels === 1)
  if (!image || !mask || inputs.length !== 2) {
    throw unusableModel('inpainting', `its inputs are ${inputs.map(({ name }) => name).join(', ')}`)
  }
  const named = { model, image, mask }
  const factor = await outputScale(named)
  return async (picture, { isRgb }) => {
    const pixels = isRgb ? picture.pixels : yuvToRgb(picture.pixels, range)
    copyIntoHoles(picture, {
      ...(await runInpainting(named, { ...picture, pixels })),
      factor,
      toSamples: isRgb ? (rgb) => rgb : (rgb) => rgbToYuv(rgb, range),
    })
  }
}

interface InpaintingTensors {
  readonly model: LearnedModel
  readonly image: ModelInput
  readonly mask: ModelInput
}

/** The output of an inpainting model, in red, green and blue. */
interface ModelOutput {
  /** Planar: one channel after the other. */
  readonly data: Float32Array
  readonly size: { readonly width: number; readonly height: number }
}

async function runInpainting(
  { model, image, mask }: InpaintingTensors,
  picture: HoledImage,
): Promise<ModelOutput> {
  const size = tensorSize(picture, image)
  const holes = resizePlane(Float32Array.from(picture.hole), picture, size).map((share) =>
    share > 0 ? 1 : 0,
  )
  const values = planarTensor(picture, size, 1 / 255)
  const area = size.width * size.height
  // Clear the holes: models may read masked pixels.
  for (let at = 0; at < values.length; at += 1) if (holes[at % area] === 1) values[at] = 0
  const { Tensor } = model.onnx
  const outputs = await runLearnedModel('inpainting', model, {
    [image.name]: new Tensor('float32', values, [1, 3, size.height, size.width]),
    [mask.name]: new Tensor('float32', holes, [1, 1, size.height, size.width]),
  })
  const { data, dims } = outputs[model.session.outputNames[0] ?? ''] ?? { data: [], dims: [] }
  if (!(data instanceof Float32Array) || data.length !== 3 * area) {
    throw unusableModel('inpainting', `its output has the shape ${dims.join(' x ')}`)
  }
  return { data, size }
}

/**
 * Returns the factor from the output to 0 to 255. Some models return 0 to 1, others 0 to 255; the output for a grey
 * image shows which.
 */
async function outputScale(named: InpaintingTensors): Promise<1 | 255> {
  const side = 128
  const hole = Uint8Array.from({ length: side * side }, (_, at) =>
    Math.hypot((at % side) - side / 2, at / side - side / 2) < side / 8 ? 1 : 0,
  )
  const grey = { width: side, height: side, pixels: new Uint8Array(side * side * 3).fill(128), hole }
  const { data } = await runInpainting(named, grey)
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length
  return mean > 2 ? 1 : 255
}

/** Writes the model's output into the holes. */
function copyIntoHoles(
  picture: HoledImage,
  {
    data,
    size,
    factor,
    toSamples,
  }: ModelOutput & { factor: number; toSamples: (rgb: Uint8Array) => Uint8Array },
): void {
  const rgb = new Uint8Array(picture.pixels.length)
  for (let channel = 0; channel < 3; channel += 1) {
    const area = size.width * size.height
    const plane = resizePlane(data.subarray(channel * area, (channel + 1) * area), size, picture)
    for (let at = 0; at < plane.length; at += 1) {
      rgb[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(factor * (plane[at] ?? 0))))
    }
  }
  const samples = toSamples(rgb)
  for (let at = 0; at < picture.hole.length; at += 1) {
    if (picture.hole[at] === 1) picture.pixels.set(samples.subarray(at * 3, at * 3 + 3), at * 3)
  }
}

/** Side of the image for the trial run, in pixels. Some models fail on smaller ones. */
const trialSide = 128

/**
 * Returns an optical-flow estimator based on a model, after a trial run. Throws 6016 if the model does not meet the
 * requirements.
 */
export async function createModelFlow(model: LearnedModel, range: SampleRange): Promise<EstimateFlow> {
  const { onnx, inputs } = model
  const [one, other] = inputs
  if (!one || !other || inputs.length !== 2 || one.channels !== 3 || other.channels !== 3) {
    throw unusableModel('optical-flow', `its inputs are ${inputs.map(({ name }) => name).join(', ')}`)
  }
  const find: EstimateFlow = async (from, to) => {
    const size = tensorSize(from, one)
    const tensor = (picture: typeof from) => {
      const values = planarTensor({ ...picture, pixels: yuvToRgb(picture.pixels, range) }, size, 1)
      return new onnx.Tensor('float32', values, [1, 3, size.height, size.width])
    }
    const outputs = Object.values(
      await runLearnedModel('optical-flow', model, { [one.name]: tensor(from), [other.name]: tensor(to) }),
    )
    // Of several outputs, take the one with the highest resolution.
    const fields = outputs.filter(({ dims }) => dims.length === 4 && dims[1] === 2)
    const fine = fields.toSorted((a, b) => b.size - a.size)[0]
    const [, , height = 0, width = 0] = fine?.dims ?? []
    if (!fine || !(fine.data instanceof Float32Array)) {
      throw unusableModel(
        'optical-flow',
        `its outputs have the shapes ${outputs.map(({ dims }) => dims.join(' x ')).join(', ')}`,
      )
    }
    const { data } = fine
    // Displacements are in pixels of the tensor.
    const plane = (axis: number, factor: number) =>
      resizePlane(
        data.subarray(axis * width * height, (axis + 1) * width * height),
        { width, height },
        from,
      ).map((step) => step * factor)
    return { flowX: plane(0, from.width / size.width), flowY: plane(1, from.height / size.height) }
  }
  const grey = {
    width: trialSide,
    height: trialSide,
    pixels: new Uint8Array(trialSide * trialSide * 3).fill(128),
  }
  await find(grey, grey)
  return find
}
