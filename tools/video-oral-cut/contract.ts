import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { fileRef } from '../../src/contract/file.ts'
import { recognitionLanguages, requireRecognitionLanguage } from '../../src/contract/languages.ts'
import { operation } from '../../src/contract/operation.ts'
import { projectFields, resultFile } from '../../src/contract/project.ts'
import { describeCut } from './next-step.ts'

/** Length of a script without whitespace, Unicode code points (contract 3, 4.7). */
const scriptLength = { min: 10, max: 50_000 } as const

/** Longest pause and pad, seconds. */
const seconds = z.number().min(0).max(5)

/** More keys than there are spellings of punctuation marks. */
const maxBreakKeys = 64

/** Endings of files that contain scripts. */
const scriptFile = /\.(?:txt|text|md|markdown|rtf|docx?|odt|pages|pdf|html?|csv|srt|vtt|fountain|fdx)$/i
const absolutePath = /^(?:\/|~|\.{1,2}[\\/]|[a-z]:[\\/]|\\\\|file:)/i

/** Whether a script is one line with the path of a text file: without spaces, or from a folder of the system. */
function isScriptPath(text: string): boolean {
  const line = text.trim()
  return scriptFile.test(line) && !/[\n\r]/.test(line) && (absolutePath.test(line) || !/\s/.test(line))
}

const script = z.string().superRefine((text, context) => {
  if (isScriptPath(text)) {
    context.addIssue({
      code: 'custom',
      message: `"${text.trim().slice(0, 200)}" is the path of a file, not a text`,
      params: { fix: 'Read the file, and pass its text.' },
    })
    return
  }
  const length = [...text.replaceAll(/\s/gu, '')].length
  if (length >= scriptLength.min && length <= scriptLength.max) return
  context.addIssue({
    code: 'custom',
    message: `has ${length} characters without spaces, not ${scriptLength.min} to ${scriptLength.max}`,
    params: {
      fix:
        length < scriptLength.min
          ? 'Give the whole script, or omit it to reconstruct it from the footage.'
          : 'Cut the footage and the script in parts.',
    },
  })
})

const input = z
  .object({
    file_id: fileRef({ kinds: ['video'], describe: 'Talking-head footage, one camera' }),
    script: script.optional().describe('Text that should be said; default: reconstructed'),
    la: agentField(z.enum(recognitionLanguages), { kind: 'language' })
      .default('zh-CN')
      .describe('Spoken language'),
    outputs: z
      .array(z.enum(['project', 'video']))
      .min(1)
      .max(2)
      .default(['project'])
      .describe('Editing projects, an mp4, or both'),
    ...projectFields,
    render: agentField(
      z.object({
        codec: z.enum(['h264']).default('h264'),
        crf: z.int().min(14).max(28).default(18).describe('Lower is better'),
        audio_crossfade_ms: z.int().min(0).max(50).default(8),
      }),
      { isBrief: true },
    )
      .prefault({})
      .describe('Quality of the mp4: crf, audio_crossfade_ms'),
    rhythm_preset: z.enum(['steady', 'concise', 'compact']).optional().describe('Length of pauses'),
    adaptive_rhythm: z.boolean().default(true).describe("Scale pauses by the speaker's own"),
    punctuation_breaks: agentField(
      z.record(z.string().max(20), seconds).refine((breaks) => Object.keys(breaks).length <= maxBreakKeys, {
        error: `has more than ${maxBreakKeys} keys`,
      }),
      { isBrief: true },
    )
      .optional()
      .describe('Pause after a mark, s: 、 , ; : — 。 ! ? …… paragraph'),
    intra_gap_max: seconds.optional().describe('Longest pause within a sentence, s; default 0.35'),
    intra_gap_target: seconds.optional().describe('What longer ones become, s; default 0.1'),
    pad_in: seconds.optional().describe('Kept before speech, s; default 0.05'),
    pad_out: seconds.optional().describe('Kept after speech, s; default 0.08'),
    visual_assist: z.boolean().default(false).describe('Compare speech with mouth motion'),
  })
  .refine(({ outputs, source_path }) => !outputs.includes('project') || source_path !== undefined, {
    path: ['source_path'],
    error: 'required, because outputs includes project (the default)',
    params: { fix: 'Give the full path of the footage on the machine of the editor, or outputs ["video"].' },
  })

