import * as z from 'zod'
import { agentField, type AgentForm, type AgentRequest } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { fileRef } from '../../src/contract/file.ts'
import { isRecord } from '../../src/contract/validation.ts'
import { completeTimeline, filesWithUnknownTimes, looseTimeline } from './complete-timeline.ts'

const seconds = z
  .number()
  .min(0)
  .max(1000 * 3600)

/** Fields of a clip that agents write: in and out point inside the file, and place on the output. */
const clipFields = {
  clip_st: seconds.optional().describe('In point, s'),
  clip_ed: seconds.optional().describe('Out point, s; default: its end'),
  track_st: seconds.optional().describe('Start on the output, s; default: after the previous'),
  speed: z.number().min(0.01).max(100).optional().describe('0.5 is slow motion'),
  keep_pitch: z.boolean().optional().describe('Default true'),
}

const pictureClip = z.object({
  material: fileRef({ kinds: ['video'], describe: 'Video' }),
  ...clipFields,
  muted: z.boolean().optional().describe('Without its sound'),
})

const soundClip = agentField(
  z.object({
    material: fileRef({ kinds: ['audio', 'video'], describe: 'Sound, or a video' }),
    ...clipFields,
    track_st: seconds.optional().describe('Start on the output, s'),
    volume: z.number().min(0).max(100).optional().describe('0.3 for music under speech'),
  }),
  // Of music, the start on the output is meant as often as the in point.
  {
    ambiguous: {
      names: ['start', 'start time', 'from', 'begin', 'begin time'],
      fields: ['clip_st', 'track_st'],
    },
  },
)

/** Shape of the contract's input. */
type TimelineFields = Readonly<
  Record<
    | 'video_size'
    | 'materials'
    | 'video_track'
    | 'audio_track'
    | 'beat_track'
    | 'struct_meta'
    | 'version'
    | 'duration',
    z.ZodType
  >
>

/** Tool of video_timeline_render: clips in order are enough. fields, maxClips: those of the contract. */
export function timelineAgentForm(fields: TimelineFields, maxClips: number): AgentForm {
  const gtrk = (field: z.ZodType, describe: string) =>
    agentField(field.optional(), { isBrief: true }).describe(describe)
  const unlisted = (field: z.ZodType, describe: string) =>
    agentField(field.optional(), { isUnlisted: true }).describe(describe)
  return {
    input: z.object({
      clips: z.array(pictureClip).min(1).max(maxClips).optional().describe('In order, one after another'),
      audio: z
        .array(soundClip)
        .max(maxClips)
        .optional()
        .describe('Music and voices, mixed; end with the picture'),
      video_size: fields.video_size.optional().describe('[width, height]; default: that of the first clip'),
      video_rate: z
        .number()
        .min(1)
        .max(120)
        .optional()
        .describe('Whole frames per second; default: that of the first clip'),
      duration: fields.duration,
      version: unlisted(fields.version, 'gtrk'),
      materials: gtrk(fields.materials, 'gtrk'),
      video_track: gtrk(
        fields.video_track,
        'gtrk v1, instead of clips: see media://operations/video_timeline_render',
      ),
      audio_track: gtrk(fields.audio_track, 'gtrk'),
      beat_track: unlisted(fields.beat_track, 'Ignored'),
      struct_meta: unlisted(fields.struct_meta, 'Ignored'),
    }),
    own: ['clips', 'audio', 'video_rate'],
    neededFiles: (args) => filesWithUnknownTimes(looseTimeline(args)),
    toRequest: (args, files): AgentRequest => {
      const { clips: _, audio: _audio, ...others } = args
      const { request, assumed } = completeTimeline(looseTimeline(args), files)
      return { request: { ...others, ...request }, assumed }
    },
    checkForm,
    restoreNames,
  }
}

/** Throws 6013 for a call without clips, 6016 for a timeline in both forms. */
function checkForm(args: Readonly<Record<string, unknown>>): void {
  if (['clips', 'audio', 'video_track', 'audio_track'].every((name) => args[name] === undefined)) {
    throw new MediaError(6013, 'Required: clips', {
      hint: 'Add clips ([{"material": "a.mp4"}, …], in order).',
    })
  }
  for (const [short, long] of [
    ['clips', 'video_track'],
    ['audio', 'audio_track'],
  ] as const) {
    if (args[short] === undefined || args[long] === undefined) continue
    throw new MediaError(6016, `${short}: cannot be combined with ${long}`, {
      hint: `Give ${short} alone, or the whole timeline as gtrk.`,
    })
  }
}

/**
 * Replaces paths of the contract's fields by those of the call: clips in order are the first video track, and each sound
 * has its own audio track. A derived material is named by the first clip that uses it.
 */
function restoreNames(text: string, { clips, audio, materials }: Readonly<Record<string, unknown>>): string {
  const isPlain = { clips: Array.isArray(clips), audio: Array.isArray(audio) }
  const users = [...materialPaths('clips', clips), ...materialPaths('audio', audio)]
  const firstUse = new Map(users.toReversed())
  const names = [...new Set(users.map(([name]) => name))]
  return text
    .replaceAll(/video_track\[0\]\.track_timeline\[(\d+)\]/g, isPlain.clips ? 'clips[$1]' : '$&')
    .replaceAll(/audio_track\[(\d+)\]\.track_timeline\[0\]/g, isPlain.audio ? 'audio[$1]' : '$&')
    .replaceAll(/materials\[(\d+)\]\.id/g, (path, index: string) =>
      materials === undefined ? (firstUse.get(names[Number(index)]) ?? path) : path,
    )
}

/** Materials of a list of clips, with their paths. */
function materialPaths(field: string, clips: unknown): (readonly [unknown, string])[] {
  const list: unknown[] = Array.isArray(clips) ? clips : []
  return list.map((clip, index) => [
    isRecord(clip) ? clip['material'] : undefined,
    `${field}[${index}].material`,
  ])
}
