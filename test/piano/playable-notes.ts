import { readFile } from 'node:fs/promises'
import { readMidi } from './read-midi.ts'
import { keyCount, lowestKey, type Performance } from '../../src/media/piano/note.ts'
import { ordered } from './generated-pieces.ts'

/** Shorter notes are artefacts of sequencers, under notes of the same key; seconds. */
const minDuration = 0.02

/** Notes of all tracks of a MIDI file except drums, as a piano can play them. */
export async function readMusic(path: string): Promise<Performance> {
  const { notes, pedals } = readMidi(await readFile(path))
  const pianoNotes = notes.filter(
    ({ pitch, start, end }) =>
      pitch >= lowestKey && pitch < lowestKey + keyCount && end - start >= minDuration,
  )
  return { notes: ordered(pianoNotes), pedals }
}