const time = z.number().min(0)
const span = { start: time, end: time }

const output = z.object({
  report: z.object({
    final_script: z.string(),
    script_source: z.enum(['user', 'rebuilt']),
    dropped: z.array(z.object({ ...span, asr_text: z.string(), reason: z.enum(['retake', 'misread']) })),
    uncovered_script: z.array(z.string()).describe('Passages without footage'),
    review_points: z.array(z.object({ time, note: z.string() })).describe('To check, in the footage'),
    insufficient_breaks: z
      .array(z.object({ time, want: time, got: time }))
      .describe('Pauses longer than the footage offers'),
    rhythm_preset: z.string().nullable(),
    adaptive_rhythm: z.boolean(),
    pause_profile: z
      .record(z.string(), z.object({ median: time, p75: time, n: z.int() }))
      .optional()
      .describe("The speaker's own pauses, s"),
    analysis_degraded: z.boolean().describe('Word times were estimated, not measured'),
    suspect_omissions: z.array(z.object({ ...span, overlap: time, recovered: z.boolean() })).optional(),
    stt_recovered: z.array(z.object({ ...span, text: z.string() })).optional(),
    visual_assist_degraded: z.boolean().optional(),
    coverage: z.number().min(0).max(1).describe('Share of the script that the cut contains'),
    low_coverage: z.boolean().optional(),
    duration_before: time.describe('s'),
    duration_after: time.describe('s'),
  }),
  files: z.array(resultFile),
  errors: z.object({ transcript: z.string().optional() }).describe('Outputs that failed'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const videoOralCut = operation({
  name: 'video_oral_cut',
  title: 'Cut a talking-head recording',
  description:
    'Cuts retakes, misread passages, breaths and long pauses out of footage of one speaker, with or without a script. ' +
    'Returns editing projects, a video or both.',
  details:
    'Projects for Premiere, Resolve and Final Cut (xml, fcpxml), OpenTimelineIO (otio), gtrk and mobile editors. ' +
    'Times in the report are seconds of the footage. A transcript with word times is always included.',
  // A script of 50,000 characters of four bytes, and escapes.
  maxBodyBytes: 2 * 2 ** 20,
  toolset: 'cut',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'the footage' },
  errorAliases: { 6017: 6014, 6021: 6014 },
  limits: [6015],
  selectFields,
  nextStep: describeCut,
  examples: [
    {
      title: 'Projects for desktop editors, with the script',
      input: {
        file_id: 'talk.mp4',
        la: 'en-US',
        script:
          'Welcome to our channel. Today we bake bread at home.\n' +
          'First mix the flour with warm water, then let the dough rest for an hour.',
        project_formats: ['xml', 'fcpxml'],
        source_path: '/Users/me/Movies/talk.mp4',
        rhythm_preset: 'concise',
      },
    },
    {
      title: 'A finished video with short pauses, without a script',
      input: { file_id: 'talk.mp4', la: 'en-US', outputs: ['video'], rhythm_preset: 'compact' },
    },
  ],
})

/** Rejects known languages without recognition of words, and omits the fields of outputs that are not requested. */
function selectFields(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { la, outputs = ['project'], render, project_formats, source_path, struct_meta, ...others } = request
  const isKnown = (recognitionLanguages as readonly unknown[]).includes(la)
  if (typeof la === 'string' && !isKnown && request['file_id'] !== undefined)
    requireRecognitionLanguage(la, { field: 'la', unknown: 6016 })
  const has = (kind: string) => Array.isArray(outputs) && outputs.includes(kind)
  return {
    ...others,
    ...(la !== undefined && { la }),
    ...(request['outputs'] !== undefined && { outputs }),
    ...(has('video') && render !== undefined && { render }),
    ...(has('project') && { project_formats, source_path, struct_meta }),
  }
}
