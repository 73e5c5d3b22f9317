import * as z from 'zod'
import { fileRef } from '../../src/contract/file.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z.object({
  file_id: fileRef({
    kinds: ['audio', 'video'],
    soundAlone: true,
    describe: 'Audio or video',
  }),
})

const probability = z.number().min(0).max(1)

const candidate = z.object({
  language: z
    .string()
    .nullable()
    .describe('Code such as en-US; null for a language outside the supported codes'),
  raw_language: z.string().min(1).describe('Code of the model, such as en'),
  confidence: probability,
})

const output = z.object({
  ...candidate.shape,
  candidates: z.array(candidate).length(5).describe('The five most likely languages, most likely first'),
  detected_window_sec: z.number().describe('Seconds analysed, 30 at most'),
  engine: z.string().describe('Model that identified the language'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const audioLanguageDetect = operation({
  name: 'audio_language_detect',
  title: 'Detect the language spoken',
  description:
    'Identifies the language spoken in the first 30 s of audio or video. Silence and noise also get a language, with low ' +
    'confidence: check it.',
  details: 'The result contains the five most likely languages with their probabilities.',
  toolset: 'speech',
  input,
  output,
  price: { unit: 'item', credits: 1, of: 'call' },
  synchronous: true,
  errorAliases: { 6013: 6016, 6014: 6016, 6017: 6016, 6021: 6016 },
  examples: [
    { title: 'The language of a recording', input: { file_id: 'interview.mp3' } },
    { title: 'The language of a video, before it is dubbed', input: { file_id: 'talk.mp4' } },
  ],
})
