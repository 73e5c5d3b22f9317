import * as z from 'zod'
import { agentField } from './agent-form.ts'
import { MediaError } from './errors.ts'
import { fileRef } from './file.ts'
import {
  recognitionLanguages,
  requireRecognitionLanguage,
  requireSubtitleLanguage,
  spokenLanguage,
  subtitleLanguages,
} from './languages.ts'
import { stt } from './stt.ts'
import type { Requirement } from './requirement.ts'

/** Longest clip, seconds (contract 3, 8). */
const clipSeconds = { min: 5, max: 1800, default: 600 } as const

/** Sides of a picture, pixels. */
const side = { min: 16, max: 4096 } as const

const ratios: readonly string[] = ['9:16', '16:9', '1:1']

/** A ratio, or width x height with even sides. */
const outputSize = z.string().superRefine((text, context) => {
  if (ratios.includes(text)) return
  const sides = /^(\d{1,5})x(\d{1,5})$/u.exec(text)?.slice(1).map(Number) ?? []
  const isValid =
    sides.length === 2 && sides.every((one) => one >= side.min && one <= side.max && one % 2 === 0)
  if (isValid) return
  context.addIssue({
    code: 'custom',
    message: `is neither a ratio nor a size: ${JSON.stringify(text.slice(0, 40))}`,
    params: { fix: `Use 9:16, 16:9, 1:1, or even sides of ${side.min} to ${side.max} such as 1080x1920.` },
  })
})

/** Fields of requests that select clips of a long video. */
export const clipRequestFields = {
  file_id: fileRef({ kinds: ['video'], describe: 'Long video in which people speak' }),
  language: agentField(z.enum(recognitionLanguages), { kind: 'language' }).describe('Spoken language'),
  output_language: agentField(z.enum(subtitleLanguages), { kind: 'language' })
    .optional()
    .describe('Of titles and summaries; default: language'),
  stt: agentField(stt, { isBrief: true })
    .optional()
    .describe('Transcript with times: word_tc_list, sentence_tc_list'),
  subtitle_file_id: fileRef({
    kinds: ['text'],
    describe: '.srt or .ass in one language, instead of stt',
  }).optional(),
  main_topic: z.string().max(1000).optional().describe('What the clips should be about'),
  output_size: outputSize.default('9:16').describe('9:16, 16:9, 1:1, or such as 1080x1350'),
  jump_cut: z.boolean().default(true).describe('Cut pauses, retakes and digressions'),
  duration: agentField(
    z.object({
      pref: z.enum(['auto', 'short', 'medium', 'long']).default('auto'),
      max_clip_sec: z
        .number()
        .min(clipSeconds.min)
        .max(clipSeconds.max)
        .default(clipSeconds.default)
        .describe('Longest clip, s'),
    }),
    { isBrief: true },
  )
    .prefault({})
    .describe('pref: auto, short (15-45 s), medium (45-120) or long; max_clip_sec: 5-1800'),
}

/** The parsed fields of `clipRequestFields`. */
export type ClipRequest = z.output<z.ZodObject<typeof clipRequestFields>>

/** What the operations that make clips have in common as operations. */
export const clipOperation = {
  // A transcript of 200,000 words, as clients format it.
  maxBodyBytes: 32 * 2 ** 20,
  toolset: 'cut',
  price: { unit: 'minute', credits: 1, of: 'the video' },
  errorAliases: { 6017: 6014, 6021: 6014 },
  limits: [6015, 6017],
} as const

const time = z.number().min(0)
const count = z.int().min(0)

/** Fields of each clip of a result. */
export const clipFields = {
  title: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  score: z.number().min(0).max(10),
  score_reason: z.string(),
  highlight_words: z
    .array(z.object({ text: z.string(), begin_time: time, end_time: time }))
    .describe('Times are seconds of the clip'),
  genres: z.array(z.string()),
  moods: z.array(z.string()),
  themes: z.array(z.string()),
}

/** Where a clip comes from. */
export const clipSourceFields = {
  source_start: time.describe('Start of the clip in the video, s'),
  source_end: time.describe('End of the clip in the video, s'),
}

/** Fields of the report on a selection. */
export const selectionFields = {
  unit_count: count.describe('Sentences, or groups of short ones'),
  selected_count: count.describe('Those of the clips'),
  clip_count: count,
  jump_cut: z.boolean(),
  jumpcut_used: z.boolean(),
}

/**
 * Rejects languages that are not recognised or not known (6015, 6017), and two transcripts (6016), before anything else.
 * A request without a required field is rejected elsewhere.
 */
export function checkSpokenFields(request: Readonly<Record<string, unknown>>): void {
  const { language, output_language } = request
  if (typeof language !== 'string' || request['file_id'] === undefined) return
  requireRecognitionLanguage(language, { field: 'language', unknown: 6017 })
  if (typeof output_language === 'string')
    requireSubtitleLanguage(output_language, { field: 'output_language' })
  if (request['stt'] !== undefined && request['subtitle_file_id'] !== undefined) {
    throw new MediaError(6016, 'stt and subtitle_file_id: only one of them can be given', {
      hint: 'Give the transcript once.',
    })
  }
}

/** Whether a request has at most one transcript. */
export function hasOneTranscript({
  stt: given,
  subtitle_file_id,
}: Pick<ClipRequest, 'stt' | 'subtitle_file_id'>): boolean {
  return given === undefined || subtitle_file_id === undefined
}

/** What hearing a video requires, unless the request has its transcript. */
export function transcriptRequirements(
  request: Pick<ClipRequest, 'language' | 'stt' | 'subtitle_file_id'> | undefined,
): readonly Requirement[] {
  if (request?.stt !== undefined || request?.subtitle_file_id !== undefined) return []
  return [
    { kind: 'pack', name: 'onnx-runtime' },
    { kind: 'pack', name: 'voice-activity' },
    {
      kind: 'speech-recogniser',
      language: spokenLanguage(request?.language ?? 'zh-CN'),
      instead: 'Or pass the transcript: subtitle_file_id (.srt, .ass) or stt.',
    },
  ]
}

/** The issue of a request with two transcripts. */
export const twoTranscripts = {
  path: ['stt'],
  error: 'cannot be combined with subtitle_file_id',
  params: { fix: 'Give the transcript once.' },
}
