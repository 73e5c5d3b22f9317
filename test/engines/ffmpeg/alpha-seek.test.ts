import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { MediaError } from '../../../src/contract/errors.ts'
import type { VideoFacts } from '../../../src/contract/media-facts.ts'
import { transparentSeekTime } from '../../../src/engines/ffmpeg/alpha-seek.ts'
import { framesAt } from '../../../src/engines/ffmpeg/frames-at.ts'
import { locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { rgb } from '../../video-split-screen/media.ts'
import { renderSplit } from '../../video-split-screen/render.ts'
import { consecutiveClips, render, request } from '../../video-timeline-render/render.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { generateMedia, h264, picture, scratchFolder } from './generate-media.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'
import { transparentVideo, withoutTransparencyKey } from './transparent-video.ts'
import { sampleCases } from '../../soak-size.ts'

const folder = await scratchFolder()
const path = join(folder, 'alpha.webm')
const broken = join(folder, 'broken.webm')
const plain = join(folder, 'plain.mp4')
let video: VideoFacts
beforeAll(async () => {
  await transparentVideo(path)
  video = await videoFacts(path)
  await withoutTransparencyKey(broken, path)
  await generateMedia(plain, [...picture(2), ...h264])
})

/** Returns the times of the key frames of the colour, seconds. */
async function colourKeyFrames(file: string): Promise<number[]> {
  const { ffprobe } = await locateFfmpeg()
  const args = [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-show_entries',
    'packet=pts_time,flags',
    '-of',
    'csv=p=0',
  ]
  const { stdout } = await promisify(execFile)(ffprobe, [...args, file])
  return [...stdout.matchAll(/^([\d.]+),K/gm)].map(([, time]) => Number(time))
}

async function videoFacts(file: string): Promise<VideoFacts> {
  const facts = await probe(file)
  if (!facts.video) throw new TypeError('no video')
  return facts.video
}

/** The mean of a part of a row of a picture in red, green and blue. */
function mean(picture_: Buffer, width: number, [row, from, to]: readonly [number, number, number]): number[] {
  return [0, 1, 2].map((channel) => {
    let sum = 0
    for (let x = from; x < to; x += 1) sum += picture_[(row * width + x) * 3 + channel] ?? 0
    return sum / (to - from)
  })
}

function expectNear(color: readonly number[], expected: readonly number[]) {
  for (const [channel, value] of expected.entries())
    expect(Math.abs((color[channel] ?? 0) - value), color.join()).toBeLessThan(40)
}

describe('a transparent video with key frames of the colour alone', () => {
  it('is decoded from an earlier time', async () => {
    expect(video.alpha).toBe(true)
    expect((await colourKeyFrames(path)).length).toBeGreaterThan(1)
    expect(await transparentSeekTime(path, { video, seconds: 2.5, signal: undefined })).toBeLessThanOrEqual(
      0.5,
    )
    expect(await transparentSeekTime(path, { video, seconds: 0.5, signal: undefined })).toBe(0.5)
    const cut = await videoFacts(broken)
    const time = { video: { ...cut, alpha: true }, seconds: 1, signal: undefined }
    expect(await transparentSeekTime(broken, time)).toBeUndefined()
  })

  /** In each kind of result. */
  const results = {
    async 'shows the picture and the transparency of its range in a timeline'() {
      const cut = { path, from: 2.4, seconds: 0.4 }
      const rendered = await render(request({ picture: consecutiveClips([cut]) }), folder)
      const frame = await rgb(rendered.path, 5)
      expectNear(mean(frame, 160, [45, 10, 70]), [0, 0, 255])
      expectNear(mean(frame, 160, [45, 90, 150]), [0, 0, 0])
    },
    async 'shows them in a split screen, over the background'() {
      const clip = { file_id: path, begin_time_ms: 2400, end_time_ms: 2800 }
      const rendered = await renderSplit(
        {
          ...{ clips: [clip, clip], quality: '720p', output_ratio: '1:1', audio_mode: 'mute' },
          ...{ background_color: '#FF0000', fit_mode: 'contain' },
        },
        folder,
      )
      const { width, height, layout } = rendered.output
      const slot = layout.slots[0]?.destination_rect
      if (!slot) throw new TypeError('no slot')
      const row = Math.round((slot.y + slot.height / 2) * height)
      const at = (share: number) => Math.round((slot.x + share * slot.width) * width)
      const frame = await rgb(rendered.path, 5)
      expectNear(mean(frame, width, [row, at(0.1), at(0.4)]), [0, 0, 255])
      expectNear(mean(frame, width, [row, at(0.6), at(0.9)]), [255, 0, 0])
    },
    async 'shows them in a preview'() {
      const options = { video, times: [2500, 3500], stepMs: 1000, width: 16, height: 9, signal: undefined }
      const [blue, white] = await framesAt(path, options)
      if (!blue || !white) throw new TypeError('a frame is missing')
      expectNear([...blue.subarray(4 * (4 * 16 + 3), 4 * (4 * 16 + 3) + 3)], [0, 0, 255])
      expectNear([...white.subarray(4 * (4 * 16 + 3), 4 * (4 * 16 + 3) + 3)], [255, 255, 255])
      expect(blue[4 * (4 * 16 + 12) + 3]).toBeLessThan(40)
    },
  }

  it.each(sampleCases(Object.entries(results), 2))('%s', async (_, check) => await check())
})

describe('a transparent video of which no picture decodes', () => {
  /** In each operation. */
  const failures = {
    async 'fails with 6021 and its name in a timeline'() {
      const cuts = [
        { path: plain, from: 0, seconds: 0.4 },
        { path: broken, from: 0.6, seconds: 0.6 },
      ]
      await expect(render(request({ picture: consecutiveClips(cuts) }), folder)).rejects.toMatchObject({
        code: 6021,
        message: expect.stringContaining('broken.webm') as string,
      })
    },
    async 'fails with 6021 and its name in a split screen'() {
      const clips = [{ file_id: plain }, { file_id: broken }]
      const body = { clips, quality: '720p', output_ratio: '1:1', audio_mode: 'mute' }
      await expect(renderSplit(body, folder)).rejects.toMatchObject({
        code: 6021,
        message: expect.stringContaining('broken.webm') as string,
      })
    },
  }

  it.each(sampleCases(Object.entries(failures), 1))('%s', async (_, check) => await check())
})

describe.skipIf(process.platform === 'win32')('a picture that the machine does not decode', () => {
  const search = (signal?: AbortSignal) => transparentSeekTime(path, { video, seconds: 0.5, signal })

  it('is an error of the machine, not of the file', async () => {
    using _ = await replaceFfmpeg(join(folder, 'killed'), 'kill -KILL $$')
    await expect(search()).rejects.toMatchObject({ code: 6402, retryable: true })
  })

  it('rejects with the reason of an abort, whatever its code', async () => {
    const abort = new AbortController()
    const reason = new MediaError(6021, 'another file is damaged')
    using _ = await replaceFfmpeg(join(folder, 'aborted'), 'exec sleep 60')
    const searching = search(abort.signal)
    abort.abort(reason)
    await expect(searching).rejects.toBe(reason)
  })

  it('is searched for 60 s in total', async () => {
    const log = join(folder, 'starts')
    await writeFile(log, '')
    using _ = await replaceFfmpeg(join(folder, 'slow'), `printf x >> '${log}'`)
    const starts = () => readFileSync(log).length
    // Every attempt takes 25 s.
    const clock = { ...systemClock, now: () => 25_000 * starts() }
    await expect(
      transparentSeekTime(path, { video, seconds: 9000, signal: undefined, clock }),
    ).rejects.toMatchObject({ code: 6402, message: expect.stringContaining('within 60 s') as string })
    expect(starts()).toBe(3)
  })

  it('is searched once for each time by a split screen', async () => {
    const log = join(folder, 'searches')
    await writeFile(log, '')
    const script = `case "$*" in *scale=2:2*) printf x >> '${log}';; esac; exec "$FFMPEG" "$@"`
    using _ = await replaceFfmpeg(join(folder, 'counted'), script)
    const clip = { file_id: path, begin_time_ms: 200, end_time_ms: 400 }
    await renderSplit(
      { clips: [clip, clip], quality: '720p', output_ratio: '1:1', audio_mode: 'mute' },
      folder,
    )
    // The start and the end of the range of both clips.
    expect(readFileSync(log).length).toBe(4)
  })
})
