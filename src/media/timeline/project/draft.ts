import { hertz } from '../../frame-rate.ts'
import type { Size } from '../../geometry.ts'
import { parseFolder, pathInFolder } from './media-url.ts'
import { decimals, fittedPlacement } from './placement.ts'
import {
  isSameTrack,
  type Project,
  type ProjectClip,
  projectFrames,
  type ProjectMaterial,
  projectMaterials,
  toMicroseconds,
} from './project.ts'

/** The two mobile editors with drafts (contract 3, 2.1). */
export type DraftEditor = 'draft_a' | 'draft_b'

/** How the drafts of an editor differ. */
const editors = {
  draft_a: { contentFile: 'draft_content.json', appSource: 'cc', appVersion: '6.2.8', appId: 359_289 },
  draft_b: { contentFile: 'draft_info.json', appSource: 'lv', appVersion: '5.9.0', appId: 3704 },
} as const satisfies Record<DraftEditor, unknown>

/** Returns the name of the file that holds the timeline of a draft. The editor reads no other name. */
export function draftContentFile(editor: DraftEditor): string {
  return editors[editor].contentFile
}

/** Name of the file that registers a draft with its editor. */
export const draftMetaFile = 'draft_meta_info.json'

export interface DraftOptions {
  readonly editor: DraftEditor
  /** Creates an id that is unique in the draft: an upper-case UUID. */
  readonly newId: () => string
}

/**
 * Writes the timeline of a draft. Times are microseconds: both ends of a range are rounded, then subtracted, so that
 * neighbours meet exactly.
 */
