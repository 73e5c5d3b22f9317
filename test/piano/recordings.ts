import { join } from 'node:path'
import { readBank } from '../../src/engines/piano/piano.ts'
import { play } from '../../src/engines/piano/play.ts'
import type { Performance } from '../../src/media/piano/note.ts'
import { testdata } from '../engines/ffmpeg/made.ts'
import { writeFile } from 'node:fs/promises'

/** The SoundFont of the public test files; undefined where they are not present. */
export const florestan = testdata('models') && join(testdata('models') ?? '', 'florestan.sf2')

/** Rate of made recordings, Hz. */
export const recordingRate = 44_100

interface Wish {
  readonly soundFont: string
  /** Of General MIDI, counted from 0. */
  readonly program?: number
  /** Length; left out, the last note and a second and a half. */
  readonly seconds?: number
}

/** A performance as one channel of 44.1 kHz, its peak at half of full scale. */
export async function record(
  performance: Performance,
  { soundFont, program = 0, seconds = lengthOf(performance) }: Wish,
): Promise<Float32Array> {
  const mono = new Float32Array(Math.round(seconds * recordingRate))
  let [at, peak] = [0, 0]
  const bank = await readBank(soundFont)
  const playing = { rate: recordingRate, samples: mono.length, program }
  for await (const piece of play(bank, performance, playing)) {
    for (let index = 0; index < piece.length; index += 2) {
      const sample = ((piece[index] ?? 0) + (piece[index + 1] ?? 0)) / 2
      peak = Math.max(peak, Math.abs(sample))
      mono[at++] = sample
    }
  }
  return mono.map((sample) => (peak > 0 ? (0.5 * sample) / peak : 0))
}

function lengthOf({ notes }: Performance): number {
  return Math.max(...notes.map(({ end }) => end)) + 1.5
}

/** Writes samples of one channel as a WAV of 32-bit floats. */
export async function writeWav(path: string, samples: Float32Array, rate = recordingRate): Promise<string> {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + 4 * samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(3, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(4 * rate, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(32, 34)
  header.write('data', 36)
  header.writeUInt32LE(4 * samples.length, 40)
  await writeFile(
    path,
    Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]),
  )
  return path
}
