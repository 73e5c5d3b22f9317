import type { Performance } from '../../src/media/piano/note.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
import { f1, scoreNotes } from './note-f1.ts'
import { florestan, record, writeWav } from './recordings.ts'
import { transcribe } from './run-to-midi.ts'

/** A piece and its recording, mono at 44.1 kHz. */
export interface Recording {
  readonly piece: Performance
  readonly sound: Float32Array
  readonly wav: string
}

/** Records the first seconds of a piece to a path. The accuracy is measured on long ones, which contain enough notes. */
export async function recordPiece(path: string, seconds: number): Promise<Recording> {
  const piece = firstSeconds(generatePiece('alberti', 21), seconds)
  const sound = await record(piece, { soundFont: florestan ?? '' })
  return { piece, sound, wav: await writeWav(path, sound) }
}

/** Transcribes a file in a folder. Returns also the F1 score of the notes, 0 to 1. */
export async function transcribeAndScore(
  path: string,
  { truth, folder }: { readonly truth: Performance; readonly folder: string },
) {
  const transcription = await transcribe(path, folder)
  return { ...transcription, f1: f1([scoreNotes(truth, transcription.found.notes)]) }
}
