import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import {
  dubbingLanguages,
  requireLanguage,
  voiceLanguages,
  type VoiceRequestLanguage,
  voiceRequestLanguages,
} from '../../src/contract/languages.ts'
import { operation } from '../../src/contract/operation.ts'
import { projectFields, resultFile, uncheckedField, userPath } from '../../src/contract/project.ts'
import { subtitleStyleNames } from '../../src/contract/subtitle-styles.ts'
import { doubts } from './doubts.ts'
import { describeDub } from './next-step.ts'

/** Longest source (contract 3, 4.6), minutes. */
export const maxSourceMinutes = 120

/** Value of `speaker` for the cloned voice of a recording. */
export const cloneSpeaker = 'clone'

/** Project fields of a request: only those with a picture read and validate them. */
const formats = projectFields.project_formats.unwrap()
export const projectInput = {
  project_formats: formats.optional(),
  source_path: projectFields.source_path,
  local_output_dir: userPath.optional().describe('Folder of dub.wav, bgm.wav, base.mp4'),
  struct_meta: projectFields.struct_meta,
}

const input = z
  .object({
    file_id: fileRef({ kinds: ['video', 'audio'], describe: 'Up to 120 min' }),
    source_lang: agentField(z.enum(dubbingLanguages), { kind: 'language' }).describe('Spoken'),
    target_lang: agentField(z.string().min(1).max(40), { kind: 'language' }).describe(
      `${voiceLanguages.join(', ')}; or a language of the voice`,
    ),
    speaker: z
      .string()
      .regex(
        /^[\w-]{1,64}$/,
        'is neither clone nor the id of a voice; give a recording as ref_file_id, with clone',
      )
      .describe('clone, or an id of media://voices'),
    ref_file_id: fileRef({
      kinds: ['audio', 'video'],
      soundAlone: true,
      describe: 'Voice to clone, 3 s to 30 min; default: source',
    }).optional(),
    ref_lang: agentField(z.enum(voiceRequestLanguages), { kind: 'language' })
      .optional()
      .describe('Its language; default: source_lang'),
    keep_bgm: z.boolean().default(true).describe('Keep the music'),
    fit_policy: z
      .enum(['natural', 'strict'])
      .default('natural')
      .describe('natural: up to 3 % longer, frames held'),
    speed_band: z
      .array(z.number().positive().max(1.3))
      .length(2)
      .refine(([min, max]) => min === undefined || max === undefined || min <= max, {
        error: 'min is above max',
        params: { fix: 'Give [min, max], 0 < min <= max <= 1.3.' },
      })
      .default([0.95, 1.15])
      .describe('[min, max], at most 1.3'),
    subtitle: z
      .enum(['none', 'soft', 'burn', 'bilingual_burn'])
      .default('soft')
      .describe('Of audio: none or soft'),
    subtitle_type: z.enum(subtitleStyleNames).default('default').catch('default').describe('If burned in'),
    project_formats: uncheckedField(formats)
      .default(['gtrk'])
      .describe('Of a video. xml: Premiere, Resolve; fcpxml: Final Cut Pro; draft_*: mobile'),
    source_path: uncheckedField(userPath).optional().describe('Its full path'),
    local_output_dir: uncheckedField(userPath)
      .optional()
      .describe(projectInput.local_output_dir.description ?? ''),
    struct_meta: uncheckedField(agentField(projectFields.struct_meta.unwrap(), { isBrief: true }))
      .optional()
      .describe('For drafts'),
  })
  .superRefine(checkReference)

