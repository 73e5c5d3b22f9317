import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readMidi } from './read-midi.ts'
import { pianoAudioEnhance } from '../../tools/piano-audio-enhance/contract.ts'
import { plan } from '../../tools/piano-audio-enhance/plan.ts'
import { run } from '../../tools/piano-audio-enhance/run.ts'
import { generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
import { florestan, record, writeWav } from './recordings.ts'
import { f1, scoreNotes } from './note-f1.ts'
import { transcribe } from './run-to-midi.ts'

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

// A raw stream has no index, so that its header contains no duration.
describe.skipIf(!isReady)('a piano in an .aac (REELWRIGHT_TESTDATA)', () => {
  const piece = firstSeconds(generatePiece('voices', 61), 5)
  let path: string

  beforeAll(async () => {
    const wav = await writeWav(join(folder, 'piece.wav'), await record(piece, { soundFont: florestan ?? '' }))
    path = await generateMedia(join(folder, 'piece.aac'), ['-i', wav])
  })

  /** Duration of the decoded sound of a file, seconds. */
  const secondsOf = async (file: string) =>
    (await ffmpeg('-i', file, '-f', 'f32le', '-ar', '48000', '-ac', '1', '-')).length / 4 / 48_000

  const toMidi = async () => {
    const { found, name, output } = await transcribe(path, folder)
    expect(name).toBe('piece.mid')
    expect(output.duration).toBeCloseTo(await secondsOf(path), 2)
    expect(f1([scoreNotes(piece, found.notes)])).toBeGreaterThan(0.85)
  }

  const enhance = async () => {
    const files = await stageFiles([path])
    const input = pianoAudioEnhance.input.parse({ file_id: fileIdOf(path) })
    expect(plan(input, files).credits).toBe(1)
    const { context, results } = createTestContext(files, folder)
    pianoAudioEnhance.output.parse(await run(input, context))
    const [wav = '', midi = ''] = results.map((file) => file.path)
    expect(await secondsOf(wav)).toBeCloseTo(await secondsOf(path), 3)
    expect(f1([scoreNotes(piece, readMidi(await readFile(midi)).notes)])).toBeGreaterThan(0.85)
  }

  // A rendered piano is transcribed too.
  const operations = [
    ['is rendered with its length', enhance],
    ['is transcribed to MIDI', toMidi],
  ] as const
  it.each(sampleCases(operations, 1))('%s', (_, check) => check())
})
