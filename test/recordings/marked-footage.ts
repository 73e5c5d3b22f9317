import { join } from 'node:path'
import type { Rational } from '../../src/contract/media-facts.ts'
import { readVoice } from '../../src/engines/ffmpeg/sound.ts'
import { frameTime } from '../../src/media/frame-rate.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { setRotation } from '../engines/ffmpeg/generate-media.ts'
import { decodeLimits } from '../engines/speech/recordings.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import type { Recording } from './assemble.ts'
import { correlation } from './find-sound.ts'
import { writeRecording } from './frame-marks.ts'
import { noise } from './speech-sounds.ts'

/** Length of a level of the sound, seconds: no two places sound the same. */
const levelSeconds = 0.03

/** Generated sound that has another level and another noise at every time: mono, 16 kHz. */
export function changingNoise(seconds: number, seed = 1): Float32Array {
  const random = noise(seed)
  const step = Math.round(levelSeconds * speechRate)
  let level = 0
  return Float32Array.from({ length: Math.round(seconds * speechRate) }, (_, at) => {
    if (at % step === 0) level = 0.05 + 0.2 * Math.abs(random())
    return level * random()
  })
}

export interface MarkedFootageOptions {
  readonly name: string
  readonly rate: Rational
  readonly seconds: number
  /** By how much the sound starts after the picture; negative: before it. Seconds. */
  readonly soundLate?: number
  /** Seconds that an edit list hides at the start. */
  readonly hidden?: number
  /** Whether the picture is stored turned by 90 degrees, as phones do. */
  readonly turned?: boolean
  /** Filter that removes pictures, which makes the rate variable. */
  readonly select?: string
  /** Source timecode, such as 01:00:00;02. */
  readonly timecode?: string
}

/** Footage whose picture has the number of each frame, and its sound. */
export interface MarkedFootage {
  readonly path: string
  readonly samples: Float32Array
  readonly rate: Rational
  readonly soundLate: number
}

/** Writes footage of numbered frames with a sound that is different everywhere, as an mp4. */
export async function writeMarkedFootage(
  folder: string,
  { name, rate, seconds, soundLate = 0, hidden = 0, turned, select, timecode }: MarkedFootageOptions,
): Promise<MarkedFootage> {
  const samples = changingNoise(seconds)
  const truth = { language: 'en-US', script: '', seconds, words: [], passages: [], breaths: [], clicks: [] }
  const recording: Recording = { samples, truth: { ...truth, language: 'en-US' } }
  const plain = await writeRecording(folder, recording, { name: `${name}-plain`, rate })
  const path = join(folder, `${name}.mp4`)
  const filters = [
    ...(turned ? ['transpose=cclock'] : []),
    ...(select === undefined ? [] : [`select='${select}'`]),
  ]
  const picture = [...(filters.length > 0 ? ['-vf', filters.join(','), '-fps_mode', 'passthrough'] : [])]
  const isEncoded = picture.length > 0
  const cut = join(folder, `${name}-encoded.mp4`)
  const key = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-g', '12']
  const timescale = ['-video_track_timescale', select === undefined ? String(rate.num) : '90000']
  await ffmpeg(
    ...['-i', plain, '-map', '0', ...picture, ...(isEncoded || hidden > 0 ? key : ['-c:v', 'copy'])],
    ...['-c:a', 'copy', ...timescale, cut],
  )
  const start = hidden > 0 ? ['-ss', String(hidden)] : []
  // Each stream comes from its own input, so that one of them can start later.
  await ffmpeg(
    ...[...start, ...(soundLate < 0 ? ['-itsoffset', String(-soundLate)] : []), '-i', cut],
    ...[...start, ...(soundLate > 0 ? ['-itsoffset', String(soundLate)] : []), '-i', cut],
    ...[
      '-map',
      '0:v:0',
      '-map',
      '1:a:0',
      '-c',
      'copy',
      ...(timecode === undefined ? [] : ['-timecode', timecode]),
    ],
    path,
  )
  if (turned) await setRotation(path, 90)
  return { path, samples, rate, soundLate }
}

/** A run of frames of a video: its first frame, and the number of the source frame that it shows. */
export interface ShownRun {
  readonly at: number
  readonly frames: number
  readonly number: number
}

/** Joins consecutive frame numbers of a video to runs. Throws if a frame has no number. */
export function shownRuns(numbers: readonly (number | null)[]): ShownRun[] {
  const runs: { at: number; frames: number; number: number }[] = []
  for (const [at, number] of numbers.entries()) {
    if (number === null) throw new Error(`frame ${at} has no mark`)
    const last = runs.at(-1)
    if (last && last.number + last.frames === number) last.frames += 1
    else runs.push({ at, frames: 1, number })
  }
  return runs
}

/** Length of compared sound, and the largest lag that is searched, seconds. */
const comparedSeconds = 0.12
const largestLag = 0.12

/**
 * Returns by how much the sound of a video is late against its picture at the middle of each run of at least 0.2 s,
 * seconds, and how alike the sounds are there, -1 to 1.
 */
export async function soundLags(
  path: string,
  runs: readonly ShownRun[],
  { samples, rate, soundLate }: MarkedFootage,
): Promise<{ readonly lag: number; readonly likeness: number }[]> {
  const sound = await readVoice(path, decodeLimits)
  const toSample = (seconds: number) => Math.round(seconds * speechRate)
  return runs
    .filter(({ frames }) => frameTime(frames, rate) >= 0.2)
    .map(({ at, frames, number }) => {
      const shift = frameTime(frames / 2, rate) - comparedSeconds / 2
      const from = toSample(frameTime(at, rate) + shift)
      const part = sound.subarray(from, from + toSample(comparedSeconds))
      const expected = toSample(frameTime(number, rate) + shift - soundLate)
      let best = { lag: 0, likeness: -1 }
      for (let lag = -toSample(largestLag); lag <= toSample(largestLag); lag += 1) {
        // A sample of the source that is heard later than it is seen.
        const likeness = correlation({ whole: samples, from: expected - lag }, part, 3)
        if (likeness > best.likeness) best = { lag: lag / speechRate, likeness }
      }
      return best
    })
}
