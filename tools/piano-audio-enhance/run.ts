import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunOperation } from '../../src/contract/operation.ts'
import { transcribePiano } from '../../src/engines/piano/transcribe-piano.ts'
import { openPiano } from '../../src/engines/piano/piano.ts'
import { measureSourceSound, renderPerformance } from '../../src/engines/piano/render-performance.ts'
import { writeMidi } from '../../src/media/midi/write-midi.ts'
import { renderingSeconds, workTimeoutMs } from '../../src/media/piano/recording.ts'
import type { pianoAudioEnhance } from './contract.ts'

/** Progress after the transcription, and after the rendering, percent. */
const enhanceProgress = { transcribed: 40, rendered: 99 } as const

/** Smallest loss of loudness that is reported, LU. */
const minReportedLu = 0.5

/** Transcribes the recording and renders it with the length and loudness of the source. */
export const run: RunOperation<typeof pianoAudioEnhance> = async ({ file_id }, context) => {
  const file = context.files.get(file_id)
  const { signal, scratch } = context
  const piano = await openPiano(signal)
  const { performance, facts } = await transcribePiano(file, context, enhanceProgress.transcribed)
  const rendering = {
    signal,
    scratch,
    timeoutMs: workTimeoutMs(renderingSeconds(1000 * facts.output.duration)),
  }
  const mono = file.facts?.audio[0]?.channels === 1
  const source = await measureSourceSound({ path: file.path, mono }, rendering)
  const onSamples = (done: number) =>
    context.progress(
      enhanceProgress.transcribed +
        ((enhanceProgress.rendered - enhanceProgress.transcribed) * done) / source.samples,
    )
  const wav = await renderPerformance({ piano, performance, source }, { ...rendering, onSamples })
  const midi = join(scratch, 'piano.mid')
  await writeFile(midi, writeMidi(performance))
  const kept = context.keep({ path: wav.path, name: `${facts.baseName}-piano.wav` })
  const keptMidi = context.keep({ path: midi, name: `${facts.baseName}.mid` })
  context.progress(100)
  const notes = [
    ...(facts.output.notes ?? []),
    ...(wav.loudnessDeficitLu > minReportedLu
      ? [
          `it is ${wav.loudnessDeficitLu.toFixed(1)} LU quieter than the source, to limit its true peak to -1 dBTP`,
        ]
      : []),
  ]
  return {
    ...kept,
    ...{ midi_file_id: keptMidi.file_id, midi_download_url: keptMidi.download_url },
    ...{ ...facts.output, piano: piano.name, notes: notes.length > 0 ? notes : undefined },
  }
}
