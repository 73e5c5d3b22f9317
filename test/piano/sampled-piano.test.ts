import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { play } from '../../src/engines/piano/play.ts'
import { layers, packageOf, sampledPiano } from '../../src/engines/piano/sampled-piano.ts'
import { hertzOf } from '../../src/media/piano/note.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { amplitude, ffmpeg } from '../video-split-screen/media.ts'

// A piano whose recordings are tones: named and laid as those of the packages.

let folder: string
const names = ['A', 'C', 'D#', 'F#']

beforeAll(async () => {
  folder = await scratchFolder()
  for (const { number } of layers) {
    const audio = join(folder, 'node_modules', packageOf(number), 'audio')
    await mkdir(audio, { recursive: true })
    // One run writes all 30: a start of one for each would take long.
    const keys = Array.from({ length: 30 }, (_, index) => 21 + 3 * index)
    await ffmpeg(
      ...keys.flatMap((key) => [
        ...['-f', 'lavfi', '-i'],
        `aevalsrc=${number / 20}*sin(2*PI*${hertzOf(key)}*t):s=48000:d=1`,
      ]),
      ...keys.flatMap((key, index) => {
        const name = `${names[index % 4]}${Math.floor(key / 12) - 1}v${number}.ogg`
        return ['-map', `${index}:a`, '-ac', '2', '-c:a', 'libvorbis', '-q:a', '5', join(audio, name)]
      }),
    )
  }
})

/** Half a second of a key, 0.1 s after it was struck, left and right. */
async function sounded(pitch: number, velocity: number): Promise<readonly [Float32Array, Float32Array]> {
  const notes = [{ pitch, start: 0, end: 0.8, velocity }]
  const parts: number[] = []
  const playing = { rate: 48_000, samples: 28_800 }
  for await (const piece of play(await sampledPiano(folder), { notes, pedals: [] }, playing))
    parts.push(...piece)
  const side = (first: number) =>
    Float32Array.from({ length: 24_000 }, (_, at) => parts[2 * (at + 4800) + first] ?? 0)
  return [side(0), side(1)]
}

it.each([21, 22, 60, 61, 62, 69, 107, 108])('key %i sounds at its pitch, on both sides', async (pitch) => {
  for (const side of await sounded(pitch, 80)) {
    const own = amplitude(side, hertzOf(pitch))
    expect(own).toBeGreaterThan(0.005)
    for (const apart of [-1, 1]) expect(amplitude(side, hertzOf(pitch + apart))).toBeLessThan(own / 3)
  }
})

it('a key that is struck harder is louder, from one recording to the next too', async () => {
  const levels: number[] = []
  for (const velocity of [10, 30, 50, 51, 70, 90, 91, 127]) {
    const [left] = await sounded(60, velocity)
    levels.push(amplitude(left, hertzOf(60)))
  }
  expect(levels).toEqual(levels.toSorted((one, other) => one - other))
})
