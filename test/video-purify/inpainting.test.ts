import { join } from 'node:path'
import { expect, it } from 'vitest'
import { uprightSize } from '../../src/media/geometry.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { findOverlay } from '../../src/media/clean/inpaint/overlay.ts'
import { createPatchLookup } from '../../src/media/clean/masks.ts'
import type { Region } from '../../src/media/clean/region.ts'
import { learnOverlays } from '../../src/engines/clean/clean-video.ts'
import { processPart } from '../../src/engines/clean/part.ts'
import { wholePicture } from '../../src/engines/clean/parts.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { logo, overlayBoxes, type Box } from '../footage/overlay.ts'
import { createScene } from '../footage/scene.ts'
import { writeFrames } from '../footage/write-video.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { decodeBoth, purify } from './run-purify.ts'

const folder = await scratchFolder()
configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
const size = { width: 228, height: 128 }
const fps = 25
const box = { x: 0.55, y: 0.1, w: 0.35, h: 0.25 }

const signal = new AbortController().signal
const reading = { threads: 1, signal, timeoutMs: 60_000 }

async function stagedFootage(path: string) {
  return await wholePicture((await stageFiles([path])).get(fileIdOf(path)), signal)
}

const lasting = ({ x, y, w, h }: Box, [start, end]: readonly [number, number]): Region => ({
  ...{ x, y, w, h },
  ...{ start, end },
})

it('overlays are learned from the frames on which they are marked', async () => {
  // Every fifth frame is analysed; the mark is visible on that frame and the next.
  const [step, visible, samples] = [5, 2, 14]
  const shots = Array.from({ length: samples / 2 }, (_, seed) =>
    createScene('slow pan', { ...size, count: 2 * step, seed: 40 + seed }),
  )
  const [first] = shots
  if (!first) throw new RangeError('there is no shot')
  const mark = logo(first, { strength: 0.35, box })
  // Frames that are not analysed repeat those before, because drawing takes most of the time.
  const frames = shots.flatMap((shot) =>
    [0, step].flatMap((index) => {
      const plain = shot.frameAt(index)
      const marked = { ...plain, bytes: plain.bytes.slice() }
      mark.draw(marked, index)
      return Array.from({ length: step }, (_, later) => (later < visible ? marked : plain))
    }),
  )
  const footage = await stagedFootage(await writeFrames(join(folder, 'blinking.mp4'), frames, fps))
  const remove = Array.from({ length: samples }, (_, sample) =>
    lasting(box, [(sample * step) / fps, (sample * step + visible) / fps]),
  )
  const shares: number[] = []
  const marked = { remove, protect: [] }
  const known = await learnOverlays(
    { footage, marked },
    { ...reading, onShare: (share) => shares.push(share) },
  )
  expect(shares.at(-1)).toBe(1)
  const patchesAt = createPatchLookup(marked, { size: uprightSize(footage.video), rate: footage.rate })
  const [patch] = patchesAt(0)
  const overlay = patch && findOverlay(known, patch)
  if (!patch || !overlay) throw new RangeError('the overlay was not learned')
  const [clean, drawn] = [first.frameAt(0), first.frameAt(0)]
  mark.draw(drawn, 0)
  const through = [...overlay.transmittance].filter((share, at) => {
    const place = (patch.y + Math.floor(at / patch.width)) * size.width + patch.x + (at % patch.width)
    return share > 0 && drawn.bytes[place] !== clean.bytes[place]
  })
  const middle = through.toSorted((one, other) => one - other)[through.length >> 1] ?? 0
  expect(through.length).toBeGreaterThan(300)
  expect(Math.abs(middle - 0.65)).toBeLessThan(0.15)
})

it('frames before the start of the picture do not count as background', async () => {
  const scene = createScene('static', { ...size, count: 6 })
  const frames = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  frames.forEach((frame, index) => logo(scene).draw(frame, index))
  const film = await writeFrames(join(folder, 'film.mp4'), frames, 12)
  const source = join(folder, 'late.mp4')
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=4']
  const late = ['-itsoffset', '3', '-i', film]
  await ffmpeg(...sound, ...late, '-map', '1', '-map', '0', '-c:v', 'copy', '-c:a', 'aac', source)
  const { path } = await purify(source, folder, {
    ...{ purify_scope: 'region', purify_func_type: 'raft' },
    regions: [{ ...overlayBoxes.logo, start: 3 }],
  })
  const [before, after] = await decodeBoth([source, path], { ...size, count: scene.count })
  const [patch] = logo(scene).patchesAt(0)
  if (!patch) throw new RangeError('there is no patch')
  let changed = 0
  for (let row = 0; row < patch.height; row += 1) {
    const from = (patch.y + row) * size.width + patch.x
    for (let at = from; at < from + patch.width; at += 1)
      changed += Math.abs((before[at] ?? 0) - (after[at] ?? 0)) / (patch.width * patch.height)
  }
  expect(changed).toBeGreaterThan(20)
})

it('no model is called after a part is aborted', async () => {
  const scene = createScene('static', { ...size, count: 3 })
  const frames = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  const footage = await stagedFootage(await writeFrames(join(folder, 'stopped.mp4'), frames, fps))
  const stop = new AbortController()
  let calls = 0
  const result = processPart(
    {
      ...{
        path: join(folder, 'stopped-part.mp4'),
        footage,
        first: 0,
        count: 3,
        contextFrames: 0,
        isLast: true,
      },
      marked: {
        remove: [overlayBoxes.logo, overlayBoxes.subtitle].map((place) => lasting(place, [0, 1])),
        protect: [],
      },
      ...{
        treatment: 'inpainting',
        overlays: [],
        effort: 'veryfast',
        crf: 20,
        threads: 1,
        timeoutMs: 60_000,
      },
    },
    {
      learned: {
        fill: () => {
          calls += 1
          stop.abort()
          return Promise.resolve()
        },
      },
      signal: stop.signal,
      onFrames: () => {},
    },
  )
  await expect(result).rejects.toThrow('aborted')
  expect(calls).toBe(1)
})