export function writeDraftContent(project: Project, { editor, newId }: DraftOptions): string {
  const writer = new DraftWriter(project, newId)
  const { appSource, appVersion, appId } = editors[editor]
  const { width, height } = project.size
  const platform = { app_id: appId, app_source: appSource, app_version: appVersion, os: 'windows' }
  const tracks = writer.tracks()
  const content = {
    ...{ id: newId(), name: project.name, version: 360_000, new_version: '110.0.0' },
    duration: writer.microseconds(projectFrames(project)),
    fps: hertz(project.rate),
    canvas_config: { width, height, ratio: 'original' },
    ...{ platform, last_modified_platform: platform },
    ...{ tracks, materials: writer.materials() },
    ...{ keyframes: { adjusts: [], audios: [], effects: [], filters: [], texts: [], videos: [] } },
    ...{ relationships: [], keyframe_graph_list: [], group_container: null, cover: null, color_space: 0 },
    config: { maintrack_adsorb: true, original_sound_last_index: 1, subtitle_sync: true },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

class DraftWriter {
  readonly #project: Project
  readonly #newId: () => string
  readonly #materialIds: ReadonlyMap<ProjectMaterial, string>
  readonly #speeds: { id: string; type: 'speed'; mode: 0; speed: 1; curve_speed: null }[] = []

  constructor(project: Project, newId: () => string) {
    this.#project = project
    this.#newId = newId
    this.#materialIds = new Map(projectMaterials(project).map((material) => [material, newId()]))
  }

  microseconds(frames: number): number {
    return toMicroseconds(frames, this.#project.rate)
  }

  /** Picture tracks play the sound of their clips unless that sound is on a track of its own. */
  tracks() {
    const { pictureTracks, soundTracks } = this.#project
    const [main = []] = pictureTracks
    const isOwn = (track: readonly ProjectClip[]) => isSameTrack(track, main)
    const hasOwnSound = soundTracks.some(isOwn)
    return [
      ...pictureTracks.map((track, index) => this.#track('video', track, index === 0 && hasOwnSound ? 1 : 0)),
      ...soundTracks.filter((track) => !isOwn(track)).map((track) => this.#track('audio', track, 1)),
    ]
  }

  materials() {
    const all = [...this.#materialIds].map(([material, id]) => ({ material, id }))
    const duration = ({ frames }: ProjectMaterial) => this.microseconds(frames)
    return {
      videos: all
        .filter(({ material }) => material.picture)
        .map(({ material, id }) => ({
          ...{ id, type: 'video', path: material.path, material_name: material.name },
          ...{ duration: duration(material), ...material.picture },
          ...{ has_audio: material.sound !== null, local_material_id: id, category_name: 'local' },
          crop: {
            ...{ lower_left_x: 0, lower_left_y: 1, lower_right_x: 1, lower_right_y: 1 },
            ...{ upper_left_x: 0, upper_left_y: 0, upper_right_x: 1, upper_right_y: 0 },
          },
        })),
      audios: all
        .filter(({ material }) => !material.picture)
        .map(({ material, id }) => ({
          ...{ id, type: 'extract_music', path: material.path, name: material.name },
          ...{ duration: duration(material), local_material_id: id, category_name: 'local' },
        })),
      speeds: this.#speeds,
      ...{ texts: [], effects: [], transitions: [], material_animations: [], audio_fades: [] },
      ...{ canvases: [], stickers: [], sound_channel_mappings: [], vocal_separations: [] },
    }
  }

  #track(type: 'video' | 'audio', track: readonly ProjectClip[], volume: number) {
    const segments = track.map((clip, index) => this.#segment(type, clip, { volume, index }))
    return { id: this.#newId(), type, attribute: 0, flag: 0, is_default_name: true, name: '', segments }
  }

  #segment(
    type: 'video' | 'audio',
    projectClip: ProjectClip,
    { volume, index }: { readonly volume: number; readonly index: number },
  ) {
    const { material, from, to, at } = projectClip
    const speed = { id: this.#newId(), type: 'speed', mode: 0, speed: 1, curve_speed: null } as const
    this.#speeds.push(speed)
    const target = this.#range(at, at + to - from)
    const start = Math.min(this.microseconds(from), this.microseconds(material.frames) - target.duration)
    return {
      ...{ id: this.#newId(), material_id: this.#materialIds.get(material) },
      target_timerange: target,
      // Both lengths are equal. A range at another time can be a microsecond longer; the end of the file bounds it.
      source_timerange: { start, duration: target.duration },
      ...{ speed: 1, volume, visible: true, reverse: false },
      clip:
        type === 'audio'
          ? null
          : {
              ...{ alpha: 1, rotation: 0, ...clipTransform(projectClip, this.#project.size) },
              flip: { horizontal: false, vertical: false },
            },
      ...{ render_index: index, track_render_index: 0, track_attribute: 0 },
      ...{ extra_material_refs: [speed.id], common_keyframes: [], keyframe_refs: [] },
    }
  }

  #range(from: number, to: number) {
    const start = this.microseconds(from)
    return { start, duration: this.microseconds(to) - start }
  }
}

/**
 * Returns the scale and the position of a picture. Scale 1 is the whole picture, contained in the canvas. The position is
 * the offset of its centre from that of the canvas in halves of the canvas's sides, y upwards (ClipSettings of the public
 * libraries pyJianYingDraft and pyCapCut).
 */
function clipTransform(clip: ProjectClip, canvas: Size) {
  const { scale, offset } = fittedPlacement(clip, canvas) ?? { scale: { x: 1, y: 1 }, offset: { x: 0, y: 0 } }
  const rounded = (value: number) => Number(decimals(value))
  return {
    scale: { x: rounded(scale.x), y: rounded(scale.y) },
    transform: {
      x: rounded((2 * offset.x) / canvas.width),
      y: rounded((-2 * offset.y) / canvas.height),
    },
  }
}

export interface DraftMetaOptions extends DraftOptions {
  /** Folder of the editor's drafts on the user's machine. */
  readonly draftDir: string
  /** Time of creation, microseconds since 1970. */
  readonly createdAt: number
}

/** Writes the file that registers a draft and its media. Without it the editor shows the media as missing. */
export function writeDraftMeta(project: Project, { draftDir, createdAt, newId }: DraftMetaOptions): string {
  const { root } = parseFolder(draftDir)
  const microseconds = (frames: number) => toMicroseconds(frames, project.rate)
  const media = projectMaterials(project).map(({ name, path, frames, picture }) => ({
    ...{ id: newId(), type: 0, metetype: picture ? 'video' : 'music', file_Path: path, extra_info: name },
    ...{ duration: microseconds(frames), width: picture?.width ?? 0, height: picture?.height ?? 0 },
    ...{ create_time: Math.floor(createdAt / 1e6), import_time: Math.floor(createdAt / 1e6) },
    ...{
      import_time_ms: Math.floor(createdAt / 1e3),
      item_source: 1,
      roughcut_time_range: { start: -1, duration: -1 },
    },
  }))
  const meta = {
    ...{ draft_id: newId(), draft_name: project.name },
    draft_fold_path: pathInFolder(draftDir, project.name),
    draft_root_path: root,
    draft_removable_storage_device: '',
    draft_cover: 'draft_cover.jpg',
    draft_materials: [0, 1, 2, 3, 6, 7, 8].map((type) => ({ type, value: type === 0 ? media : [] })),
    tm_draft_create: createdAt,
    tm_draft_modified: createdAt,
    tm_duration: microseconds(projectFrames(project)),
  }
  return `${JSON.stringify(meta, null, 2)}\n`
}
