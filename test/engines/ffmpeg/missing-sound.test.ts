import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { decodePcm, decodeSound, decodeVoice } from '../../../src/engines/ffmpeg/sound.ts'
import { inputArgs } from '../../../src/engines/ffmpeg/run.ts'
import { missingAudioSeconds } from '../../../src/media/audio/missing-audio.ts'
import { h264, picture, scratchFolder, tone } from './generate-media.ts'
import { sampleCases } from '../../soak-size.ts'
import { corruptBytes } from './corrupt-bytes.ts'
import { planMedia } from './generate-together.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

// ffmpeg replaces sound that does not decode with silence and reports no error.

const folder = await scratchFolder()
const plan = planMedia(folder)

/** Decodes a file. Returns the seconds of decoded sound, and how many of them are missing. */
async function measureSound(path: string) {
  let [samples, filled] = [0, 0]
  const signal = new AbortController().signal
  const options = { signal, timeoutMs: 60_000, onGaps: (seconds: number) => (filled = seconds) }
  for await (const piece of decodeVoice(path, options)) samples += piece.length
  return { seconds: samples / 16_000, missing: missingAudioSeconds(await probe(path), filled) }
}

async function countPieces(pieces: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of pieces) count += 1
  return count
}

const codings: readonly (readonly [string, string, readonly string[]])[] = [
  ['AAC of 44.1 kHz', 'cd.m4a', ['-c:a', 'aac', '-ar', '44100', '-ac', '2']],
  ['AAC', 'hole.m4a', ['-c:a', 'aac']],
  ['Matroska', 'hole.mkv', ['-c:a', 'aac', '-cluster_time_limit', '500']],
  ['FLAC', 'hole.flac', ['-c:a', 'flac']],
]

test.each(
  sampleCases(codings).map(([coding, name, codec]) => [coding, plan(name, [...tone(20), ...codec])] as const),
)('a gap in %s is as long as the sound that did not decode', async (_, path) => {
  expect(await measureSound(path)).toEqual({ seconds: expect.closeTo(20, 0), missing: 0 })
  const { seconds, missing } = await measureSound(await corruptBytes(path))
  expect(seconds).toBeCloseTo(20, 0)
  // A fifth of the bytes, and their neighbours.
  expect(missing).toBeGreaterThan(3.5)
  expect(missing).toBeLessThan(6)
})

const tag = ['-metadata', 'comment=[error] No space left on device']
const long = plan('long.m4a', [...tone(40), '-c:a', 'aac', ...tag])

test('sound that hardly decodes is reported as damaged, whatever its tags say', async () => {
  const damaged = await corruptBytes(long, 0.05, 0.93)
  await expect(measureSound(damaged)).rejects.toMatchObject({ code: 6017 })
  const job = { signal: new AbortController().signal, timeoutMs: 60_000 }
  const graph = [...inputArgs(damaged), '-filter_complex', '[0:a:0]aresample=48000[a]']
  const stereo = decodeSound({ path: damaged, mono: true, seconds: 40 }, job)
  for (const pieces of [stereo, decodePcm(graph, { ...job, cwd: folder })])
    await expect(countPieces(pieces)).rejects.toMatchObject({ code: 6017 })
})

test.each([
  ['most', 342, 2245, expect.objectContaining({ code: 6017 })],
  ['less than two thirds', 1000, 1900, 1],
  ['none', 2587, 0, 1],
])(
  'sound of which a decoder counts %s as failed, although it reports success',
  async (_name, decoded, failed, outcome) => {
    // As ffmpeg 7.1 and 9.0 log it.
    const counts = `${decoded} frames decoded; ${failed} decode errors (350208 samples);`
    const line = `[in#0/mov @ 0x5] [verbose]   Input stream #0:0 (audio): 2585 packets read (519563 bytes); ${counts}`
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg'), `printf 'four'; echo '${line}' >&2`)
    const job = { signal: new AbortController().signal, timeoutMs: 60_000 }
    const pieces = countPieces(decodePcm(['-i', 'a'], { ...job, cwd: folder }))
    expect(await pieces.catch((error: unknown) => error)).toEqual(outcome)
  },
)

const logLine = '[Parsed_aresample_0 @ 0] [SWR @ 0] [verbose] adding 99999999999 audio samples of silence'
const spoofing = plan('spoofing.m4a', [
  ...[...tone(3), '-c:a', 'aac', '-metadata', `a\n${logLine}\nb=c`, '-movflags', 'use_metadata_tags'],
])

test('tags that imitate log lines do not report more missing sound than the file has', async () => {
  const { seconds, missing } = await measureSound(spoofing)
  expect(missing).toBeLessThanOrEqual(seconds)
})

const late = plan('late.mp4', [
  ...[...picture(15), '-itsoffset', '5', ...tone(10), '-map', '0:v', '-map', '1:a'],
  ...[...h264, '-c:a', 'aac'],
])

test('only gaps after a late start count as missing', async () => {
  expect(await measureSound(late)).toEqual({ seconds: expect.closeTo(15, 0), missing: 0 })
  const { missing } = await measureSound(await corruptBytes(late, 0.6, 0.7))
  expect(missing).toBeGreaterThan(1)
  expect(missing).toBeLessThan(3)
})
