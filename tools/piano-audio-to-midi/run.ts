import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReadyOperation, RunOperation } from '../../src/contract/operation.ts'
import {
  expectedTranscriptionSeconds,
  transcribePiano,
  requirePianoTranscription,
} from '../../src/engines/piano/hear.ts'
import { writeMidi } from '../../src/media/midi/write.ts'
import type { pianoAudioToMidi } from './contract.ts'

/** Finds the notes and writes them. */
export const run: RunOperation<typeof pianoAudioToMidi> = async ({ file_id }, context) => {
  const file = context.files.get(file_id)
  const { performance, facts } = await transcribePiano(file, context)
  const path = join(context.scratch, 'piano.mid')
  await writeFile(path, writeMidi(performance))
  context.progress(100)
  return { ...context.keep({ path, name: `${facts.baseName}.mid` }), ...facts.told }
}

/**
 * Throws 6401 where ffmpeg or what hears is missing, 6016 where the set model is not the one that is meant; tells the
 * time that what is there takes.
 */
export const ready: ReadyOperation<typeof pianoAudioToMidi> = async (request) => {
  await requirePianoTranscription()
  return request && (await expectedTranscriptionSeconds(request.files.get(request.input.file_id)))
}
