import * as z from 'zod'
import { parseProjectJson } from './json.ts'
import {
  checkTracks,
  endOfTracks,
  Inspection,
  isNear,
  type ReadClip,
  type ReadOptions,
  type ReadProject,
} from './read-project.ts'
import { fromNumber, rational, type Rational, show } from './rational.ts'

const seconds = z.number().min(0)

const item = z.object({
  clip_id: z.string(),
  clip_name: z.string().optional(),
  material: z.string().optional(),
  clip_st: seconds.optional(),
  clip_ed: seconds.optional(),
  track_st: seconds,
  track_ed: seconds,
  duration: z.number().positive(),
  speed: z.number().positive().default(1),
})

const track = z.object({ track_index: z.int().min(0), track_timeline: z.array(item) })
type GtrkTrack = z.infer<typeof track>

/** Schema of a gtrk v1 project by the contract (2, 2.3 and 4.3): the fields that place clips. */
const gtrkProject = z.object({
  version: z.literal('v1'),
  name: z.string().optional(),
  video_size: z.tuple([z.int().positive(), z.int().positive()]),
  video_rate: z.int().positive(),
  duration: seconds.optional(),
  materials: z.array(
    z.object({
      id: z.union([z.string().min(1), z.number()]),
      path: z.string().default(''),
      name: z.string().optional(),
      duration: seconds.optional(),
      video_size: z.tuple([z.number(), z.number()]).optional(),
      video_rate: z.number().optional(),
    }),
  ),
  video_track: z.array(track),
  audio_track: z.array(track),
})

/**
 * Reads a gtrk v1 project. Times in the file are seconds in floating point; they are rounded to a nanosecond. The
 * integer rate of the project does not limit them to its frames.
 */
export function readGtrkProject(text: string, options?: ReadOptions): ReadProject {
  const gtrk = parseProjectJson(text, gtrkProject)
  const inspection = new Inspection(options)
  const kinds = [
    ['video', gtrk.video_track],
    ['audio', gtrk.audio_track],
  ] as const
  const tracks = kinds.flatMap(([kind, list]) =>
    list
      .toSorted((one, other) => one.track_index - other.track_index)
      .map((one) => ({ kind, clips: readItems(one, `${kind}_track ${one.track_index}`, inspection) })),
  )
  const project = {
    name: gtrk.name ?? '',
    rate: rational(gtrk.video_rate),
    dropFrame: false,
    width: gtrk.video_size[0],
    height: gtrk.video_size[1],
    media: gtrk.materials.map((material) => ({
      id: String(material.id),
      name: material.name ?? '',
      path: material.path,
      seconds: material.duration === undefined ? null : toNanoseconds(material.duration),
      timecodeStart: null,
      dropFrame: false,
      width: material.video_size?.[0] ?? null,
      height: material.video_size?.[1] ?? null,
      rate: material.video_rate === undefined ? null : fromNumber(material.video_rate),
      channels: null,
      sampleRate: null,
    })),
    tracks,
  }
  checkTracks(project, inspection)
  const end = endOfTracks(tracks)
  if (gtrk.duration !== undefined && !isNear(toNanoseconds(gtrk.duration), end, rational(1, 1_000_000))) {
    inspection.broken('sequence-end', 'duration', `${gtrk.duration} s, the last clip ends at ${show(end)} s`)
  }
  return { ...project, skipped: inspection.skipped }
}

/** Reads the clips of a track, by start, without its gaps, which have an empty `clip_id`. */
function readItems({ track_timeline: items }: GtrkTrack, where: string, inspection: Inspection): ReadClip[] {
  const sorted = items.toSorted((one, other) => one.track_st - other.track_st)
  return sorted.flatMap((one, index): ReadClip[] => {
    if (one.clip_id === '') return []
    const path = `${where} item ${index}`
    if (one.material === undefined || one.clip_st === undefined || one.clip_ed === undefined) {
      inspection.broken('missing', path, 'material, clip_st or clip_ed is missing')
      return []
    }
    if (Math.abs(one.track_ed - one.track_st - one.duration) > 1e-6) {
      inspection.broken('range', path, `duration ${one.duration} is not track_ed - track_st`)
    }
    return [
      {
        media: one.material,
        name: one.clip_name ?? one.clip_id,
        from: toNanoseconds(one.clip_st),
        to: toNanoseconds(one.clip_ed),
        start: toNanoseconds(one.track_st),
        end: toNanoseconds(one.track_ed),
        speed: fromNumber(one.speed),
      },
    ]
  })
}

function toNanoseconds(time: number): Rational {
  return rational(Math.round(time * 1e9), 1_000_000_000)
}
