import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Rect, Size } from '../../src/media/geometry.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { colourToBt709 } from '../../tools/video-split-screen/picture.ts'
import { selectClips, selectLayout } from '../../tools/video-split-screen/selection.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { grey, markers, rgb, yuvFrames } from './media.ts'
import { cutOut, difference99, type Picture, scalePart } from './reference.ts'
import { renderSplit, type Rendered } from './render.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

/** Sources that are enlarged, reduced and hardly scaled. */
const sources = {
  wide: { width: 640, height: 360, seconds: 0.16 },
  tall: { width: 362, height: 640, seconds: 0.16 },
  large: { width: 1280, height: 720, seconds: 0.16 },
  anamorphic: { width: 720, height: 576, seconds: 0.16, sar: '16/11' },
  odd: { width: 427, height: 321, seconds: 0.16 },
}
type SourceName = keyof typeof sources

const path = (name: SourceName) => join(folder.path, `${name}.mkv`)

beforeAll(async () => {
  folder = await temporaryFolder()
  await Promise.all(Object.entries(sources).map(([name, clip]) => markers(path(name as SourceName), clip)))
})
afterAll(() => folder[Symbol.asyncDispose]())

/** The whole picture, in shares of its sides. */
const wholePicture: Rect = { x: 0, y: 0, width: 1, height: 1 }

async function frameOf(file: string, size: Size): Promise<Picture> {
  return { width: size.width, height: size.height, pixels: await grey(file, ['-frames:v', '1']) }
}

/** First frames of the sources, each decoded once. */
const decoded: Partial<Record<SourceName, Promise<Picture>>> = {}
const sourceOf = (name: SourceName) => (decoded[name] ??= frameOf(path(name), sources[name]))

function aspectOf(name: SourceName): number {
  const { width, height } = sources[name]
  return (width / height) * (name === 'anamorphic' ? 16 / 11 : 1)
}

/** Returns the centred part of a crop that fills a slot, in source pixels. Computed independently of the product. */
function coveringPart(name: SourceName, crop: Rect, slot: Rect): Rect {
  const { width, height } = sources[name]
  const aspect = (aspectOf(name) * crop.width) / crop.height
  const aspectRatio = slot.width / slot.height / aspect
  const partWidth = crop.width * Math.min(1, aspectRatio)
  const partHeight = crop.height * Math.min(1, 1 / aspectRatio)
  return {
    x: (crop.x + (crop.width - partWidth) / 2) * width,
    y: (crop.y + (crop.height - partHeight) / 2) * height,
    width: partWidth * width,
    height: partHeight * height,
  }
}

/** Converts a rectangle in shares of a size to pixels. Fails if they are not integers. */
function toPixels(share: Rect, { width, height }: Size): Rect {
  const sides = [share.x * width, share.y * height, share.width * width, share.height * height] as const
  for (const value of sides) expect(Math.abs(value - Math.round(value))).toBeLessThan(1e-6)
  const [x, y] = [Math.round(sides[0]), Math.round(sides[1])]
  return { x, y, width: Math.round(sides[2]), height: Math.round(sides[3]) }
}

async function expectSlots(
  { output, path: file }: Rendered,
  clips: readonly { name: SourceName; crop?: Rect }[],
) {
  const frame = await frameOf(file, output)
  for (const slot of output.layout.slots) {
    const { name, crop = wholePicture } = clips[slot.clip_index] ?? { name: 'wide' as const }
    const box = toPixels(slot.destination_rect, output)
    const part = coveringPart(name, crop, box)
    const reportedPart = {
      x: slot.source_crop.x * sources[name].width,
      y: slot.source_crop.y * sources[name].height,
      width: slot.source_crop.width * sources[name].width,
      height: slot.source_crop.height * sources[name].height,
    }
    // The reported part is centred to half a pixel of the result, and it is the part that is visible.
    const scale = box.width / part.width
    expect(Math.abs(reportedPart.x - part.x) * scale).toBeLessThan(0.5)
    expect(Math.abs(reportedPart.y - part.y) * scale).toBeLessThan(0.5)

    const shown = cutOut(frame, box)
    const source = await sourceOf(name)
    const reference = scalePart(source, reportedPart, box)
    const label = `slot ${slot.slot_index} (${name})`
    expect(difference99(reference, shown), label).toBeLessThanOrEqual(8)
    for (const [x, y] of [[1, 0] as const, [0, 1] as const]) {
      const shift = { x, y }
      expect(difference99(reference, shown, shift), `${label} shifted`).toBeGreaterThan(8)
      expect(difference99(shown, reference, shift), `${label} shifted back`).toBeGreaterThan(8)
    }
  }
}

