import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { voiceRequestLanguages } from '../../src/contract/languages.ts'
import { operation } from '../../src/contract/operation.ts'

/** Longest text, in Unicode code points. */
export const maxCharacters = 5000

const language = agentField(z.enum(voiceRequestLanguages), { kind: 'language' })

/** Side of the subtitle canvas, pixels. */
const side = z.int().min(16).max(4096)

/** Issue for a field that is valid only with subtitles. */
const ofSubtitles = (field: string) => ({
  path: [field],
  message: 'requires subtitle_format',
  params: { fix: `Add subtitle_format "srt", or omit ${field}.` },
})

/** Text with at least one letter or digit. */
const speakable = (message: string, fix: string) =>
  z.string().refine((text) => /[\p{L}\p{N}]/u.test(text), { message, params: { fix } })

const input = z
  .object({
    text: speakable('contains no words', 'Give the text to speak.')
      .refine((text) => [...text].length <= maxCharacters, {
        message: `has more than ${maxCharacters} characters`,
        params: { fix: 'Split the text, and create a task for each part.' },
      })
      .describe(`At most ${maxCharacters} characters`),
    ref_file_id: fileRef({
      kinds: ['audio', 'video'],
      soundAlone: true,
      describe: 'Recording of the voice, 3 s to 30 min',
    }),
    ref_text: speakable('contains no words', 'Omit it, or give the transcript.')
      .max(maxCharacters)
      .optional()
      .describe('Its exact transcript; default: recognised'),
    ref_lang: language.optional().describe('Its language; default: text_lang'),
    text_lang: language.default('zh-CN').describe('Language of the text'),
    output_format: z.enum(['wav', 'mp3']).default('wav').describe('Format of the speech'),
    speed: z.number().min(0.5).max(2).default(1).describe('2 is twice as fast'),
    fragment_interval: z
      .number()
      .min(0.05)
      .max(1)
      .optional()
      .describe('Pause between sentences, s; default 0.3'),
    subtitle_format: z.enum(['srt']).optional().describe('Also create subtitles'),
    canvas: z
      .array(side)
      .length(2)
      .optional()
      .describe('[width, height] for subtitles; default [1080, 1920]'),
    strip_punctuation: z.boolean().optional().describe('Of subtitles; default true'),
  })
  .refine(({ canvas, subtitle_format }) => canvas === undefined || subtitle_format, ofSubtitles('canvas'))
  .refine(
    ({ strip_punctuation, subtitle_format }) => strip_punctuation === undefined || subtitle_format,
    ofSubtitles('strip_punctuation'),
  )

const milliseconds = z.int().min(0)

const output = z.object({
  file_id: id.describe('The speech'),
  download_url: z.string(),
  speaker: z.literal('zero_shot'),
  voice_id: z.literal('zero_shot'),
  engine: z.string().describe('Engine that synthesized the speech'),
  sample_rate: z.int().describe('Hz'),
  duration_ms: milliseconds,
  segments_source: z.enum(['assembled', 'realigned', 'none']),
  segments: z
    .array(z.object({ index: z.int(), text: z.string(), start_ms: milliseconds, end_ms: milliseconds }))
    .optional()
    .describe('Each sentence with its time; it ends where the next one starts'),
  subtitle_file_id: z.string().optional().describe('Empty if subtitles failed'),
  subtitle_file_download_url: z.string().optional(),
  errors: z.object({ subtitle: z.string().optional() }).optional().describe('Why subtitles failed'),
  report: z.object({
    ref: z.object({
      span_ms: z.array(milliseconds).length(2).describe('Span of the recording that was used, [start, end]'),
      separated: z.boolean().describe('Whether the voice was separated from music or noise'),
      separator: z.string().nullable().describe('Engine that separated it; null if not separated'),
      gain_db: z.number().describe('Applied gain, dB'),
      text_source: z.enum(['user', 'asr']),
      asr_confidence: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .describe('Confidence of the recogniser; null only with ref_text, if none was reported'),
      recogniser: z.string().nullable().describe('Engine that recognised the recording; null if none did'),
      ref_text: z.string(),
      ref_lang: z.string(),
    }),
  }),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const audioTtsZeroShot = operation({
  name: 'audio_tts_zero_shot',
  title: 'Speak in a given voice',
  description:
    "Speaks a text in the voice of a recording. You confirm that the voice's owner consents; what is " +
    'published must be labelled as AI-generated.',
  details: 'The WAV or MP3 is marked as AI-generated. The result contains the time of each sentence.',
  toolset: 'speech',
  resultVaries: true,
  input,
  output,
  price: { unit: 'thousand letters', credits: 6, of: 'the text' },
  errorAliases: { 6017: 6014, 6021: 6014 },
  examples: [
    {
      title: 'A sentence in the voice of a recording',
      input: { text: 'Welcome to our weekly news.', text_lang: 'en-US', ref_file_id: 'voice.wav' },
    },
    {
      title: 'A Chinese narration with subtitles for a portrait video, with the transcript of the recording',
      input: {
        text: '大家好，欢迎收看今天的节目。我们从天气说起。',
        ref_file_id: 'voice.mp3',
        ref_text: '希望你以后能够做的比我还好呦。',
        output_format: 'mp3',
        fragment_interval: 0.4,
        subtitle_format: 'srt',
        canvas: [1080, 1920],
      },
    },
  ],
})
