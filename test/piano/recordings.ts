import { join } from 'node:path'
import { readSoundFont } from '../../src/engines/piano/piano.ts'
import { playPerformance } from '../../src/engines/piano/synthesizer.ts'
import type { Performance } from '../../src/media/piano/note.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { writeFloatWav } from '../engines/float-wav.ts'

/** SoundFont of the public test files; undefined without them. */
export const florestan = testdata('models') && join(testdata('models') ?? '', 'florestan.sf2')

/** Sample rate of generated recordings, Hz. */
export const recordingRate = 44_100

/** SoundFonts by path. Playing does not change them. */
const soundFonts = new Map<string, ReturnType<typeof readSoundFont>>()

interface RecordOptions {
  readonly soundFont: string
  /** General MIDI program, from 0. */
  readonly program?: number
  /** Length. Default: 1.5 s after the end of the last note. */
  readonly seconds?: number
}

/** Renders a performance as mono at 44.1 kHz with a peak of 0.5. */
export async function record(
  performance: Performance,
  { soundFont, program = 0, seconds = lengthOf(performance) }: RecordOptions,
): Promise<Float32Array> {
  const mono = new Float32Array(Math.round(seconds * recordingRate))
  let [at, peak] = [0, 0]
  const reading = soundFonts.get(soundFont) ?? readSoundFont(soundFont)
  soundFonts.set(soundFont, reading)
  const bank = await reading
  const playing = { rate: recordingRate, samples: mono.length, program }
  for await (const piece of playPerformance(bank, performance, playing)) {
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

/** Writes mono samples as a WAV. */
export async function writeWav(path: string, samples: Float32Array, rate = recordingRate): Promise<string> {
  return await writeFloatWav(path, samples, rate)
}