/** The last frame of a result, after frames that depend on others. */
const lastFrame = 3

/** Returns 1 for each pixel of a result that a slot covers, otherwise 0. */
function coveredPixels({ output }: Rendered): Uint8Array {
  const covered = new Uint8Array(output.width * output.height)
  for (const slot of output.layout.slots) {
    const box = toPixels(slot.destination_rect, output)
    for (let y = box.y; y < box.y + box.height; y += 1)
      covered.fill(1, y * output.width + box.x, y * output.width + box.x + box.width)
  }
  return covered
}

/** Returns the largest difference of the three channels to a colour, for each pixel outside all slots, sorted. */
async function gapErrors(rendered: Rendered, color: readonly number[]): Promise<Uint8Array> {
  const frame = await rgb(rendered.path, lastFrame)
  const covered = coveredPixels(rendered)
  const errors: number[] = []
  for (const [pixel, isCovered] of covered.entries()) {
    if (isCovered) continue
    errors.push(Math.max(...color.map((value, at) => Math.abs(value - (frame[pixel * 3 + at] ?? 0)))))
  }
  expect(errors.length).toBeGreaterThan(0)
  return Uint8Array.from(errors).toSorted()
}

/** Returns the largest difference of a coded sample in the gaps, in any plane, to the coded colour. */
async function worstGapSample(rendered: Rendered, color: string): Promise<number> {
  const { width, height } = rendered.output
  const [samples = Buffer.alloc(0)] = await yuvFrames(rendered.path, [lastFrame])
  const { y: luma, cb, cr } = colourToBt709(color)
  const covered = coveredPixels(rendered)
  let [at, worst] = [0, 0]
  const planes = [[luma, 1] as const, [cb, 2] as const, [cr, 2] as const]
  for (const [code, step] of planes) {
    for (let y = 0; y < height; y += step) {
      for (let x = 0; x < width; x += step) {
        if (!covered[y * width + x]) worst = Math.max(worst, Math.abs((samples[at] ?? 0) - code))
        at += 1
      }
    }
  }
  return worst
}

/**
 * Checks that every coded sample of the gaps is within 3 of the colour. In RGB, the errors of two planes and rounding
 * add up: 99 % of the pixels must be within 3, and all within 4.
 */
async function expectGaps(rendered: Rendered, color: string) {
  expect(await worstGapSample(rendered, color)).toBeLessThanOrEqual(3)
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const errors = await gapErrors(rendered, channels)
  expect(errors[Math.floor(errors.length * 0.99)]).toBeLessThanOrEqual(3)
  expect(errors.at(-1)).toBeLessThanOrEqual(4)
}

/** Expects the clips to be in another order than requested, as in mirrored layouts. */
function expectMirrored({ output }: Rendered) {
  const order = output.layout.slots.map((slot) => slot.clip_index)
  expect(order).not.toEqual(order.toSorted((one, other) => one - other))
}

const clipRequests = (clips: readonly { name: SourceName; crop?: Rect }[]) =>
  clips.map(({ name, crop }) => ({ file_id: path(name), ...(crop ? { crop } : {}) }))

describe('cover', () => {
  /** Mirrored layouts, of two sizes. */
  const layouts = {
    async 'crops and scales each clip of a mirrored layout like a reference implementation, with the exact colour in the gaps'() {
      const clips = [
        { name: 'wide' },
        { name: 'tall', crop: { x: 0.1, y: 0.2, width: 0.75, height: 0.55 } },
        { name: 'large' },
        { name: 'anamorphic' },
        { name: 'odd' },
      ] as const
      const rendered = await renderSplit(
        {
          clips: clipRequests(clips),
          layout_mode: 'template',
          layout_id: 501_108,
          gap_ratio: 0.03,
          background_color: '#3366CC',
          ...soakSize({ quality: '720p' }, {}),
        },
        folder.path,
      )
      const size = soakSize({ width: 720, height: 1280 }, { width: 1080, height: 1920 })
      expect(rendered.output).toMatchObject({ ...size, version: 'video_split_screen.v1' })
      expect(rendered.name).toBe('split-screen-5-clips-9x16.mp4')
      expectMirrored(rendered)
      await expectSlots(rendered, clips)
      await expectGaps(rendered, '#3366CC')
    },
    async 'crops and scales at 720p in a square'() {
      const clips = [{ name: 'large' }, { name: 'wide' }, { name: 'anamorphic' }] as const
      const rendered = await renderSplit(
        {
          clips: clipRequests(clips),
          layout_mode: 'template',
          layout_id: 300_411,
          output_ratio: '1:1',
          quality: '720p',
          background_color: '#FF0000',
        },
        folder.path,
      )
      expect(rendered.output).toMatchObject({ width: 720, height: 720 })
      expectMirrored(rendered)
      await expectSlots(rendered, clips)
      await expectGaps(rendered, '#FF0000')
    },
  }

  it.each(sampleCases(Object.entries(layouts), 1))('%s', async (_, check) => await check())
})

