import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { learnedModelChecksums, openLearnedModels } from '../../../src/engines/vision/learned-models.ts'
import { resizePlane } from '../../../src/engines/vision/image-tensor.ts'
import { createInpainter } from '../../../src/media/clean/inpaint/inpainter.ts'
import type { Frame } from '../../../src/media/clean/frame.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { measureFidelity } from '../../footage/fidelity.ts'
import { logo, subtitles } from '../../footage/overlay.ts'
import { createScene } from '../../footage/scene.ts'
import type { Graph } from '../onnx-file.ts'
import { writeModelFile, fakeInpaintingModel, constantFlowModel } from './fake-models.ts'

let folder: string
beforeAll(async () => void (folder = await scratchFolder()))

/** Configures a user-supplied model. */
async function useModel(pack: 'inpainting' | 'optical-flow', graph: Graph | Buffer): Promise<void> {
  const own = { [pack]: await writeModelFile(folder, graph) }
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own, manifest })
}

function holedPicture() {
  const [width, height] = [50, 30]
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_, at) => at % 251)
  const hole = Uint8Array.from({ length: width * height }, (_, at) =>
    at % width > 20 && at % width < 32 ? 1 : 0,
  )
  return { width, height, pixels, hole }
}

describe('a configured inpainting model', () => {
  it.each([
    ['of any size', ['rows', 'columns'], {}],
    ['of one size', [64, 64], {}],
    ['with outputs of 0 to 255', ['rows', 'columns'], { scale: 255 }],
  ] as const)('%s fills only the holes', async (_, sides, how) => {
    await useModel('inpainting', fakeInpaintingModel(sides, how))
    await using learned = await openLearnedModels(1)
    const [source, filled] = [holedPicture(), holedPicture()]
    await learned.fill?.(filled, { isRgb: true, hasInitialGuess: false })
    for (const [at, is] of source.hole.entries()) {
      const expected = is === 1 ? [128, 128, 128] : [...source.pixels.subarray(at * 3, at * 3 + 3)]
      expect([...filled.pixels.subarray(at * 3, at * 3 + 3)]).toEqual(expected)
    }
  })

  it('fills pixels that are hidden in all frames of a video', async () => {
    await useModel('inpainting', fakeInpaintingModel(['rows', 'columns']))
    await using learned = await openLearnedModels(1)
    const size = { width: 160, height: 96, fps: 25 }
    const scene = createScene('static', { ...size, count: 3 })
    const { frames, changedOutside } = await measureFidelity(
      scene,
      logo(scene),
      createInpainter(size, learned),
    )
    const [patch] = logo(scene).patchesAt(0)
    const middle = ((patch?.y ?? 0) + 4) * size.width + (patch?.x ?? 0) + 12
    // Medium grey, in limited range.
    expect(frames[0]?.bytes[middle]).toBeGreaterThan(118)
    expect(frames[0]?.bytes[middle]).toBeLessThan(134)
    expect(changedOutside).toBe(0)
  })

  it.each([
    [
      'has a mask of three channels',
      { ...fakeInpaintingModel([8, 8]), inputs: { image: [1, 3, 8, 8], mask: [1, 3, 8, 8] } },
    ],
    [
      'has a mask of one dimension',
      { ...fakeInpaintingModel([8, 8]), inputs: { image: [1, 3, 8, 8], mask: [8] } },
    ],
    ['requires too many pixels', fakeInpaintingModel([8192, 8192])],
    ['is not a model file', Buffer.from('not a model')],
    ['returns a single value', { ...fakeInpaintingModel([8, 8]), outputs: { one: [1, 1, 1, 1] } }],
  ] as const)('is rejected if it %s', async (_, graph) => {
    await useModel('inpainting', graph)
    await expect(openLearnedModels(1)).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('mask'),
    })
  })

  it('is optional', async () => {
    configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
    expect(await learnedModelChecksums()).toEqual({})
    await using learned = await openLearnedModels(1)
    expect(learned).not.toHaveProperty('fill')
    expect(learned).not.toHaveProperty('flow')
  })

  it('with output of 0 to 255 fills black with black, even in an entirely black image', async () => {
    await useModel('inpainting', fakeInpaintingModel(['rows', 'columns'], { tone: 1 / 255, scale: 255 }))
    await using learned = await openLearnedModels(1)
    const black = { ...holedPicture(), pixels: new Uint8Array(50 * 30 * 3) }
    await learned.fill?.(black, { isRgb: true, hasInitialGuess: false })
    expect(Math.max(...black.pixels)).toBe(1)
  })
})

