import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import type { Frame } from '../../src/media/clean/frame.ts'
import { operations } from '../../tools/index.ts'
import { videoPurify } from '../../tools/video-purify/contract.ts'
import { run } from '../../tools/video-purify/run.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { writeModelFile, fakeInpaintingModel, constantFlowModel } from '../engines/vision/fake-models.ts'
import { logo, overlayBoxes, subtitles, type Overlay } from '../footage/overlay.ts'
import { createScene, type Scene } from '../footage/scene.ts'
import { writeFrames } from '../footage/write-video.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { decodeSamples } from './run-purify.ts'

const folder = await scratchFolder()
const size = { width: 256, height: 144 }
const fps = 12
const bright = await writeModelFile(folder, fakeInpaintingModel(['rows', 'columns'], { tone: 0.9 }))
const dark = await writeModelFile(folder, fakeInpaintingModel(['rows', 'columns'], { tone: 0.1 }))
const flow = await writeModelFile(folder, constantFlowModel(5, 3))

/** Luma of a grey tone (0 to 1), in limited range. */
const lumaOf = (tone: number) => 16 + 219 * tone

interface ModelAccount {
  readonly calls: Api
  upload(path: string): Promise<string>
}
const running: TestService[] = []
afterAll(async () => void (await Promise.all(running.map((one) => one[Symbol.asyncDispose]()))))

async function startWithModels(userModels: PackSettings['own']): Promise<ModelAccount> {
  const service = await startTestService({ operations, userModels })
  running.push(service)
  const calls = api(await service.account(20))
  return {
    calls,
    upload: async (path) =>
      (await calls.upload(path.slice(folder.length + 1), new Uint8Array(await readFile(path)))).data.file_id,
  }
}

let withoutModels: ModelAccount
let withModels: ModelAccount
beforeAll(async () => {
  // The service process checks the settings before it accepts a task.
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
  withoutModels = await startWithModels({})
  withModels = await startWithModels({ inpainting: bright, 'optical-flow': flow })
})

async function film(name: string, scene: Scene, overlay: Overlay): Promise<string> {
  const frames = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  frames.forEach((frame, index) => overlay.draw(frame, index))
  return await writeFrames(join(folder, name), frames, fps)
}

/** Runs a request and returns its result as a file. */
async function cleaned(
  account: ModelAccount,
  [type, path]: readonly [string, string],
  body: object,
): Promise<string> {
  const { data } = await account.calls.create(type, { file_id: await account.upload(path), ...body })
  const done = await account.calls.ended(type, data.task_id)
  expect(done.data).toMatchObject({ status: 'completed' })
  const { file_id } = done.data.output_result as { file_id: string }
  const resultPath = join(folder, `${data.task_id}-${file_id}`)
  await writeFile(resultPath, await account.calls.download(file_id))
  return resultPath
}

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

describe('video_purify with raft, over HTTP', () => {
  it('without models, warps the background accurately and charges the quoted price', async () => {
    const count = 15
    const scene = createScene('slow pan', { ...size, count })
    const overlay = subtitles(scene, { visibleFrames: 9, hiddenFrames: 3 })
    const path = await film('subtitles.mp4', scene, overlay)
    const before = await withoutModels.calls.balance()
    const resultPath = await cleaned(withoutModels, ['video_purify', path], {
      purify_scope: 'region',
      regions: [overlayBoxes.subtitle],
      purify_func_type: 'raft',
    })
    expect(await withoutModels.calls.balance()).toBe(before - 1)
    const all = await decodeSamples(resultPath)
    expect(all.length).toBe(count * size.width * size.height * 1.5)
    const truth = Array.from({ length: count }, (_, index) => scene.frameAt(index))
    const coveredFrames = truth.flatMap((_, index) => (overlay.patchesAt(index).length > 0 ? [index] : []))
    const [source, warpedPsnr] = [
      treatedPsnr(await decodeSamples(path), { truth, coveredFrames }),
      treatedPsnr(all, { truth, coveredFrames }),
    ]
    expect(source).toBeLessThan(15)
    expect(warpedPsnr).toBeGreaterThan(28)
  })

  it('with models, fills hidden content by the inpainting model and uses the flow model', async () => {
    const scene = createScene('walker', { ...size, count: 9 })
    const [lines, mark] = [subtitles(scene, { visibleFrames: 5, hiddenFrames: 3 }), logo(scene)]
    const path = await film('both.mp4', scene, {
      patchesAt: () => [],
      draw(frame, index) {
        lines.draw(frame, index)
        mark.draw(frame, index)
      },
    })
    const body = {
      purify_scope: 'region',
      regions: [overlayBoxes.logo, overlayBoxes.subtitle],
      purify_func_type: 'raft',
    }
    const [warped, generated] = [
      await decodeSamples(await cleaned(withoutModels, ['video_purify', path], body)),
      await decodeSamples(await cleaned(withModels, ['video_purify', path], body)),
    ]
    for (const index of [0, 8]) {
      // Warped content matches the brightness of its surroundings.
      expect(Math.abs(meanIn(frameOf(generated, index), overlayBoxes.logo) - lumaOf(0.9))).toBeLessThan(15)
      expect(meanIn(frameOf(warped, index), overlayBoxes.logo)).toBeLessThan(lumaOf(0.7))
    }
    // The result if all local motion were 5 px right and 3 px down, as the stub model reports.
    const truth = Array.from({ length: 9 }, (_, index) => ({ ...size, bytes: frameOf(warped, index) }))
    expect(treatedPsnr(generated, { truth, coveredFrames: [2, 3, 4] })).toBeLessThan(35)
  })
})

