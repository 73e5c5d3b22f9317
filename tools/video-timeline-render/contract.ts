import * as z from 'zod'
import { list } from '../../src/contract/bounded-list.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'
import { timelineAgentForm } from './agent-form.ts'
import { examples } from './examples.ts'

/** Maximum number of clips in all tracks (contract 2, 8). More tracks or materials would be unused. */
const maxClips = 500

/** Maximum gain factor of a clip or track; 100 is +40 dB. */
const maxVolume = 100

/** Maximum time, seconds. No file is longer than 1000 hours. */
const maxFileSeconds = 1000 * 3600

const seconds = z.number().min(0).max(maxFileSeconds)

/**
 * Accepts any object and discards its content, because a hostile object may be nested too deeply to serialize
 * as JSON.
 */
const ignored = z.looseObject({}).transform(() => ({}))

/** Fields of a clip on either kind of track. A gap has an empty clip_id and no material. */
const clip = z.object({
  clip_id: z.string().max(200).describe('Any name; empty marks a gap (black, silence)'),
  clip_st: seconds.optional().describe('In point inside the material, s; not for gaps'),
  clip_ed: seconds
    .optional()
    .describe('Out point inside the material, s: clip_st + duration x speed; not for gaps'),
  track_st: seconds.describe('Start on the output, s'),
  track_ed: seconds.describe('End on the output, s; clips of a track must not overlap'),
  duration: z.number().gt(0).describe('track_ed - track_st, s'),
  speed: z.number().min(0.01).max(100).default(1).describe('Sound is muted above 5'),
  keep_pitch: z.boolean().default(false).describe('Keep the pitch of retimed sound'),
})

type GtrkClipFields = z.output<typeof clip> & { readonly material?: string | undefined }

interface ClipRule {
  /** The field that an error names. */
  readonly field: 'material' | 'clip_st' | 'clip_ed' | 'track_ed'
  readonly isMet: (one: GtrkClipFields) => boolean
  readonly message: string
  readonly fix: string
}

/** Rules for a clip beyond the types of its fields. */
const clipRules: readonly ClipRule[] = [
  ...(['material', 'clip_st', 'clip_ed'] as const).map((field) => ({
    field,
    isMet: (fields: GtrkClipFields) => fields.clip_id === '' || fields[field] !== undefined,
    message: 'required, unless clip_id is empty, which marks a gap',
    fix: 'Add material, clip_st and clip_ed, or set clip_id to an empty text for a gap.',
  })),
  {
    field: 'clip_ed',
    isMet: ({ clip_id, clip_st = 0, clip_ed = Infinity }) => clip_id === '' || clip_st < clip_ed,
    message: 'clip_ed must be after clip_st',
    fix: 'Set clip_ed to clip_st + duration x speed.',
  },
  {
    field: 'track_ed',
    isMet: ({ track_st, track_ed }) => track_st < track_ed,
    message: 'track_ed must be after track_st',
    fix: 'Set track_ed to track_st + duration.',
  },
]

function checkClip(fields: GtrkClipFields, context: z.RefinementCtx): void {
  for (const { field, isMet, message, fix } of clipRules) {
    if (!isMet(fields)) context.addIssue({ code: 'custom', path: [field], message, params: { fix } })
  }
}

const materialIdHelp = 'id of one of materials; not for gaps'

const videoClip = clip
  .extend({
    material: fileRef({ kinds: ['video'], describe: `Video: ${materialIdHelp}` }).optional(),
    muted: z.boolean().optional().describe('Overrides the track'),
  })
  .superRefine(checkClip)

const audioClip = clip
  .extend({
    material: fileRef({
      kinds: ['audio', 'video'],
      describe: `Audio or video: ${materialIdHelp}`,
    }).optional(),
    volume: z.number().min(0).max(maxVolume).optional().describe('Factor; overrides the track'),
  })
  .superRefine(checkClip)

const side = z.int().min(16).max(4096).multipleOf(2)

