import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases } from '../soak-size.ts'
import { readMusic } from './playable-notes.ts'
import { florestan, record, writeWav } from './recordings.ts'
import { f1, scoreNotes } from './note-f1.ts'
import { transcribe } from './run-to-midi.ts'

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

describe.skipIf(!isReady)('published MIDI files, on the Florestan piano (REELWRIGHT_TESTDATA)', () => {
  const pieces: readonly (readonly [string, number])[] = [
    // Two fifths of its notes are barely audible: soft, an octave above loud ones.
    ['poly.mid', 0.65],
    ['venture.mid', 0.85],
  ]

  it.each(sampleCases(pieces, 1))('are transcribed: %s', async (name, floor) => {
    const { notes } = await readMusic(join(testdata('music') ?? '', name))
    // The start is representative of the rest.
    const truth = { notes: notes.filter(({ end }) => end < 12), pedals: [] }
    const sound = await record(truth, { soundFont: florestan ?? '' })
    const { found } = await transcribe(await writeWav(join(folder, `${name}.wav`), sound), folder)
    expect(truth.notes.length).toBeGreaterThan(25)
    expect(f1([scoreNotes(truth, found.notes)])).toBeGreaterThan(floor)
  })
})