it('a model fills full-range video in full range', async () => {
  const path = join(folder, 'full.mp4')
  const white = ['-f', 'lavfi', '-i', 'color=white:size=256x144:rate=12', '-frames:v', '3']
  await ffmpeg(...white, '-vf', 'scale=out_range=pc', '-pix_fmt', 'yuvj420p', '-c:v', 'libx264', path)
  const resultPath = await decodeSamples(
    await cleaned(withModels, ['video_purify', path], {
      purify_scope: 'region',
      regions: [overlayBoxes.logo],
      purify_func_type: 'raft',
    }),
    'yuvj420p',
  )
  expect(resultPath[0]).toBeGreaterThan(250)
  expect(Math.abs(meanIn(frameOf(resultPath, 0), overlayBoxes.logo) - 0.9 * 255)).toBeLessThan(4)
})

describe('a finished part is reused', () => {
  it('with the same models, and not with others', async () => {
    const scene = createScene('static', { ...size, count: 6 })
    const path = await film('resumed.mp4', scene, logo(scene))
    const files = await stageFiles([path])
    const attempt = async (userModels: PackSettings['own']) => {
      configurePacks({ folder: join(folder, 'packs'), automatic: false, own: userModels, manifest })
      const { context, results } = createTestContext(files, folder)
      const body = { purify_scope: 'region', regions: [overlayBoxes.logo], purify_func_type: 'raft' }
      await run(videoPurify.input.parse({ file_id: fileIdOf(path), ...body }), context)
      return meanIn(frameOf(await decodeSamples(results[0]?.path ?? ''), 0), overlayBoxes.logo)
    }
    expect(Math.abs((await attempt({ inpainting: bright })) - lumaOf(0.9))).toBeLessThan(4)
    expect(Math.abs((await attempt({ inpainting: dark })) - lumaOf(0.1))).toBeLessThan(4)
    await expect(attempt({ inpainting: flow })).rejects.toMatchObject({
      code: 6016,
      hint: expect.stringContaining('mask') as string,
    })
  })
})

it('image_purify uses the configured inpainting model, and exemplars without one', async () => {
  const path = join(folder, 'still.png')
  const drawn = 'color=0x404040:size=256x144,format=gbrp,drawbox=x=100:y=60:w=60:h=30:color=white:t=fill'
  await ffmpeg('-f', 'lavfi', '-i', drawn, '-frames:v', '1', path)
  const body = { purify_scope: 'region', regions: [{ x: 0.35, y: 0.35, w: 0.35, h: 0.35 }] }
  const middles = []
  for (const account of [withModels, withoutModels]) {
    const resultPath = await cleaned(account, ['image_purify', path], body)
    const pixels = await ffmpeg('-i', resultPath, '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1')
    middles.push(pixels[72 * 256 + 130] ?? 0)
  }
  expect(middles.map((tone) => Math.round(tone / 8))).toEqual([Math.round((0.9 * 255) / 8), 0x40 / 8])
})
