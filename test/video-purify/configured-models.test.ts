import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import type { Frame } from '../../src/media/clean/frame.ts'
import { imagePurify } from '../../tools/image-purify/contract.ts'
import { plan as planImage } from '../../tools/image-purify/plan.ts'
import { run as runImage } from '../../tools/image-purify/run.ts'
import { operations } from '../../tools/index.ts'
import { videoPurify } from '../../tools/video-purify/contract.ts'
import { run } from '../../tools/video-purify/run.ts'
import { h264, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { writeModelFile, fakeInpaintingModel, constantFlowModel } from '../engines/vision/fake-models.ts'
import { logo, overlayBoxes, subtitles, type Overlay } from '../footage/overlay.ts'
import { createScene, type Scene } from '../footage/scene.ts'
import { writeFrames } from '../footage/write-video.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { createTestContext, fileIdOf, runInWorker, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { decodeBoth, decodeSamples } from './run-purify.ts'

const folder = await scratchFolder()
/** Slightly above the minimum size for filling. */
const size = { width: 228, height: 128 }
const fps = 12
const bright = await writeModelFile(folder, fakeInpaintingModel(['rows', 'columns'], { tone: 0.9 }))
const dark = await writeModelFile(folder, fakeInpaintingModel(['rows', 'columns'], { tone: 0.1 }))
const flow = await writeModelFile(folder, constantFlowModel(5, 3))

/** Luma of a grey tone (0 to 1), in limited range. */
const lumaOf = (tone: number) => 16 + 219 * tone

const bothModels = { inpainting: bright, 'optical-flow': flow }
let service: TestService
/** An account of a service with both models. */
let calls: Api
beforeAll(async () => {
  // The service process checks the settings before it accepts a task.
  configureModels({})
  service = await startTestService({ operations, userModels: bothModels })
  calls = api(await service.account(20))
})
afterAll(() => service[Symbol.asyncDispose]())

function configureModels(own: PackSettings['own']): void {
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own, manifest })
}

async function film(name: string, scene: Scene, overlay: Overlay): Promise<string> {
  const frames = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  frames.forEach((frame, index) => overlay.draw(frame, index))
  return await writeFrames(join(folder, name), frames, fps)
}

/** Runs a request over HTTP, with both models, and returns its result as a file. */
async function cleanedByService(path: string, body: object): Promise<string> {
  const type = 'video_purify'
  const bytes = new Uint8Array(await readFile(path))
  const uploaded = await calls.upload(path.slice(folder.length + 1), bytes)
  const { data } = await calls.create(type, { file_id: uploaded.data.file_id, ...body })
  const done = await calls.ended(type, data.task_id)
  expect(done.data).toMatchObject({ status: 'completed' })
  const { file_id } = done.data.output_result as { file_id: string }
  const resultPath = join(folder, `${data.task_id}-${file_id}`)
  await writeFile(resultPath, await calls.download(file_id))
  return resultPath
}

/** Cleans a video in this process, with models. Returns the path of the result. */
async function cleaned(path: string, userModels: PackSettings['own'], body: object): Promise<string> {
  const files = await stageFiles([path])
  configureModels(userModels)
  const { context, results } = createTestContext(files, folder)
  await run(videoPurify.input.parse({ file_id: fileIdOf(path), ...body }), context)
  return results[0]?.path ?? ''
}

const inpainting = (...regions: object[]) => ({
  ...{ purify_scope: 'region', purify_func_type: 'raft', regions },
})

/** Yields luma indexes of the middle half of a box. */
function* middleOf({ x, y, w, h }: typeof overlayBoxes.logo): Generator<number> {
  for (let row = Math.ceil((y + h / 4) * size.height); row < (y + (3 * h) / 4) * size.height; row += 1) {
    for (
      let column = Math.ceil((x + w / 4) * size.width);
      column < (x + (3 * w) / 4) * size.width;
      column += 1
    )
      yield row * size.width + column
  }
}

const frameOf = (all: Uint8Array, index: number) =>
  all.subarray(index * size.width * size.height * 1.5, (index + 1) * size.width * size.height * 1.5)

