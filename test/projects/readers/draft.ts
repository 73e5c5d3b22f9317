import {
  type DraftContent,
  draftContent,
  draftMeta,
  type DraftMaterial,
  type DraftRange,
  type DraftSegment,
  type DraftTrack,
} from './draft-schema.ts'
import { checkDraftText } from './draft-text.ts'
import { parseProjectJson } from './json.ts'
import {
  checkTracks,
  containedScale,
  Inspection,
  isNear,
  placedRect,
  type ReadClip,
  type ReadMedia,
  type ReadOptions,
  type ReadProject,
  type ReadRect,
  type ReadTrack,
} from './read-project.ts'
import {
  add,
  compare,
  divide,
  fromNumber,
  magnitude,
  multiply,
  nearest,
  unity,
  rational,
  type Rational,
  show,
  subtract,
} from './rational.ts'

/** Times of a draft are rounded to a microsecond: half of one, seconds. */
const rounding = rational(1, 2_000_000)

/** What the tracks of a draft refer to. */
interface DraftContext {
  readonly draft: DraftContent
  readonly rate: Rational
  readonly inspection: Inspection
}

/**
 * Reads the content file of a mobile editor's draft. Times are microseconds as written, so that they are within half
 * a microsecond of frames. Throws a `ProjectError` where the editor would reject or silently change the draft.
 */
export function readDraft(text: string, options?: ReadOptions): ReadProject {
  const draft = parseProjectJson(text, draftContent)
  const inspection = new Inspection(options)
  const context = { draft, rate: draftRate(draft.fps), inspection }
  checkIds(draft, inspection)
  const tracks = draft.tracks.flatMap((track) => readTrack(track, context))
  const project = {
    name: draft.name ?? '',
    rate: context.rate,
    dropFrame: false,
    width: draft.canvas_config.width,
    height: draft.canvas_config.height,
    media: [...draft.materials.videos, ...draft.materials.audios].map(toMedia),
    tracks: [
      ...tracks.filter(({ kind }) => kind === 'video'),
      ...tracks.filter(({ kind }) => kind === 'audio'),
    ],
  }
  checkTracks(project, inspection)
  const end = Math.max(
    0,
    ...draft.tracks.flatMap(({ segments }) => segments.map((one) => endOf(one.target_timerange))),
  )
  inspection.require(draft.duration === end, [
    'sequence-end',
    'duration',
    `${draft.duration} µs, the last segment ends at ${end} µs`,
  ])
  return { ...project, skipped: inspection.skipped }
}

/** The fields of a draft's meta file that list it in the editor. */
export interface ReadDraftMeta {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly root: string
  readonly seconds: Rational
  /** Paths of the imported files. */
  readonly files: readonly string[]
}

/** Reads the meta file of a draft. Its folder must be inside its root. No foreign file proves this reader. */
export function readDraftMeta(text: string): ReadDraftMeta {
  const meta = parseProjectJson(text, draftMeta)
  const inspection = new Inspection()
  const [folder, root] = [meta.draft_fold_path, meta.draft_root_path].map((path) =>
    path.replaceAll('\\', '/'),
  )
  inspection.require(folder?.startsWith(`${root?.replace(/\/$/, '')}/`) ?? false, [
    'path',
    'draft_fold_path',
    `${meta.draft_fold_path} is not inside draft_root_path ${meta.draft_root_path}`,
  ])
  return {
    id: meta.draft_id,
    name: meta.draft_name,
    folder: meta.draft_fold_path,
    root: meta.draft_root_path,
    seconds: toSeconds(meta.tm_duration),
    files: meta.draft_materials.flatMap(({ value }) => value.flatMap(({ file_Path: path }) => path ?? [])),
  }
}

/** Returns the rate that a draft rounds: 29.97 and 29.97002997 are 30000/1001. */
function draftRate(fps: number): Rational {
  const ntsc = Math.round((fps * 1001) / 1000) * 1000
  return !Number.isInteger(fps) && Math.abs(ntsc / 1001 - fps) < 0.005
    ? rational(ntsc, 1001)
    : fromNumber(fps)
}

function checkIds({ tracks, materials }: DraftContent, inspection: Inspection): void {
  const seen = new Set<string>()
  const segments = tracks.flatMap((track) => [track, ...track.segments])
  const all = [materials.videos, materials.audios, materials.texts, materials.speeds].flat()
  for (const { id } of [...segments, ...all]) {
    inspection.require(!seen.has(id), ['duplicate', `id ${id}`, 'is used twice'])
    seen.add(id)
  }
}

function toMedia(material: DraftMaterial): ReadMedia {
  return {
    id: material.id,
    name: material.material_name ?? material.name ?? '',
    path: material.path,
    seconds: toSeconds(material.duration),
    timecodeStart: null,
    dropFrame: false,
    width: material.width ?? null,
    height: material.height ?? null,
    rate: null,
    channels: null,
    sampleRate: null,
  }
}