const material = z.object({
  id: fileRef({
    kinds: ['video', 'audio'],
    fix: 'Use a video or sound. For a still picture, create a video first, or overlay it with html_render_simple.',
    describe: 'Video or audio; for a still picture, create a video first',
  }),
  path: z.string().optional().describe('Ignored'),
  duration: z.number().optional().describe('Ignored, s'),
  video_size: list(z.number()).optional().describe('Ignored'),
  video_rate: z.number().optional().describe('Ignored'),
  audio_channel: z.string().optional().describe('Ignored'),
})

const fields = z.object({
  version: z.enum(['v1']).describe('Version of the timeline format'),
  video_size: z.array(side).length(2).describe('Width and height of the output in pixels, even'),
  video_rate: z.int().min(1).max(120).describe('Frames per second of the output'),
  duration: z
    .number()
    .gt(0)
    .optional()
    .describe('Length of the output, s; default: to the end of the last clip'),
  materials: list(material).max(maxClips).describe('Every file that clips use'),
  video_track: list(
    z.object({
      track_index: z.number().describe('Layer; only the lowest is rendered'),
      track_size: list(z.number()).optional().describe('Ignored'),
      muted: z.boolean().default(false).describe('Mutes its clips, unless they set muted'),
      track_timeline: list(videoClip).describe('Clips in any order'),
    }),
  )
    .max(maxClips)
    .describe('Pictures, with their sound unless muted'),
  audio_track: list(
    z.object({
      track_index: z.number().describe('Ignored: all are mixed'),
      volume: z.number().min(0).max(maxVolume).default(1).describe('Factor, unless clips set volume'),
      track_timeline: list(audioClip).describe('Clips in any order'),
    }),
  )
    .max(maxClips)
    .describe('Sound, all tracks mixed; may be [] where there is no music'),
  beat_track: list(ignored).prefault([]).describe('Ignored'),
  struct_meta: ignored.prefault({}).describe('Ignored'),
})

type Fields = z.output<typeof fields>

/** Yields the clips of all tracks with their paths in the request. */
function* allClips({ video_track, audio_track }: Fields) {
  for (const [name, tracks] of Object.entries({ video_track, audio_track })) {
    for (const [track, { track_timeline }] of tracks.entries()) {
      for (const [index, clipFields] of track_timeline.entries()) {
        yield { clipFields, path: [name, track, 'track_timeline', index] }
      }
    }
  }
}

const input = fields.superRefine((timeline, context) => {
  const materialIds = new Set(timeline.materials.map(({ id: materialId }) => materialId))
  let count = 0
  for (const { clipFields, path } of allClips(timeline)) {
    count += 1
    const { clip_id, material: materialId } = clipFields
    if (clip_id === '' || materialId === undefined || materialIds.has(materialId)) continue
    const message = 'no entry of materials has this id'
    const params = { fix: 'Add {"id": …} to materials, or use the id of an entry.' }
    context.addIssue({ code: 'custom', path: [...path, 'material'], message, params })
  }
  if (count <= maxClips) return
  const params = {
    fix: 'Render parts as separate timelines, then join the results with another timeline.',
  }
  const message = `at most ${maxClips} clips in all tracks together, ${count} given`
  context.addIssue({ code: 'custom', path: ['video_track'], message, params })
})

const output = z.object({
  file_id: id,
  download_url: z.string(),
  duration: z.number().describe('s'),
  video_size: z.array(z.int()).describe('Width and height'),
  notes: z
    .array(z.string())
    .optional()
    .describe('What was done to sources beyond the request, such as tone mapping'),
})

export const videoTimelineRender = operation({
  name: 'video_timeline_render',
  title: 'Render a timeline',
  description:
    'Cuts and joins videos into one mp4: trims, gaps, speed changes, music. Clips need only their file as material and ' +
    'follow each other in order with their sound. No transitions, texts or still pictures.',
  details:
    'Clips are fitted with black bars. A full gtrk v1 timeline is also accepted, instead of clips and audio. video_rate ' +
    'is rounded to a whole number. Limits: 500 clips, output at most 6 hours.',
  // 500 clips, materials and tracks with about 8 KiB together for each clip.
  maxBodyBytes: 4 * 2 ** 20,
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'the output' },
  errorAliases: { 6017: 6014 },
  agentForm: timelineAgentForm(fields.shape, maxClips),
  examples,
})
