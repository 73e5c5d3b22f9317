import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { useNoPacks } from '../engines/vision/test-packs.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { type ProRun, runPro, talkRate, type ToneTalk, writeToneTalk } from './run-pro.ts'

const folder = await scratchFolder()
let talk: ToneTalk
/** One sentence, for what does not depend on the length. */
let brief: ToneTalk
beforeAll(async () => {
  useNoPacks(join(folder, 'packs'))
  talk = await writeToneTalk(join(folder, 'talk.mp4'), 20)
  brief = await writeToneTalk(join(folder, 'brief.mp4'), 4)
})

/** A small picture renders quickly. */
const small = { output_size: '180x320', duration: { pref: 'short' } }
/** For clips whose pictures are not compared. */
const tiny = { output_size: '90x160' }

const finish = (request: object, options: object = {}): Promise<ProRun> =>
  runPro(talk.path, { ...small, stt: talk.stt, ...request }, { folder, ...options })

const finishBrief = (request: object, options: object = {}): Promise<ProRun> =>
  runPro(brief.path, { ...small, stt: brief.stt, ...request }, { folder, ...options })

/** Finished brief clips of requests that several tests look at. */
const finished = new Map<string, Promise<ProRun>>()

function finishOnce(request: object): Promise<ProRun> {
  const key = JSON.stringify(request)
  const run = finished.get(key) ?? finishBrief(request)
  finished.set(key, run)
  return run
}

function pathOf({ paths }: ProRun, name = 'clip1.mp4'): string {
  const path = paths.get(name)
  if (path === undefined) throw new Error(`there is no ${name}`)
  return path
}

/** Luma of a frame of a clip, 180 x 320. */
async function lumaAt(path: string, seconds: number): Promise<Buffer> {
  return await ffmpeg(
    ...['-ss', seconds.toFixed(3), '-i', path, '-frames:v', '1'],
    ...['-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'],
  )
}

/** Mean difference of the rows of two pictures of a width of 180, levels. */
function difference(one: Buffer, other: Buffer, [from, to]: readonly [number, number]): number {
  let sum = 0
  for (let at = from * 180; at < to * 180; at += 1) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0))
  return sum / (180 * (to - from))
}

/** Of the shape of the source, so that its pictures are not analysed, for what does not depend on them. */
const unframed = { output_size: '64x36' }
const still = { camera_move: { enable: false } }
const plainly = { ...still, subtitle: { enable: false } }
const moving = { camera_move: { probability: 1, max_ratio: 1, amplitude: 0.4 } }
/** There is no language model. */
const untranslated = { ...still, subtitle: { translate_language: 'zh-CN' } }

describe('finished clips', () => {
  it('are one mp4 each, as long as planned, and say what was done in a simpler way', async () => {
    const done = await finish(tiny)
    const { clips, report, errors } = done.output
    expect(report).toMatchObject({ clip_count: clips.length, jump_cut: true, degraded: true })
    // Without a language model.
    expect(errors.selection).toMatch(/language model/)
    expect(report.degraded_items['clip1']).toContain('selection')
    expect(report.degraded).toBe(Object.keys(errors).length > 0)
    expect(clips.length).toBeGreaterThan(0)
    for (const [index, { file, source_start, source_end, ...clip }] of clips.entries()) {
      expect(file).toMatchObject({ type: 'video', format: 'mp4', filename: `clip${index + 1}.mp4` })
      expect(Object.keys(clip)).not.toContain('text')
      expect(source_end).toBeGreaterThan(source_start)
      const { video, audio, duration_ms } = await probe(pathOf(done, file.filename))
      expect(video).toMatchObject({ width: 90, height: 160 })
      expect(audio).toHaveLength(1)
      expect(Math.abs(duration_ms / 1000 - (file.duration ?? 0))).toBeLessThanOrEqual(0.07)
      expect(file.duration).toBeGreaterThanOrEqual(10)
    }
    expect(done.progress).toEqual(done.progress.toSorted((one, other) => one - other))
  })

  it('last as long as the speed states, and highlighted words are on their time', async () => {
    const [usual, fast] = [
      await finishOnce(plainly),
      await finishBrief({ ...plainly, ...unframed, speed: { factor: 1.25 } }),
    ]
    const [one, other] = [usual.output.clips[0], fast.output.clips[0]]
    const frames = Math.round((one?.file.duration ?? 0) * talkRate)
    expect(other?.file.duration).toBeCloseTo(Math.round(frames / 1.25) / talkRate, 5)
    const { video, audio } = await probe(pathOf(fast))
    for (const stream of [video, audio[0]])
      expect(Math.abs((stream?.duration_ms ?? 0) / 1000 - (other?.file.duration ?? 0))).toBeLessThanOrEqual(
        0.05,
      )
    const times = (clip: typeof one) => clip?.highlight_words.map(({ begin_time }) => begin_time) ?? []
    expect(times(one).length).toBeGreaterThan(0)
    for (const [index, time] of times(one).entries()) expect(times(other)[index]).toBeCloseTo(time / 1.25, 2)
  })

  it('have subtitles above the lower fifth, only if they are enabled', async () => {
    const shown = await finishOnce(untranslated)
    const plain = await finishOnce(plainly)
    const [one, other] = await Promise.all([shown, plain].map((done) => lumaAt(pathOf(done), 1.5)))
    if (!one || !other) throw new Error('no picture')
    expect(difference(one, other, [180, 256])).toBeGreaterThan(4)
    expect(difference(one, other, [0, 100])).toBeLessThan(1)
    expect(difference(one, other, [264, 320])).toBeLessThan(1.5)
  })

  it('are the same in each attempt, with the same moves, and are not rendered again', async () => {
    const first = await finishOnce(moving)
    const log = join(folder, 'again.log')
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-log'), `echo "$@" >> '${log}'; exec "$FFMPEG" "$@"`)
    const scratch = join(pathOf(first), '..')
    const again = await finishBrief(moving, { scratch })
    expect(again.output.clips).toEqual(first.output.clips)
    expect(await readFile(log, 'utf8').catch(() => '')).not.toMatch(/libx264/)
    const without = await finishOnce(untranslated)
    // A push in shows another crop at the end, a pull out at the start, a pan at both.
    const changes = await Promise.all(
      [0.1, (first.output.clips[0]?.file.duration ?? 0) - 0.3].map(async (seconds) => {
        const [moved, held] = [await lumaAt(pathOf(first), seconds), await lumaAt(pathOf(without), seconds)]
        return difference(moved, held, [0, 150])
      }),
    )
    expect(Math.max(...changes)).toBeGreaterThan(4)
  })
})