describe('contain', () => {
  it('shows the whole picture, exactly centred on the background colour', async () => {
    const names = ['wide', 'tall'] as const
    const rendered = await renderSplit(
      {
        clips: clipRequests(names.map((name) => ({ name }))),
        layout_mode: 'template',
        layout_id: 250_100,
        output_ratio: '16:9',
        quality: '720p',
        fit_mode: 'contain',
        background_color: '#00FF00',
      },
      folder.path,
    )
    const frame = await frameOf(rendered.path, rendered.output)
    const colors = await rgb(rendered.path, lastFrame)
    const isBackground = (x: number, y: number) => {
      const at = (y * frame.width + x) * 3
      return (colors[at] ?? 255) < 40 && (colors[at + 1] ?? 0) > 215 && (colors[at + 2] ?? 255) < 40
    }
    for (const slot of rendered.output.layout.slots) {
      const name = names[slot.clip_index] ?? 'wide'
      expect(slot.source_crop).toEqual(wholePicture)
      const box = toPixels(slot.destination_rect, rendered.output)
      const inside = { x: box.x + Math.floor(box.width / 2), y: box.y + Math.floor(box.height / 2) }
      let left = inside.x
      let top = inside.y
      while (left > box.x && !isBackground(left - 1, inside.y)) left -= 1
      while (top > box.y && !isBackground(inside.x, top - 1)) top -= 1
      const picture = {
        x: left,
        y: top,
        width: box.width - 2 * (left - box.x),
        height: box.height - 2 * (top - box.y),
      }
      // The padding is equal on opposite sides.
      expect(isBackground(left + picture.width, inside.y) || picture.width === box.width).toBe(true)
      expect(isBackground(inside.x, top + picture.height) || picture.height === box.height).toBe(true)
      expect(Math.abs(picture.width - Math.min(box.width, box.height * aspectOf(name)))).toBeLessThanOrEqual(
        2,
      )
      expect(Math.abs(picture.height - Math.min(box.height, box.width / aspectOf(name)))).toBeLessThanOrEqual(
        2,
      )
      const source = await sourceOf(name)
      const reference = scalePart(source, { x: 0, y: 0, ...sources[name] }, picture)
      expect(difference99(reference, cutOut(frame, picture)), name).toBeLessThanOrEqual(8)
    }
  })
})

it('selects a layout for the clips, which its seed or its id reproduces', async () => {
  const clips = clipRequests([{ name: 'wide' }, { name: 'wide' }, { name: 'tall' }])
  const request = { clips, quality: '720p', output_ratio: '16:9' }
  const first = await renderSplit(request, folder.path)
  const { layout_id, random_seed } = first.output.layout
  await expectSlots(first, [{ name: 'wide' }, { name: 'wide' }, { name: 'tall' }])
  // Black, the default colour, is within 3 everywhere.
  expect((await gapErrors(first, [0, 0, 0])).at(-1)).toBeLessThanOrEqual(3)
  const bySeed = await renderSplit({ ...request, random_seed }, folder.path)
  expect(bySeed.output.layout).toEqual(first.output.layout)
  // The slots of a result follow from its layout, which an id selects whatever the seed is.
  const files = await stageFiles(clips.map(({ file_id }) => file_id))
  const named = clips.map(({ file_id }) => ({ file_id: fileIdOf(file_id) }))
  const layoutBy = (more: object, seed: number) => {
    const input = videoSplitScreen.input.parse({ ...request, clips: named, ...more })
    return selectLayout(input, selectClips(input, files), seed)
  }
  const byId = layoutBy({ layout_mode: 'template', layout_id }, random_seed + 1)
  expect(byId).toEqual(layoutBy({}, random_seed))
  expect(first.progress.at(-1)).toBe(100)
})
