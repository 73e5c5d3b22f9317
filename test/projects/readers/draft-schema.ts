import * as z from 'zod'

/** Microseconds. */
const microseconds = z.int().min(0)

const range = z.looseObject({ start: microseconds, duration: microseconds })
export type DraftRange = z.infer<typeof range>

const material = z.looseObject({ id: z.string().min(1) })

const fileMaterial = material.extend({
  path: z.string(),
  type: z.string().optional(),
  name: z.string().optional(),
  material_name: z.string().optional(),
  duration: microseconds,
  width: z.int().optional(),
  height: z.int().optional(),
})
export type DraftMaterial = z.infer<typeof fileMaterial>

const speed = material.extend({ speed: z.number().positive() })

const text = material.extend({ content: z.string() })

const pair = z.looseObject({ x: z.number(), y: z.number() })

/** How a picture is placed: scale 1 is contained in the canvas; the position is in halves of its sides, y upwards. */
const segmentClip = z.looseObject({
  scale: pair.default({ x: 1, y: 1 }),
  transform: pair.default({ x: 0, y: 0 }),
})

const segment = z.looseObject({
  id: z.string().min(1),
  material_id: z.string().min(1),
  target_timerange: range,
  source_timerange: range.nullable(),
  speed: z.number().positive(),
  clip: segmentClip.nullable(),
  extra_material_refs: z.array(z.string()),
})
export type DraftSegment = z.infer<typeof segment>

const track = z.looseObject({
  id: z.string().min(1),
  type: z.string(),
  segments: z.array(segment),
})
export type DraftTrack = z.infer<typeof track>

/**
 * Schema of the content file of a mobile editor's draft: the fields that place clips. Drafts have many more, which
 * differ between versions of the editors and are not checked.
 */
export const draftContent = z.looseObject({
  id: z.string().min(1),
  name: z.string().optional(),
  duration: microseconds,
  fps: z.number().positive(),
  canvas_config: z.looseObject({ width: z.int().positive(), height: z.int().positive() }),
  tracks: z.array(track),
  materials: z
    .looseObject({
      videos: z.array(fileMaterial),
      audios: z.array(fileMaterial),
      texts: z.array(text).default([]),
      speeds: z.array(speed).default([]),
    })
    .catchall(z.unknown()),
})
export type DraftContent = z.infer<typeof draftContent>

/** Schema of the meta file of a draft: the fields that list the draft in the editor. */
export const draftMeta = z.looseObject({
  draft_id: z.string().min(1),
  draft_name: z.string().min(1),
  draft_fold_path: z.string().min(1),
  draft_root_path: z.string().min(1),
  tm_duration: microseconds,
  draft_materials: z.array(
    z.looseObject({
      type: z.int(),
      value: z.array(z.looseObject({ file_Path: z.string().optional() })),
    }),
  ),
})
