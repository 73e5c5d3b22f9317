import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunOperation } from '../../src/contract/operation.ts'
import { transcribePiano } from '../../src/engines/piano/transcribe-piano.ts'
import { writeMidi } from '../../src/media/midi/write-midi.ts'
import type { pianoAudioToMidi } from './contract.ts'

/** Transcribes the recording and writes it as a MIDI file. */
export const run: RunOperation<typeof pianoAudioToMidi> = async ({ file_id }, context) => {
  const file = context.files.get(file_id)
  const { performance, facts } = await transcribePiano(file, context)
  const path = join(context.scratch, 'piano.mid')
  await writeFile(path, writeMidi(performance))
  context.progress(100)
  return { ...context.keep({ path, name: `${facts.baseName}.mid` }), ...facts.output }
}