/** Checks the fields of the reference, which only a cloned voice has. */
function checkReference(
  {
    speaker,
    source_lang,
    ref_file_id,
    ref_lang,
  }: Readonly<Record<'speaker' | 'source_lang', string>> & {
    readonly ref_file_id?: string | undefined
    readonly ref_lang?: VoiceRequestLanguage | undefined
  },
  context: z.core.$RefinementCtx,
): void {
  const issue = (path: string, message: string, fix: string) =>
    context.addIssue({ code: 'custom', path: [path], message, params: { fix } })
  if (speaker !== cloneSpeaker) {
    const field = ref_file_id === undefined ? 'ref_lang' : 'ref_file_id'
    if (ref_file_id !== undefined || ref_lang !== undefined)
      issue(field, 'is accepted only with speaker clone', `Use speaker clone, or omit ${field}.`)
    return
  }
  if (ref_file_id !== undefined && ref_lang !== undefined) return
  if (voiceLanguages.some((code) => code === source_lang)) return
  issue(
    ref_file_id === undefined ? 'ref_file_id' : 'ref_lang',
    `required, because a voice cannot be cloned from speech in ${source_lang}`,
    `Give ref_file_id with ref_lang (${voiceLanguages.join(', ')}), or use a voice of media://voices as speaker.`,
  )
}

/** Whether subtitles are drawn into the picture. */
export function isBurnedIn(subtitle: z.output<typeof input>['subtitle']): boolean {
  return subtitle === 'burn' || subtitle === 'bilingual_burn'
}

/** Language of the reference of a cloned voice, as the request names it. */
export function referenceLanguage({
  source_lang,
  ref_lang,
}: Pick<z.output<typeof input>, 'source_lang' | 'ref_lang'>): VoiceRequestLanguage {
  return ref_lang ?? requireLanguage(source_lang, { field: 'ref_lang', supported: voiceLanguages })
}

const milliseconds = z.int().min(0)
const count = z.int().min(0)
const fileIdOrEmpty = z.string().describe('Empty if there is none')

/** The clip whose voice was cloned (contract 3, 4.6). */
const reference = z.object({
  span_ms: z.array(milliseconds).length(2),
  separated: z.boolean(),
  gain_db: z.number().describe('Applied gain, dB'),
  text_source: z.enum(['user', 'asr']),
  asr_confidence: z.number().min(0).max(1).nullable(),
  ref_text: z.string(),
  ref_lang: z.string(),
  source: z.enum(['source_video', 'ref_file']),
})

const report = z.object({
  input_kind: z.enum(['video', 'audio']),
  source_lang: z.string(),
  target_lang: z.string(),
  speaker: z.string(),
  fit_policy: z.enum(['natural', 'strict']),
  ratio: z.number().describe('Speed of all lines'),
  over_band_lines: count.describe('Lines too long at the highest speed, whose end is lost'),
  borrowed_total_ms: milliseconds,
  yielded_total_ms: milliseconds,
  delayed_lines: count,
  rewrite_lines: count,
  rewrite_rounds_hist: z.object({ 0: count, 1: count, 2: count }).describe('Lines by number of rewritings'),
  freeze_total_ms: milliseconds,
  freeze_points: z.array(z.array(milliseconds).length(2)).describe('[ms of the source, ms of freeze]'),
  freeze_cap_hit: z.boolean(),
  trimmed_lines: count,
  output_duration_ms: milliseconds,
  source_duration_ms: milliseconds,
  bgm: z.enum(['kept', 'none', 'dropped']),
  bgm_ratio: z.number().min(0).max(1).describe('Share of the music in the energy of the source'),
  subtitle: z.enum(['none', 'soft', 'burn', 'bilingual_burn']),
  subtitle_burned: z.boolean(),
  lines_count: count,
  ref: reference.nullable().describe('The cloned reference of the main speaker; null for voices'),
  refs: z
    .array(reference.extend({ speaker: count }))
    .optional()
    .describe('References of all speakers, if there are several'),
  doubtful_lines: z
    .array(
      z.object({
        ...{ index: count, st_ms: milliseconds, ed_ms: milliseconds },
        reasons: z.array(z.enum(doubts)),
      }),
    )
    .describe('Lines to check, on the time of the output; at most 100'),
  engines: z
    .object({
      voice: z.string(),
      recogniser: z.string(),
      translator: z.string().nullable(),
      separator: z.string().nullable(),
    })
    .describe('Engines that were used'),
})

