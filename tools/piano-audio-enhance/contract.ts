import * as z from 'zod'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z.object({
  file_id: fileRef({
    kinds: ['audio'],
    describe: 'Recording of a piano, alone or well in front; at most 6 hours',
  }),
})

const output = z.object({
  file_id: id.describe('The WAV'),
  download_url: z.string(),
  midi_file_id: id.describe('The notes it was played from'),
  midi_download_url: z.string(),
  notes_found: z.int().describe('How many notes were found'),
  pedal: z
    .boolean()
    .describe('Whether the sustain pedal was found; where not, notes last as long as they sound'),
  duration: z.number().describe('Length of the recording and of the WAV, seconds'),
  transcriber: z.string().describe('What heard it'),
  piano: z.string().describe('What played it'),
  notes: z.array(z.string()).optional().describe('What to know about the result'),
})

export const pianoAudioEnhance = operation({
  name: 'piano_audio_enhance',
  title: 'Enhance a piano recording',
  description:
    'Plays a piano recording anew on a grand piano, without noise or room, as a WAV of the same length, timing and ' +
    'loudness; the MIDI of its notes comes too. For solo or piano-dominant audio: what is no piano is left out.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'audio' },
  envelope: 'message',
  listedAs: { 6021: 6017, 6201: 6202 },
  examples: [
    { title: 'A noisy recording, played on a grand piano', input: { file_id: 'piano.mp3' } },
    { title: 'A voice memo as a clean recording, with its MIDI', input: { file_id: 'idea.m4a' } },
  ],
})
