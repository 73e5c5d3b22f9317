import * as z from 'zod'
import { fileRef } from '../../src/contract/file.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z.object({
  file_id: fileRef({
    kinds: ['audio', 'video'],
    soundAlone: true,
    describe: 'Audio, or a video with sound; its first 30 s are heard',
  }),
})

const probability = z.number().min(0).max(1)

const candidate = z.object({
  language: z
    .string()
    .nullable()
    .describe("Code such as en-US; null for one that the service's tables do not have"),
  raw_language: z.string().min(1).describe('As the model names it, such as en'),
  confidence: probability,
})

const output = z.object({
  ...candidate.shape,
  candidates: z.array(candidate).length(5).describe('The likeliest five, the likeliest first'),
  detected_window_sec: z.number().describe('Seconds that were heard, 30 at most'),
  engine: z.string().describe('The model that heard them'),
  notes: z.array(z.string()).optional().describe('What to know about the result'),
})

export const audioLanguageDetect = operation({
  name: 'audio_language_detect',
  title: 'Detect the language spoken',
  description:
    'Tells which language is spoken in the first 30 s of audio or video, with the five likeliest and their ' +
    'probabilities. Silence and noise get a language too, with low confidence: look at confidence before relying on it.',
  toolset: 'speech',
  input,
  output,
  price: { unit: 'item', credits: 1, of: 'call' },
  synchronous: true,
  listedAs: { 6013: 6016, 6014: 6016, 6017: 6016, 6021: 6016 },
  examples: [
    { title: 'The language of a recording', input: { file_id: 'interview.mp3' } },
    { title: 'The language of a video, before it is dubbed', input: { file_id: 'talk.mp4' } },
  ],
})