function meanIn(frame: Uint8Array, box: typeof overlayBoxes.logo): number {
  const values = [...middleOf(box)].map((at) => frame[at] ?? 0)
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Luma PSNR of treated pixels over some frames, in dB. */
function treatedPsnr(
  all: Uint8Array,
  { truth, coveredFrames }: { truth: readonly Frame[]; coveredFrames: readonly number[] },
): number {
  let [squares, count] = [0, 0]
  for (const index of coveredFrames) {
    for (const at of middleOf(overlayBoxes.subtitle)) {
      squares += ((frameOf(all, index)[at] ?? 0) - (truth[index]?.bytes[at] ?? 0)) ** 2
      count += 1
    }
  }
  return 10 * Math.log10((255 * 255 * count) / squares)
}

describe('video_purify with raft', () => {
  const count = 9
  const scene = createScene('slow pan', { ...size, count })
  const lines = subtitles(scene, { visibleFrames: 5, hiddenFrames: 3 })
  const body = inpainting(overlayBoxes.logo, overlayBoxes.subtitle)
  let path = ''
  /** Samples of the film, and of the film that is cleaned without models. */
  let [original, warped]: readonly [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()]
  beforeAll(async () => {
    const mark = logo(scene)
    path = await film('both.mp4', scene, {
      patchesAt: () => [],
      draw(frame, index) {
        lines.draw(frame, index)
        mark.draw(frame, index)
      },
    })
    ;[original, warped] = await decodeBoth([path, await cleaned(path, {}, body)], { ...size, count })
  })

  it('without models, warps the background accurately', async () => {
    const truth = Array.from({ length: count }, (_, index) => scene.frameAt(index))
    const coveredFrames = truth.flatMap((_, index) => (lines.patchesAt(index).length > 0 ? [index] : []))
    const [source, warpedPsnr] = [
      treatedPsnr(original, { truth, coveredFrames }),
      treatedPsnr(warped, { truth, coveredFrames }),
    ]
    expect(source).toBeLessThan(15)
    expect(warpedPsnr).toBeGreaterThan(28)
  })

  it('with models, over HTTP, fills hidden content by the inpainting model, uses the flow model and charges the quoted price', async () => {
    const before = await calls.balance()
    const generated = await decodeSamples(await cleanedByService(path, body))
    expect(await calls.balance()).toBe(before - 1)
    for (const index of [0, 8]) {
      // Warped content matches the brightness of its surroundings.
      expect(Math.abs(meanIn(frameOf(generated, index), overlayBoxes.logo) - lumaOf(0.9))).toBeLessThan(15)
      expect(meanIn(frameOf(warped, index), overlayBoxes.logo)).toBeLessThan(lumaOf(0.7))
    }
    // The result if all local motion were 5 px right and 3 px down, as the stub model reports.
    const truth = Array.from({ length: count }, (_, index) => ({ ...size, bytes: frameOf(warped, index) }))
    expect(treatedPsnr(generated, { truth, coveredFrames: [2, 3, 4] })).toBeLessThan(35)
  })
})

describe('a finished part is reused', () => {
  it('with the same models, and not with others, which fill full-range video in full range', async () => {
    const path = join(folder, 'full.mp4')
    const white = [
      '-f',
      'lavfi',
      '-i',
      `color=white:size=${size.width}x${size.height}:rate=12`,
      '-frames:v',
      '2',
    ]
    await ffmpeg(...white, '-vf', 'scale=out_range=pc', ...h264, '-pix_fmt', 'yuvj420p', path)
    const attempt = async (userModels: PackSettings['own']) => {
      const result = await cleaned(path, userModels, inpainting(overlayBoxes.logo))
      const samples = await decodeSamples(result, 'yuvj420p')
      expect(samples[0]).toBeGreaterThan(250)
      return meanIn(frameOf(samples, 0), overlayBoxes.logo)
    }
    expect(Math.abs((await attempt(bothModels)) - 0.9 * 255)).toBeLessThan(4)
    expect(Math.abs((await attempt({ inpainting: dark })) - 0.1 * 255)).toBeLessThan(4)
    await expect(attempt({ inpainting: flow })).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('mask') as string,
    })
  })
})

it('image_purify uses the configured inpainting model', async () => {
  const path = join(folder, 'still.png')
  const drawn = 'color=0x404040:size=256x144,format=gbrp,drawbox=x=100:y=60:w=60:h=30:color=white:t=fill'
  await ffmpeg('-f', 'lavfi', '-i', drawn, '-frames:v', '1', path)
  const body = { purify_scope: 'region', regions: [{ x: 0.35, y: 0.35, w: 0.35, h: 0.35 }] }
  configureModels(bothModels)
  const { path: result } = await runInWorker(
    { operation: imagePurify, plan: planImage, run: runImage },
    { file_id: fileIdOf(path), ...body },
    { files: await stageFiles([path]), folder },
  )
  const pixels = await ffmpeg('-i', result, '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1')
  expect(Math.round((pixels[72 * 256 + 130] ?? 0) / 8)).toBe(Math.round((0.9 * 255) / 8))
})
