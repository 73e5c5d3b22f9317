import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunOperation } from '../../src/contract/operation.ts'
import { requireTogether } from '../../src/engines/packs/use.ts'
import {
  expectedTranscriptionSeconds,
  transcribePiano,
  requirePianoTranscription,
} from '../../src/engines/piano/transcribe-piano.ts'
import { openPiano, requirePiano } from '../../src/engines/piano/piano.ts'
import { measureSourceSound, renderPerformance } from '../../src/engines/piano/render-performance.ts'
import { writeMidi } from '../../src/media/midi/write-midi.ts'
import { recordingDurationMs, renderingSeconds, workTimeoutMs } from '../../src/media/piano/recording.ts'
import type { pianoAudioEnhance } from './contract.ts'

/** Progress when all is heard, and when all is played, percent. */
const progressShares = { heard: 40, played: 99 } as const

/** A result that is fainter than its source by more than this is told so, LU. */
const minReportedLu = 0.5

/** Finds the notes and plays them as long and as loud as their source. */
export const run: RunOperation<typeof pianoAudioEnhance> = async ({ file_id }, context) => {
  const file = context.files.get(file_id)
  const { signal, scratch } = context
  const piano = await openPiano(signal)
  const { performance, facts } = await transcribePiano(file, context, progressShares.heard)
  const rendering = {
    signal,
    scratch,
    timeoutMs: workTimeoutMs(renderingSeconds(1000 * facts.told.duration)),
  }
  const mono = file.facts?.audio[0]?.channels === 1
  const source = await measureSourceSound({ path: file.path, mono }, rendering)
  const onSamples = (done: number) =>
    context.progress(
      progressShares.heard + ((progressShares.played - progressShares.heard) * done) / source.samples,
    )
  const wav = await renderPerformance({ piano, performance, source }, { ...rendering, onSamples })
  const midi = join(scratch, 'piano.mid')
  await writeFile(midi, writeMidi(performance))
  const kept = context.keep({ path: wav.path, name: `${facts.baseName}-piano.wav` })
  const keptMidi = context.keep({ path: midi, name: `${facts.baseName}.mid` })
  context.progress(100)
  const notes = [
    ...(facts.told.notes ?? []),
    ...(wav.lacks > minReportedLu
      ? [`it is ${wav.lacks.toFixed(1)} LU fainter than the source, to keep its true peak at -1 dB`]
      : []),
  ]
  return {
    ...kept,
    ...{ midi_file_id: keptMidi.file_id, midi_download_url: keptMidi.download_url },
    ...{ ...facts.told, piano: piano.name, notes: notes.length > 0 ? notes : undefined },
  }
}
