import * as z from 'zod'

/**
 * Schema of the OpenTimelineIO objects that a timeline of cuts consists of, by the fields that the library's
 * serialization writes. Unknown fields are rejected: the library would ignore them without an error.
 */

/** A duration or point in time: a number of frames at a rate. */
const rationalTime = z.strictObject({
  OTIO_SCHEMA: z.literal('RationalTime.1'),
  rate: z.number().positive(),
  value: z.number(),
})
export type OtioTime = z.infer<typeof rationalTime>

const timeRange = z.strictObject({
  OTIO_SCHEMA: z.literal('TimeRange.1'),
  start_time: rationalTime,
  duration: rationalTime,
})
export type OtioRange = z.infer<typeof timeRange>

const metadata = z.record(z.string(), z.unknown()).optional()
const name = z.string().nullish()

const point = z.strictObject({ OTIO_SCHEMA: z.literal('V2d.1'), x: z.number(), y: z.number() })
const box = z.strictObject({ OTIO_SCHEMA: z.literal('Box2d.1'), min: point, max: point })

const referenceFields = {
  name,
  metadata,
  available_range: timeRange.nullish(),
  available_image_bounds: box.nullish(),
}

const mediaReference = z.discriminatedUnion('OTIO_SCHEMA', [
  z.strictObject({
    OTIO_SCHEMA: z.literal('ExternalReference.1'),
    target_url: z.string(),
    ...referenceFields,
  }),
  z.strictObject({ OTIO_SCHEMA: z.literal('MissingReference.1'), ...referenceFields }),
])
export type OtioReference = z.infer<typeof mediaReference>

const marker = z.strictObject({
  OTIO_SCHEMA: z.enum(['Marker.1', 'Marker.2']),
  name,
  metadata,
  color: z.string().nullish(),
  comment: z.string().optional(),
  marked_range: timeRange,
})

const timeWarp = z.strictObject({
  OTIO_SCHEMA: z.literal('LinearTimeWarp.1'),
  name,
  metadata,
  enabled: z.boolean().optional(),
  effect_name: z.string(),
  time_scalar: z.number(),
})

const itemFields = {
  name,
  metadata,
  source_range: timeRange.nullish(),
  effects: z.array(timeWarp).optional(),
  markers: z.array(marker).optional(),
  enabled: z.boolean().optional(),
  color: z.unknown().optional(),
}

const gap = z.strictObject({ OTIO_SCHEMA: z.literal('Gap.1'), ...itemFields })

/** Version 1 of a clip: one media reference. */
const oldClip = z.strictObject({
  OTIO_SCHEMA: z.literal('Clip.1'),
  media_reference: mediaReference.nullish(),
  ...itemFields,
})

const clip = z.strictObject({
  OTIO_SCHEMA: z.literal('Clip.2'),
  media_references: z.record(z.string().min(1), mediaReference),
  active_media_reference_key: z.string().min(1),
  ...itemFields,
})
export type OtioClip = z.infer<typeof clip> | z.infer<typeof oldClip>

const transition = z.strictObject({
  OTIO_SCHEMA: z.literal('Transition.1'),
  name,
  metadata,
  transition_type: z.string(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  in_offset: rationalTime,
  out_offset: rationalTime,
})

const track = z.strictObject({
  OTIO_SCHEMA: z.literal('Track.1'),
  kind: z.enum(['Video', 'Audio']),
  children: z.array(z.discriminatedUnion('OTIO_SCHEMA', [oldClip, clip, gap, transition])),
  ...itemFields,
})
export type OtioTrack = z.infer<typeof track>

const stack = z.strictObject({
  OTIO_SCHEMA: z.literal('Stack.1'),
  children: z.array(track),
  ...itemFields,
})

/** Our own metadata of a timeline: width and height of its canvas, pixels. */
export const otioCanvas = z.strictObject({
  canvas_size: z.tuple([z.int().positive(), z.int().positive()]),
})

/** A timeline: a stack of tracks of clips and gaps. */
export const otioTimeline = z.strictObject({
  OTIO_SCHEMA: z.literal('Timeline.1'),
  name,
  metadata,
  global_start_time: rationalTime.nullish(),
  tracks: stack,
})
export type OtioTimeline = z.infer<typeof otioTimeline>
