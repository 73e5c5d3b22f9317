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
  file_id: id.describe('The WAV'),
  download_url: z.string(),
  midi_file_id: id.describe('MIDI file of its notes'),
  midi_download_url: z.string(),
  notes_found: z.int().describe('Number of notes found'),
  pedal: z
    .boolean()
    .describe('Whether the sustain pedal was found; if not, notes last as long as they sound'),
  duration: z.number().describe('Length of the recording and of the WAV, seconds'),
  transcriber: z.string().describe('Engine that transcribed the recording'),
  piano: z.string().describe('Piano that rendered it'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const pianoAudioEnhance = operation({
  name: 'piano_audio_enhance',
  title: 'Enhance a piano recording',
  description:
    'Renders a piano recording on a sampled grand piano, without noise or reverb, as a WAV with a MIDI file of its notes. ' +
    'For solo or piano-dominant audio: other sounds are dropped.',
  details: 'The WAV has the length, timing and loudness of the recording, which is at most 6 hours long.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'audio' },
  envelope: 'message',
  errorAliases: { 6021: 6017, 6201: 6202 },
  examples: [
    { title: 'A noisy recording, played on a grand piano', input: { file_id: 'piano.mp3' } },
    { title: 'A voice memo as a clean recording, with its MIDI', input: { file_id: 'idea.m4a' } },
  ],
})