describe('a configured optical flow model', () => {
  it('yields displacements in pixels of the image, whatever its tensor size', async () => {
    await useModel('optical-flow', constantFlowModel(2, -1))
    await using learned = await openLearnedModels(1)
    const { width, height, pixels } = holedPicture()
    const found = await learned.flow?.({ width, height, pixels }, { width, height, pixels })
    // The tensor is 48 x 32 for an image of 50 x 30.
    expect(found?.flowX).toHaveLength(width * height)
    expect(found?.flowX.every((step) => Math.abs(step - (2 * 50) / 48) < 1e-3)).toBe(true)
    expect(found?.flowY.every((step) => Math.abs(step + 30 / 32) < 1e-3)).toBe(true)
  })

  it('is used where objects move independently', async () => {
    const size = { width: 320, height: 180, fps: 25 }
    const [still, moving] = [
      createScene('static', { ...size, count: 2, seed: 8 }),
      createScene('fast pan', { ...size, count: 2, seed: 8 }),
    ]
    // A moving band below a static background, like a train seen from a platform.
    const scene = {
      ...still,
      frameAt(index: number) {
        const frame = still.frameAt(index)
        const other = moving.frameAt(index).bytes
        for (const [from, to] of bandOf(size)) frame.bytes.set(other.subarray(from, to), from)
        return frame
      },
    }
    const overlay = subtitles(scene, { visibleFrames: 1, hiddenFrames: 1 })
    const later = {
      patchesAt: (index: number) => overlay.patchesAt(index + 1),
      draw: (frame: Frame, index: number) => overlay.draw(frame, index + 1),
    }
    // The band moves 11.7 px of 480, so its content was further to the right before.
    const byFlow = async (right: number) => {
      await useModel('optical-flow', constantFlowModel(right, 0))
      await using learned = await openLearnedModels(1)
      return (await measureFidelity(scene, later, createInpainter(size, learned))).psnr
    }
    const [near, none] = [await byFlow(11.7 * (320 / 480)), await byFlow(0)]
    expect(near).toBeGreaterThan(41)
    expect(none).toBeLessThan(near - 8)
  })

  it.each([
    ['has inputs of one channel', constantFlowModel(0, 0, 1)],
    [
      'has outputs of three channels',
      { ...constantFlowModel(0, 0), outputs: { difference: [1, 3, 'rows', 'columns'] } },
    ],
  ] as const)('is rejected if it %s', async (_, graph) => {
    await useModel('optical-flow', graph)
    await expect(openLearnedModels(1)).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('two images'),
    })
  })
})

/** Yields byte ranges of the lowest two ninths of a frame, plane by plane. */
function bandOf({ width, height }: { width: number; height: number }): [number, number][] {
  const pixels = width * height
  return [
    [0, pixels],
    [pixels, pixels / 4],
    [pixels * 1.25, pixels / 4],
  ].map(([from = 0, length = 0]) => [from + (length * 7) / 9, from + length])
}

describe('resized planes', () => {
  it('keep their mean when shrinking, by any factor', () => {
    const size = { width: 30, height: 21 }
    const dots = Float32Array.from({ length: 30 * 21 }, (_, at) => (at % 7 === 0 ? 70 : 0))
    const small = resizePlane(dots, size, { width: 4, height: 3 })
    const mean = (plane: Float32Array) => plane.reduce((sum, one) => sum + one, 0) / plane.length
    expect(mean(small)).toBeCloseTo(mean(dots), 4)
    expect(Math.max(...small)).toBeLessThan(14)
  })

  it('are interpolated when growing', () => {
    const slope = Float32Array.from([0, 10, 20])
    const grown = resizePlane(slope, { width: 3, height: 1 }, { width: 6, height: 2 })
    expect([...grown]).toEqual([0, 2.5, 7.5, 12.5, 17.5, 20, 0, 2.5, 7.5, 12.5, 17.5, 20])
  })
})
