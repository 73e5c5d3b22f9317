import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { setPacks } from '../../../src/engines/packs/use.ts'
import { learnedFlow } from '../../../src/engines/vision/learned-flow.ts'
import { learnedInpainting } from '../../../src/engines/vision/learned-inpainting.ts'
import { makeInpainter } from '../../../src/media/clean/inpaint/inpainter.ts'
import { scratchFolder } from '../ffmpeg/made.ts'
import { fidelityOf } from '../../footage/fidelity.ts'
import { logo, subtitles } from '../../footage/overlay.ts'
import { makeScene } from '../../footage/scene.ts'
import { onnxFile, type Graph, type Shape } from './onnx-file.ts'

let folder: string
beforeAll(async () => void (folder = await scratchFolder()))

/** Sets a model as people bring theirs. */
async function bring(pack: 'inpainting' | 'optical-flow', graph: Graph | Buffer): Promise<void> {
  const content = Buffer.isBuffer(graph) ? graph : onnxFile(graph)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const path = join(folder, `${sha256}.onnx`)
  await writeFile(path, content)
  setPacks({ folder: join(folder, 'packs'), automatic: false, own: { [pack]: { path, sha256 } }, manifest })
}

const scalar = (value: number) => ({ dims: [1, 1, 1, 1], values: [value] })

/** Leaves an image as it is and fills its mask with a tone, 0 to 1 or 0 to 255. */
function filler(sides: readonly [number | string, number | string], { tone = 0.5, scale = 1 } = {}): Graph {
  const image: Shape = [1, 3, ...sides]
  return {
    inputs: { image, mask: [1, 1, ...sides] },
    outputs: { output: image },
    constants: { one: scalar(1), tone: scalar(tone), scale: scalar(scale) },
    nodes: [
      { type: 'Sub', inputs: ['one', 'mask'], outputs: ['rest'] },
      { type: 'Mul', inputs: ['image', 'rest'], outputs: ['kept'] },
      { type: 'Mul', inputs: ['mask', 'tone'], outputs: ['toned'] },
      { type: 'Add', inputs: ['kept', 'toned'], outputs: ['sum'] },
      { type: 'Mul', inputs: ['sum', 'scale'], outputs: ['output'] },
    ],
  }
}

function picture() {
  const [width, height] = [50, 30]
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_, at) => at % 251)
  const hole = Uint8Array.from({ length: width * height }, (_, at) =>
    at % width > 20 && at % width < 32 ? 1 : 0,
  )
  return { width, height, pixels, hole }
}

describe('an inpainting model that is set', () => {
  it.each([
    ['of any size', ['rows', 'columns'], {}],
    ['of one size', [64, 64], {}],
    ['that answers 0 to 255', ['rows', 'columns'], { scale: 255 }],
  ] as const)('%s fills holes and nothing else', async (_, sides, how) => {
    await bring('inpainting', filler(sides, how))
    const fill = await learnedInpainting()
    const [given, filled] = [picture(), picture()]
    await fill?.(filled, { isRgb: true, isBegun: false })
    for (const [at, is] of given.hole.entries()) {
      const expected = is === 1 ? [128, 128, 128] : [...given.pixels.subarray(at * 3, at * 3 + 3)]
      expect([...filled.pixels.subarray(at * 3, at * 3 + 3)]).toEqual(expected)
    }
  })

  it('fills what no frame of a video shows', async () => {
    await bring('inpainting', filler(['rows', 'columns']))
    const fill = (await learnedInpainting()) ?? undefined
    const size = { width: 160, height: 96 }
    const scene = makeScene('static', { ...size, count: 3 })
    const { frames, changedOutside } = await fidelityOf(scene, logo(scene), makeInpainter(size, { fill }))
    const [patch] = logo(scene).patchesAt(0)
    const middle = ((patch?.y ?? 0) + 4) * size.width + (patch?.x ?? 0) + 12
    // Half of red, green and blue, in limited range.
    expect(frames[0]?.bytes[middle]).toBeGreaterThan(118)
    expect(frames[0]?.bytes[middle]).toBeLessThan(134)
    expect(changedOutside).toBe(0)
  })

  it.each([
    ['takes an image alone', { ...filler([8, 8]), inputs: { image: [1, 3, 8, 8], mask: [1, 3, 8, 8] } }],
    ['takes no pictures', { ...filler([8, 8]), inputs: { image: [1, 3, 8, 8], mask: [8] } }],
    ['is no model', Buffer.from('not a model')],
  ] as const)('is refused where it %s', async (_, graph) => {
    await bring('inpainting', graph)
    await expect(learnedInpainting()).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('mask'),
    })
  })

  it('is not needed', async () => {
    setPacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
    expect(await learnedInpainting()).toBeNull()
    expect(await learnedFlow()).toBeNull()
  })
})

/** Answers the same flow everywhere. */
function flowing(right: number, down: number, channels = 3): Graph {
  const sides: Shape = [1, channels, 'rows', 'columns']
  return {
    inputs: { from: sides, to: sides },
    outputs: { flow: [1, 2, 'rows', 'columns'] },
    constants: {
      none: scalar(0),
      steps: { dims: [1, 2, 1, 1], values: [right, down] },
      axes: { dims: [1], values: [1], isWhole: true },
      begin: { dims: [1], values: [0], isWhole: true },
      end: { dims: [1], values: [2], isWhole: true },
    },
    nodes: [
      { type: 'Sub', inputs: ['from', 'to'], outputs: ['difference'] },
      { type: 'Slice', inputs: ['difference', 'begin', 'end', 'axes'], outputs: ['two'] },
      { type: 'Mul', inputs: ['two', 'none'], outputs: ['nothing'] },
      { type: 'Add', inputs: ['nothing', 'steps'], outputs: ['flow'] },
    ],
  }
}

describe('an optical flow model that is set', () => {
  it('tells steps in pixels of the picture, whatever size it looks at', async () => {
    await bring('optical-flow', flowing(2, -1))
    const flow = await learnedFlow()
    const { width, height, pixels } = picture()
    const found = await flow?.({ width, height, pixels }, { width, height, pixels })
    // It looked at 48 x 32 pixels of 50 x 30.
    expect(found?.right).toHaveLength(width * height)
    expect(found?.right.every((step) => Math.abs(step - (2 * 50) / 48) < 1e-3)).toBe(true)
    expect(found?.down.every((step) => Math.abs(step + 30 / 32) < 1e-3)).toBe(true)
  })

  it('bends what is carried over where something moves by itself', async () => {
    await bring('optical-flow', flowing(0, 0))
    const flow = (await learnedFlow()) ?? undefined
    const size = { width: 160, height: 96 }
    const scene = makeScene('walker', { ...size, count: 10 })
    let asked = 0
    const counted: typeof flow = async (one, other) => {
      asked += 1
      return (await flow?.(one, other)) ?? { right: new Float32Array(), down: new Float32Array() }
    }
    const overlay = subtitles(scene, { shown: 4, gone: 3 })
    const { psnr } = await fidelityOf(scene, overlay, makeInpainter(size, { flow: counted }))
    expect(asked).toBeGreaterThan(0)
    expect(psnr).toBeGreaterThan(22)
  })

  it('is refused where it takes something else', async () => {
    await bring('optical-flow', flowing(0, 0, 1))
    await expect(learnedFlow()).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('two images'),
    })
  })
})