describe('a step that fails', () => {
  it('is reported if subtitles cannot be translated, and the clip has those of its language', async () => {
    const { output } = await finishOnce(untranslated)
    expect(output.errors.subtitle).toMatch(/^not translated: /)
    expect(output.report.degraded_items['clip1']).toContain('subtitle')
    expect(output.clips[0]?.file.filename).toBe('clip1.mp4')
  })

  it('is left out if subtitles cannot be drawn', async () => {
    const script = 'case "$*" in *subtitles.ass*) echo "cannot draw" >&2; exit 1;; esac; exec "$FFMPEG" "$@"'
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-ass'), script)
    const done = await finishBrief({ ...still, ...tiny })
    expect(Object.keys(done.output.errors).toSorted()).toEqual(['camera', 'selection', 'subtitle'])
    expect((await probe(pathOf(done))).video).toMatchObject({ width: 90, height: 160 })
  })

  it('is left out if the speed cannot be changed: everything else stays plain', async () => {
    const script = 'case "$*" in *rubberband*|*atempo*) echo "no" >&2; exit 1;; esac; exec "$FFMPEG" "$@"'
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-tempo'), script)
    const done = await finishBrief({ ...still, ...unframed, speed: { factor: 1.5 } })
    const { errors, report, clips } = done.output
    expect(Object.keys(errors)).toEqual(expect.arrayContaining(['selection', 'speed', 'subtitle']))
    expect(report.degraded_items['clip1']).toEqual(expect.arrayContaining(['speed', 'subtitle']))
    const { duration_ms } = await probe(pathOf(done))
    expect(Math.abs(duration_ms / 1000 - (clips[0]?.file.duration ?? 0))).toBeLessThan(0.1)
    expect(
      (clips[0]?.file.duration ?? 0) - ((clips[0]?.source_end ?? 0) - (clips[0]?.source_start ?? 0)),
    ).toBeLessThan(0.1)
  })

  it('leaves out a clip that cannot be rendered at all, and fails without any other one', async () => {
    const request = { ...plainly, ...unframed, duration: { max_clip_sec: 8 }, jump_cut: false }
    const failing = (name: string) =>
      `case "$*" in *unfinished/${name}*) echo "no" >&2; exit 1;; esac; exec "$FFMPEG" "$@"`
    {
      using _ = await replaceFfmpeg(join(folder, 'ffmpeg-clip1'), failing('clip1.mp4'))
      const { clips, errors, report } = (await finish(request)).output
      expect(clips.length).toBeGreaterThan(0)
      expect(clips.map(({ file }) => file.filename)).not.toContain('clip1.mp4')
      expect(errors.camera).toMatch(/clip1: left out, because it could not be rendered/)
      expect([report.degraded_items['clip1'], report.clip_count]).toEqual([
        expect.arrayContaining(['camera']),
        clips.length,
      ])
    }
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-clips'), failing(''))
    await expect(finishBrief(request)).rejects.toThrow('ffmpeg exited with an error')
  })

  it('ends the task if the attempt is aborted', async () => {
    const controller = new AbortController()
    const reason = new Error('stopped')
    const progress = (percent: number) => {
      if (percent > 70) controller.abort(reason)
    }
    await expect(finishBrief(unframed, { context: { signal: controller.signal, progress } })).rejects.toBe(
      reason,
    )
  })
})
