import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { rgbColour } from '../../src/contract/colour.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { outputRatios } from '../../src/contract/catalog.ts'
import { operation } from '../../src/contract/operation.ts'
import { describeLayoutChoices } from './next-step.ts'
import { splitScreenAgentForm } from './agent-form.ts'

const unitShare = z.number().min(0).max(1)

/** Rectangle in shares of the sides of the picture, 0 to 1. */
const rectangle = z.object({ x: unitShare, y: unitShare, width: unitShare, height: unitShare })

/** Tolerance for the far edge of a crop whose sides were rounded by the caller. */
const edgeTolerance = 1e-6

const croppedPart = rectangle
  .refine(({ width, height }) => width > 0 && height > 0, {
    message: 'width and height must be above 0',
    params: { fix: 'Set width and height as shares of the picture, or omit crop to use all of it.' },
  })
  .refine(({ x, y, width, height }) => x + width <= 1 + edgeTolerance && y + height <= 1 + edgeTolerance, {
    message: 'the crop must be inside the picture: x + width <= 1 and y + height <= 1',
    params: { fix: 'Set width to at most 1 - x and height to at most 1 - y.' },
  })
  .describe('Part to show; shares (0 to 1) of the picture')

const crop = agentField(croppedPart, { kind: 'box' })

/** Largest accepted time, ms (24 days). The duration of the result has its own limit. */
const maxTimeMs = 2 ** 31 - 1

const clip = z
  .object({
    file_id: fileRef({ kinds: ['video'], describe: 'Video' }),
    begin_time_ms: z.int().min(0).max(maxTimeMs).default(0).describe('Start inside the video, ms'),
    end_time_ms: z
      .int()
      .min(0)
      .max(maxTimeMs)
      .optional()
      .describe('End inside the video, ms; default: its end'),
    crop: crop.optional(),
  })
  .refine(({ begin_time_ms, end_time_ms }) => !end_time_ms || begin_time_ms < end_time_ms, {
    path: ['begin_time_ms'],
    message: 'begin_time_ms must be below end_time_ms',
    params: { fix: 'Begin earlier, end later, or omit end_time_ms to use the end of the video.' },
  })

const fields = z.object({
  clips: z.array(clip).min(2).max(16).describe('One per slot, in order'),
  layout_mode: z
    .enum(['auto', 'template'])
    .default('auto')
    .describe('auto: the layout that crops least; template: layout_id'),
  layout_id: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional()
    .describe(
      'For template: 200100, 300100 and 400200 are rows, 250100, 350100 and 450200 columns; 400100 is 2 by 2, ' +
        '900100 3 by 3; all: media://layouts',
    ),
  random_seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe('For auto: chooses between equally good layouts'),
  output_ratio: agentField(z.enum(outputRatios), {
    names: {
      landscape: '16:9',
      horizontal: '16:9',
      wide: '16:9',
      portrait: '9:16',
      vertical: '9:16',
      tall: '9:16',
      square: '1:1',
    },
  })
    .default('9:16')
    .describe('Aspect ratio of the result'),
  quality: agentField(z.enum(['720p', '1080p']), {
    names: { hd: '720p', 'full hd': '1080p', fullhd: '1080p', fhd: '1080p' },
  })
    .default('1080p')
    .describe('Shorter side of the result in pixels'),
  fit_mode: agentField(z.enum(['cover', 'contain']), {
    names: { crop: 'cover', fill: 'cover', fit: 'contain', letterbox: 'contain', pad: 'contain' },
  })
    .default('cover')
    .describe('cover: fill the slot, crop; contain: whole picture, padded'),
  duration_mode: agentField(z.enum(['shortest']), { isUnlisted: true })
    .default('shortest')
    .describe('The result ends with the shortest clip'),
  audio_mode: agentField(z.enum(['first', 'mix', 'mute']), {
    names: {
      all: 'mix',
      both: 'mix',
      none: 'mute',
      off: 'mute',
      silent: 'mute',
      muted: 'mute',
      mixed: 'mix',
    },
  })
    .default('first')
    .describe('first: of the first clip that has sound; mix: of all'),
  gap_ratio: z
    .number()
    .min(0)
    .max(0.05)
    .default(0.008)
    .describe('Gap between slots, as a share of the shorter side'),
  background_color: rgbColour().default('#000000').describe('#RRGGBB, in gaps and padding'),
})

const input = fields
  .refine(({ layout_mode, layout_id }) => layout_mode === 'auto' || layout_id !== undefined, {
    path: ['layout_id'],
    message: 'layout_id is required with layout_mode template',
    params: { fix: 'Add layout_id, or omit layout_mode to have a layout selected.' },
  })
  // Ignoring the requested layout would charge credits for an unexpected result.
  .refine(({ layout_mode, layout_id }) => layout_mode === 'template' || layout_id === undefined, {
    path: ['layout_id'],
    message: 'layout_id is not allowed with layout_mode auto, the default',
    params: { fix: 'Add "layout_mode": "template" to use this layout, or omit layout_id.' },
  })

const outputSlot = z.object({
  slot_index: z.int().describe('Index of the slot in the layout'),
  clip_index: z.int().describe('Index of the clip in the slot, from 0'),
  file_id: id,
  begin_time_ms: z.int(),
  end_time_ms: z.int(),
  source_crop: rectangle.describe('Visible part of the clip'),
  destination_rect: rectangle.describe('The slot, as shares of the result'),
  fit_mode: z.enum(['cover', 'contain']),
})

const output = z.object({
  version: z.literal('video_split_screen.v1'),
  file_id: id,
  download_url: z.string(),
  duration_ms: z.int(),
  width: z.int(),
  height: z.int(),
  notes: z
    .array(z.string())
    .optional()
    .describe('What was done to sources beyond the request, such as tone mapping'),
  layout: z.object({
    layout_id: z.int(),
    equivalence_key: z.string(),
    random_seed: z.int(),
    slots: z.array(outputSlot),
  }),
})

export const videoSplitScreen = operation({
  name: 'video_split_screen',
  title: 'Split screen',
  description:
    'Shows several video clips at once in one split-screen mp4 that lasts as long as the shortest chosen range.',
  details:
    'To keep the layout that auto selected, pass the returned layout.layout_id with layout_mode template; layout.slots ' +
    'lists where each clip is. By default, equally good layouts keep the clips in order. cover crops around the ' +
    'centre. The result is at most 6 hours long.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'the shortest clip range' },
  createdExtra: ['estimates'],
  errorAliases: { 6017: 6014 },
  nextStep: describeLayoutChoices,
  agentForm: splitScreenAgentForm(fields),
  examples: [
    {
      title: 'Two clips side by side in a wide picture, with the sound of both',
      input: {
        clips: [{ file_id: 'left.mp4' }, { file_id: 'right.mp4' }],
        output_ratio: '16:9',
        audio_mode: 'mix',
      },
    },
    {
      title: 'Three ranges in a tall picture, the middle of the first frame only, white gaps',
      input: {
        clips: [
          { file_id: 'talk.mp4', begin_time_ms: 500, crop: { x: 0.25, y: 0, width: 0.5, height: 1 } },
          { file_id: 'slides.mp4', end_time_ms: 3000 },
          { file_id: 'room.mp4' },
        ],
        gap_ratio: 0.02,
        background_color: '#FFFFFF',
      },
    },
  ],
})
