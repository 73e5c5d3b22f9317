import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { decodeVoice } from '../../../src/engines/ffmpeg/voice-sound.ts'
import { missingOf } from '../../../src/media/audio/missing.ts'
import { make, picture, scratchFolder, tone } from './made.ts'
import { withHole } from './with-hole.ts'

// Of sound that does not decode ffmpeg tells nobody who hears the silence in its place.

const folder = await scratchFolder()

/** Seconds of sound that were heard, and those of them that are not there. */
async function hear(path: string) {
  let [samples, filled] = [0, 0]
  const signal = new AbortController().signal
  const wish = { signal, timeoutMs: 60_000, onHoles: (seconds: number) => (filled = seconds) }
  for await (const piece of decodeVoice(path, wish)) samples += piece.length
  return { lasts: samples / 16_000, missing: missingOf(await probe(path), filled) }
}

test.each([
  ['AAC', 'hole.m4a', ['-c:a', 'aac']],
  ['AAC of 44.1 kHz', 'cd.m4a', ['-c:a', 'aac', '-ar', '44100', '-ac', '2']],
  ['FLAC', 'hole.flac', ['-c:a', 'flac']],
  ['Matroska', 'hole.mkv', ['-c:a', 'aac', '-cluster_time_limit', '500']],
])('a hole in %s is as long as what did not decode', async (_, name, codec) => {
  const path = await make(join(folder, name), [...tone(20), ...codec])
  expect(await hear(path)).toEqual({ lasts: expect.closeTo(20, 0), missing: 0 })
  const { lasts, missing } = await hear(await withHole(path))
  expect(lasts).toBeCloseTo(20, 0)
  // A fifth of the bytes, and what lies around them.
  expect(missing).toBeGreaterThan(3.5)
  expect(missing).toBeLessThan(6)
})

test('before a late start nothing is missing, and after it what is missing there', async () => {
  const late = ['-itsoffset', '5', ...tone(10), '-map', '0:v', '-map', '1:a', '-c:a', 'aac']
  const path = await make(join(folder, 'late.mp4'), [...picture(15), ...late, '-c:v', 'libx264'])
  expect((await hear(path)).missing).toBe(0)
  const { missing } = await hear(await withHole(path, 0.6, 0.7))
  expect(missing).toBeGreaterThan(1)
  expect(missing).toBeLessThan(3)
})