function readTrack(track: DraftTrack, context: DraftContext): ReadTrack[] {
  const { materials } = context.draft
  for (const [index, segment] of track.segments.entries()) {
    checkSegment(segment, track, context)
    const before = track.segments[index - 1]
    if (!before || segment.target_timerange.start >= endOf(before.target_timerange)) continue
    context.inspection.broken(
      'overlap',
      `segment ${segment.id}`,
      `starts at ${segment.target_timerange.start} µs, before ${before.id} ends`,
    )
  }
  if (track.type === 'text')
    for (const { material_id: id } of track.segments)
      checkDraftText(
        materials.texts.find((one) => one.id === id),
        id,
        context.inspection,
      )
  if (track.type !== 'video' && track.type !== 'audio') {
    context.inspection.skip(`track ${track.id}: ${track.type}`)
    return []
  }
  const files = track.type === 'video' ? materials.videos : materials.audios
  const clips = track.segments.flatMap((segment): ReadClip[] => {
    const file = files.find(({ id }) => id === segment.material_id)
    if (file)
      return readSegment(segment, file, context.inspection).map((clip) =>
        track.type === 'video' ? { ...clip, picture: readPicture(segment, file, context) } : clip,
      )
    context.inspection.broken(
      'reference',
      `segment ${segment.id}`,
      `there is no ${track.type} material ${segment.material_id}`,
    )
    return []
  })
  return [{ kind: track.type, clips }]
}

/** Checks what segments of every kind of track have in common. */
function checkSegment(
  { id, clip, speed, extra_material_refs: refs, target_timerange: target }: DraftSegment,
  { type }: DraftTrack,
  { draft, rate, inspection }: DraftContext,
): void {
  const where = `segment ${id}`
  inspection.require((clip === null) === (type === 'audio'), [
    'value',
    where,
    type === 'audio' ? 'clip of a sound must be null' : 'clip is null',
  ])
  for (const time of [target.start, endOf(target)].map(toSeconds)) {
    const frame = divide(rational(nearest(multiply(time, rate))), rate)
    inspection.require(isNear(time, frame, rounding), ['frames', where, `${show(time)} s is not on a frame`])
  }
  const all = Object.values(draft.materials).flatMap((list) =>
    Array.isArray(list) ? (list as { id?: unknown }[]) : [],
  )
  for (const ref of refs) {
    inspection.require(
      all.some((one) => one.id === ref),
      ['reference', where, `there is no material ${ref}`],
    )
  }
  const speeds = draft.materials.speeds.filter((one) => refs.includes(one.id))
  inspection.require(speeds.length === 1 || (speed === 1 && speeds.length === 0), [
    'reference',
    where,
    `speed ${speed} has ${speeds.length} speed materials`,
  ])
  for (const one of speeds) {
    inspection.require(one.speed === speed, [
      'speed',
      where,
      `speed is ${speed}, in its material ${one.speed}`,
    ])
  }
}

function readSegment(
  { id, source_timerange: source, target_timerange: target, speed }: DraftSegment,
  { id: media, material_name, name }: DraftMaterial,
  inspection: Inspection,
): ReadClip[] {
  if (!source) {
    inspection.broken('missing', `segment ${id}`, 'source_timerange is null')
    return []
  }
  const exact = fromNumber(speed)
  const difference = magnitude(
    subtract(rational(source.duration), multiply(rational(target.duration), exact)),
  )
  // Each duration is the difference of two rounded ends, so it is less than a microsecond off.
  if (compare(difference, add(unity, exact)) >= 0) {
    inspection.broken(
      'speed',
      `segment ${id}`,
      `source.duration ${source.duration} is not target.duration ${target.duration} x speed ${speed}`,
    )
  }
  return [
    {
      media,
      name: material_name ?? name ?? '',
      from: toSeconds(source.start),
      to: toSeconds(endOf(source)),
      start: toSeconds(target.start),
      end: toSeconds(endOf(target)),
      speed: exact,
    },
  ]
}

/** Returns where the picture of a segment is: contained in the canvas, then scaled and moved. */
function readPicture(
  { clip }: DraftSegment,
  { width, height }: DraftMaterial,
  { draft: { canvas_config: canvas } }: DraftContext,
): ReadRect | undefined {
  if (!clip || !width || !height) return undefined
  const contained = containedScale({ width, height }, canvas)
  const { scale, transform } = clip
  return placedRect(
    {
      ...{ width, height, scale: { x: scale.x * contained, y: scale.y * contained } },
      offset: { x: (transform.x * canvas.width) / 2, y: (-transform.y * canvas.height) / 2 },
    },
    canvas,
  )
}

function endOf({ start, duration }: DraftRange): number {
  return start + duration
}

function toSeconds(microseconds: number): Rational {
  return rational(microseconds, 1_000_000)
}