const output = z.object({
  output_file_id: id.describe('The dubbed mp4, or mp3 of audio'),
  output_file_download_url: z.string(),
  dub_audio_file_id: id.describe('The dub alone, wav'),
  dub_audio_file_download_url: z.string(),
  bgm_audio_file_id: id.optional().describe('The music, wav'),
  bgm_audio_file_download_url: z.string().optional(),
  base_video_file_id: id.optional().describe('The video with held frames'),
  base_video_file_download_url: z.string().optional(),
  subtitle_file_id: fileIdOrEmpty,
  subtitle_file_download_url: z.string(),
  bilingual_subtitle_file_id: z.string().optional(),
  bilingual_subtitle_file_download_url: z.string().optional(),
  transcript_file_id: fileIdOrEmpty.describe('The alignment record, JSON; empty if it failed'),
  transcript_file_download_url: z.string(),
  report,
  files: z.array(resultFile).describe('Projects; empty for audio'),
  errors: z
    .object({
      bgm: z.string().optional(),
      base_video: z.string().optional(),
      subtitle: z.string().optional(),
      bilingual_subtitle: z.string().optional(),
      transcript: z.string().optional(),
      project: z.string().optional(),
    })
    .describe('Outputs that failed'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const videoTranslateDub = operation({
  name: 'video_translate_dub',
  title: 'Translate and dub a video',
  description:
    'Translates speech of a video or audio and speaks it line by line, in a cloned or given voice. You confirm ' +
    "that the voice's owner consents; label what is published as AI-generated.",
  details:
    'Only the sound is replaced, the picture stays. Lines that do not fit their time borrow pauses, are rewritten, spoken faster, or lengthen the video a little ' +
    '(fit_policy, speed_band); the report and the alignment record list every step. Music is kept and lowered under ' +
    'speech. Also returns the dub alone, subtitles, and editing projects for Premiere, Resolve and Final Cut.',
  toolset: 'speech',
  resultVaries: true,
  input,
  output,
  price: { unit: 'exact minute', credits: 50, of: 'the source' },
  errorAliases: { 6017: 6014, 6021: 6014 },
  limits: [6017],
  selectFields,
  nextStep: describeDub,
  examples: [
    {
      title: 'A Chinese talk in English, in the voice of the speaker',
      input: { file_id: 'talk.mp4', source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' },
    },
    {
      title:
        'A French interview in Japanese in the voice of another recording, of the same length, with burned-in subtitles',
      input: {
        ...{ file_id: 'interview.mp4', source_lang: 'fr-FR', target_lang: 'ja-JP', speaker: 'clone' },
        ...{ ref_file_id: 'voice.wav', ref_lang: 'en-US', fit_policy: 'strict' },
        ...{ subtitle: 'burn', subtitle_type: 'cinema_yellow' },
      },
    },
  ],
})

/** What speaks the languages in which no voice is cloned. */
const catalogueInstead =
  'Or use as speaker a voice of media://voices (GET /base/voices) that has the language; if none has it, the operator ' +
  'must add one to the setting "voices" (docs/engines.md, "Voices for dubbing").'

/** Rejects languages that are not supported (6017), which the codes of other invalid fields do not cover. */
function selectFields(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { file_id, source_lang, target_lang, speaker, ref_lang } = request
  const isComplete = [file_id, source_lang, target_lang, speaker].every((field) => field !== undefined)
  if (isComplete) {
    if (typeof source_lang === 'string')
      requireLanguage(source_lang, { field: 'source_lang', supported: dubbingLanguages })
    if (speaker === cloneSpeaker && typeof target_lang === 'string')
      requireLanguage(target_lang, {
        ...{ field: 'target_lang', supported: voiceRequestLanguages, by: 'a cloned voice' },
        instead: catalogueInstead,
      })
    if (typeof ref_lang === 'string')
      requireLanguage(ref_lang, { field: 'ref_lang', supported: voiceRequestLanguages })
  }
  return { ...request }
}
