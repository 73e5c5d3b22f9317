import * as z from 'zod'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z.object({
  file_id: fileRef({
    kinds: ['audio'],
    describe: 'Piano recording',
  }),
})

const output = z.object({
  file_id: id.describe('The MIDI file'),
  download_url: z.string(),
  notes_found: z.int().describe('Number of notes in the file'),
  pedal: z
    .boolean()
    .describe('Whether it contains the sustain pedal; if not, notes last as long as they sound'),
  duration: z.number().describe('Length of the recording, seconds'),
  transcriber: z.string().describe('Engine that transcribed the recording'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const pianoAudioToMidi = operation({
  name: 'piano_audio_to_midi',
  title: 'Piano recording to MIDI',
  description:
    'Transcribes a piano recording to a MIDI file with its timing. For solo or piano-dominant audio; speech and silence ' +
    'are rejected.',
  details:
    'Notes have pitch, time, length and velocity; the tempo is 120. The recording is at most 6 hours long.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'audio' },
  envelope: 'message',
  errorAliases: { 6021: 6017, 6201: 6202 },
  examples: [
    { title: 'The notes of a recorded piece', input: { file_id: 'piano.mp3' } },
    { title: 'A voice memo of an improvisation', input: { file_id: 'idea.m4a' } },
  ],
})
