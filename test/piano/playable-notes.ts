import { readFile } from 'node:fs/promises'
import { readMidi } from './read-midi.ts'
import { keyCount, lowestKey, type Performance } from '../../src/media/piano/note.ts'
import { ordered } from './generated-pieces.ts'

/** Shorter ones sequencers leave behind, under notes of the same key, s. */
const shortest = 0.02

/** The music of a MIDI file as a piano can play it: the notes of all its tracks but the drums'. */
export async function readMusic(path: string): Promise<Performance> {
  const { notes, pedals } = readMidi(await readFile(path))
  const own = notes.filter(
    ({ pitch, start, end }) => pitch >= lowestKey && pitch < lowestKey + keyCount && end - start >= shortest,
  )
  return { notes: ordered(own), pedals }
}
