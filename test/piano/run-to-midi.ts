import { readFile } from 'node:fs/promises'
import { readMidi } from './read-midi.ts'
import type { Performance } from '../../src/media/piano/note.ts'
import { pianoAudioToMidi } from '../../tools/piano-audio-to-midi/contract.ts'
import { plan } from '../../tools/piano-audio-to-midi/plan.ts'
import { run } from '../../tools/piano-audio-to-midi/run.ts'
import { fileIdOf, runInWorker, stageFiles } from '../tasks/run-in-worker.ts'

/**
 * Runs piano_audio_to_midi on a file. Returns notes and output. Each thread loads the model, so that a short recording
 * takes the least processor time with one.
 */
export async function transcribe(path: string, folder: string, threads = 1) {
  const files = await stageFiles([path])
  const parts = { operation: pianoAudioToMidi, plan, run }
  const operationRun = await runInWorker(parts, { file_id: fileIdOf(path) }, { files, folder, threads })
  const found: Performance = readMidi(await readFile(operationRun.path))
  return { ...operationRun, found }
}
