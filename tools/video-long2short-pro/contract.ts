import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { requireSubtitleLanguage, subtitleLanguages } from '../../src/contract/languages.ts'
import { operation } from '../../src/contract/operation.ts'
import { resultFile } from '../../src/contract/project.ts'
import {
  checkSpokenFields,
  clipFields,
  clipOperation,
  clipRequestFields,
  clipSourceFields,
  hasOneTranscript,
  selectionFields,
  twoTranscripts,
} from '../../src/contract/shorts.ts'
import { describeFinishedClips } from './next-step.ts'

const share = z.number().min(0).max(1)

const splitScreen = agentField(
  z.object({
    enable: z.boolean().default(false),
    orientation: z.enum(['auto', 'lr', 'tb']).default('auto'),
  }),
  { isBrief: true },
)

const cameraMove = agentField(
  z.object({
    enable: z.boolean().default(true),
    probability: share.default(0.35).describe('That a segment moves'),
    amplitude: z.number().min(0).max(0.5).default(0.08).describe('Change of a move, as a share of the crop'),
    max_ratio: share.default(0.5).describe('Most segments that move, as a share'),
    blur_sigma: z
      .number()
      .min(0)
      .max(100)
      .default(40)
      .describe('Blur behind a picture that is not cropped, px'),
  }),
  { isBrief: true },
)

const speed = agentField(z.object({ factor: z.number().min(0.5).max(2).default(1) }), { isBrief: true })

const seam = agentField(z.object({ crossfade_ms: z.number().min(0).max(500).default(30) }), { isBrief: true })

const subtitle = agentField(
  z.object({
    enable: z.boolean().default(true),
    translate_language: z.enum(subtitleLanguages).optional(),
    purify_source: z.boolean().default(false),
    strip_punctuation: z.boolean().default(true),
  }),
  { isBrief: true },
)

const input = z
  .object({
    ...clipRequestFields,
    split_screen: splitScreen.prefault({}).describe('{enable: true}: people side by side'),
    camera_move: cameraMove.prefault({}).describe('Slow moves: {enable, amplitude}'),
    speed: speed.prefault({}).describe('{factor: 0.5-2}'),
    seam: seam.prefault({}).describe('{crossfade_ms: 0-500}, sound'),
    subtitle: subtitle
      .prefault({})
      .describe('{enable, translate_language, purify_source: removes burned-in ones}'),
  })
  .refine(hasOneTranscript, twoTranscripts)

const clip = z.object({
  ...clipFields,
  file: resultFile,
  ...clipSourceFields,
})

const reason = z.string().optional()

const output = z.object({
  clips: z.array(clip),
  report: z.object({
    ...selectionFields,
    degraded: z.boolean().describe('Whether a step failed or was done in a simpler way: see errors'),
    degraded_items: z
      .record(z.string(), z.array(z.string()))
      .describe('Such steps by clip: {clip1: [camera]}'),
  }),
  errors: z
    .object({
      selection: reason.describe('Why clips were selected without a language model'),
      camera: reason,
      speed: reason,
      seam: reason,
      split: reason,
      subtitle: reason,
    })
    .describe('Steps that failed or were done in a simpler way'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const videoLong2shortPro = operation({
  name: 'video_long2short_pro',
  title: 'Make finished short clips of a long video',
  description:
    'Finished short mp4 clips of the best passages of a long video with speech, framed on the faces, with burned-in ' +
    'subtitles in one or two languages.',
  details:
    'For editing projects use video_long2short. Clips begin and end with sentences and do not overlap. Their number ' +
    'and lengths follow the content. ' +
    'Subtitles keep clear of the controls of platforms. A step of the finish that fails is left out and reported ' +
    '(errors, report.degraded_items); only selection and cuts can fail the task.',
  ...clipOperation,
  input,
  output,
  selectFields,
  nextStep: describeFinishedClips,
  examples: [
    {
      title: 'Vertical clips of up to a minute with subtitles',
      input: {
        ...{ file_id: 'podcast.mp4', language: 'en-US' },
        duration: { pref: 'short', max_clip_sec: 60 },
      },
    },
    {
      title: 'Square clips, slightly faster, with subtitles in English and Chinese',
      input: {
        ...{ file_id: 'podcast.mp4', language: 'en-US', output_size: '1:1', speed: { factor: 1.1 } },
        subtitle: { translate_language: 'zh-CN' },
      },
    },
  ],
})

/** Fields of video_long2short that this operation does not accept, even if they are valid there. */
const refusedFields = ['outputs', 'source_path']

/** Rejects refused fields (6016), and languages that are not recognised or not known (6015, 6017), before anything else. */
function selectFields(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const refused = refusedFields.find((field) => request[field] !== undefined)
  if (refused !== undefined && request['file_id'] !== undefined && request['language'] !== undefined) {
    throw new MediaError(6016, `${refused}: this operation returns finished mp4 clips only`, {
      hint: `Omit ${refused}, or use video_long2short, which also writes editing projects.`,
    })
  }
  checkSpokenFields(request)
  const { subtitle: given, language } = request
  if (typeof language === 'string' && typeof given === 'object' && given !== null) {
    const { translate_language } = given as { readonly translate_language?: unknown }
    if (typeof translate_language === 'string')
      requireSubtitleLanguage(translate_language, { field: 'subtitle.translate_language' })
  }
  return { ...request }
}
