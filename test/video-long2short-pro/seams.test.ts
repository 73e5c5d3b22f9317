import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { planClipsRequest } from '../../src/engines/shorts/clip-request.ts'
import { planClips } from '../../src/engines/shorts/plan-clips.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import { videoLong2shortPro } from '../../tools/video-long2short-pro/contract.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { useNoPacks } from '../engines/vision/test-packs.ts'
import { findClicks } from '../recordings/judge.ts'
import { soakSize } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { runPro, talkRate, type ToneTalk, writeToneTalk } from './run-pro.ts'

const folder = await scratchFolder()
const soundRate = 48_000

/** Level of the tone and the noise below the words: a cut at any phase of the tone steps by up to 0.08. */
const background = '0.04*sin(2*PI*110*t)+0.002*(2*random(0)-1)'
const backgroundLevel = Math.sqrt(0.04 ** 2 / 2 + 0.002 ** 2 / 3)

let talk: ToneTalk
/** Kept source frames of the only clip. */
let ranges: readonly FrameSpan[]

const small = {
  ...{ output_size: '64x36', duration: { pref: 'short' }, camera_move: { enable: false } },
  subtitle: { enable: false },
}

beforeAll(async () => {
  useNoPacks(join(folder, 'packs'))
  // Jump cuts leave 0.4 s of each pause, so that there is sound to borrow for the longest crossfade at double speed.
  talk = await writeToneTalk(join(folder, 'talk.mp4'), soakSize(15, 24), { background, pause: 1.6 })
  const files = await stageFiles([talk.path])
  const input = videoLong2shortPro.input.parse({
    ...{ ...small, file_id: fileIdOf(talk.path), language: 'en-US', stt: talk.stt },
  })
  const { context } = createTestContext(files, join(folder, 'plan'))
  const plan = await planClips(files.get(input.file_id), planClipsRequest(input, files), context)
  ranges = plan.clips[0]?.ranges ?? []
})

const framesOf = (list: readonly FrameSpan[]) => list.reduce((sum, { first, end }) => sum + end - first, 0)

/** The sound of a clip, one channel. */
async function readSound(path: string): Promise<Float32Array> {
  const bytes = await ffmpeg(
    '-i',
    path,
    '-af',
    'pan=mono|c0=c0',
    '-ar',
    String(soundRate),
    '-f',
    'f32le',
    'pipe:1',
  )
  return new Float32Array(Uint8Array.from(bytes).buffer)
}

/** Times of the seams, and of the words beside them, seconds of the clip. */
function seamsAt(speed: number) {
  const { word_tc_list: words } = talk.stt
  return ranges.slice(1).map(({ first }, index) => {
    const end = (ranges[index]?.end ?? 0) / talkRate
    const before = words.findLast((word) => word.end_time <= end)
    const after = words.find((word) => word.start_time >= first / talkRate)
    const at = framesOf(ranges.slice(0, index + 1)) / talkRate / speed
    return {
      at,
      wordBefore: at - (end - (before?.end_time ?? 0)) / speed,
      wordAfter: at + ((after?.start_time ?? 0) - first / talkRate) / speed,
    }
  })
}

/** Sound of words that a change of the speed spreads into the pauses beside them, seconds of the clip. */
const spread = 0.04

/** Levels of windows of 80 ms at and beside a seam, within its pause, against that of the source; dB. */
function pauseLevels(
  sound: Float32Array,
  { at: seam, wordBefore, wordAfter }: ReturnType<typeof seamsAt>[number],
): number[] {
  const window = 0.08 * soundRate
  const levels: number[] = []
  const first = Math.max(wordBefore + spread, seam - 0.16) * soundRate
  const last = Math.min(wordAfter - spread, seam + 0.16) * soundRate - window
  for (let at = Math.ceil(first); at <= last; at += window / 16) {
    const part = sound.subarray(at, at + window)
    const power = part.reduce((sum, value) => sum + value * value, 0) / part.length
    levels.push(10 * Math.log10(power / backgroundLevel ** 2))
  }
  return levels
}

const crossfadesAndSpeeds = [0, 30, 500].flatMap((crossfade) =>
  [0.5, 1, 1.25, 2].map((factor) => [crossfade, factor] as const),
)

it.each(soakSize([[500, 2]], crossfadesAndSpeeds))(
  'a crossfade of %d ms at speed %d has no click and keeps the level and the length',
  async (crossfade, factor) => {
    const { output, paths } = await runPro(
      talk.path,
      { ...small, stt: talk.stt, speed: { factor }, seam: { crossfade_ms: crossfade } },
      { folder },
    )
    // Without a language model, and nothing else is left out.
    expect(Object.keys(output.errors)).toEqual(['selection'])
    expect(output.clips).toHaveLength(1)
    expect(ranges.length).toBeGreaterThan(2)
    const path = paths.get('clip1.mp4') ?? ''
    const { video, audio } = await probe(path)
    const planned = framesOf(ranges) / talkRate / factor
    for (const milliseconds of [video?.duration_ms, audio[0]?.duration_ms])
      expect(Math.abs((milliseconds ?? 0) / 1000 - planned)).toBeLessThanOrEqual(0.04)
    const sound = await readSound(path)
    // A change of the speed alone changes the level of a tone by up to 1 dB.
    const most = factor === 1 ? 0.6 : 1.5
    for (const seam of seamsAt(factor)) {
      const levels = pauseLevels(sound, seam)
      expect(levels.length).toBeGreaterThan(3)
      expect(Math.min(...levels)).toBeGreaterThan(-most)
      expect(Math.max(...levels)).toBeLessThan(most)
      // Everywhere in the pause: a crossfade also has a start and an end.
      const times = Array.from(
        { length: 200 },
        (_, index) => index * 0.004 + seam.wordBefore + spread,
      ).filter((time) => time < seam.wordAfter - spread)
      expect(findClicks({ samples: sound, rate: soundRate }, [seam.at, ...times])).toEqual([])
    }
  },
)
