import type { Size } from '../../geometry.ts'
import { mediaUrl } from './media-url.ts'
import { decimals, fittedPlacement } from './placement.ts'
import {
  clipsAndGaps,
  isSameTrack,
  type Project,
  type ProjectClip,
  projectFrames,
  type ProjectMaterial,
  projectMaterials,
} from './project.ts'
import { xml, xmlDocument, type XmlElement } from './xml.ts'

/** Writes a project as FCPXML 1.10 for Final Cut Pro, which DaVinci Resolve also imports. */
export function writeFcpxml(project: Project): string {
  const writer = new FcpxmlWriter(project)
  return xmlDocument(
    'fcpxml',
    xml('fcpxml', { version: '1.10' }, writer.resources(), xml('library', {}, writer.event())),
  )
}

/** A clip on a layer above or below the main storyline. Sound has negative lanes. */
interface ConnectedClip {
  readonly clip: ProjectClip
  readonly lane: number
  readonly enabled: 'video' | 'audio'
}

class FcpxmlWriter {
  readonly #project: Project
  readonly #materials: readonly ProjectMaterial[]
  /** Distinct picture sizes; the first one is that of the timeline. */
  readonly #sizes: readonly Size[]
  /** Whether the main storyline plays its own sound. */
  readonly #hasOwnSound: boolean
  readonly #connected: readonly ConnectedClip[]

  constructor(project: Project) {
    this.#project = project
    this.#materials = projectMaterials(project)
    const sizes = [project.size, ...this.#materials.flatMap(({ picture }) => picture ?? [])]
    this.#sizes = sizes.filter((size, index) => sizes.findIndex((other) => isSameSize(size, other)) === index)
    const [main = [], ...upper] = project.pictureTracks
    const own = project.soundTracks.findIndex((track) => isSameTrack(track, main))
    this.#hasOwnSound = own !== -1
    const lower = project.soundTracks.filter((_, index) => index !== own)
    const connect = (tracks: Project['pictureTracks'], sign: number, enabled: ConnectedClip['enabled']) =>
      tracks.flatMap((track, index) => track.map((clip) => ({ clip, lane: sign * (index + 1), enabled })))
    this.#connected = [...connect(upper, 1, 'video'), ...connect(lower, -1, 'audio')]
  }

  resources(): XmlElement {
    const { num, den } = this.#project.rate
    const formats = this.#sizes.map(({ width, height }, index) =>
      xml('format', { id: formatId(index), frameDuration: `${den}/${num}s`, width, height }),
    )
    return xml('resources', {}, ...formats, ...this.#materials.map((material) => this.#asset(material)))
  }

  event(): XmlElement {
    const { name, dropFrame } = this.#project
    const channels = Math.max(1, ...this.#materials.map(({ sound }) => sound?.channels ?? 1))
    const sequence = xml(
      'sequence',
      {
        format: formatId(0),
        duration: this.#seconds(projectFrames(this.#project)),
        tcStart: '0s',
        tcFormat: dropFrame ? 'DF' : 'NDF',
        audioLayout: channels > 1 ? 'stereo' : 'mono',
        audioRate: '48k',
      },
      this.#spine(),
    )
    return xml('event', { name }, xml('project', { name }, sequence))
  }

  #asset(material: ProjectMaterial): XmlElement {
    const { name, path, frames, picture, sound, timecodeStart } = material
    const format = picture && this.#sizes.findIndex((size) => isSameSize(size, picture))
    return xml(
      'asset',
      {
        ...{ id: this.#assetId(material), name },
        ...{ start: this.#seconds(timecodeStart), duration: this.#seconds(frames) },
        ...(format !== null && { hasVideo: 1, format: formatId(format), videoSources: 1 }),
        ...(sound && {
          ...{ hasAudio: 1, audioSources: 1 },
          ...{ audioChannels: sound.channels, audioRate: sound.sampleRate },
        }),
      },
      xml('media-rep', { kind: 'original-media', src: mediaUrl(path) }),
    )
  }

  /** Main storyline: the lowest picture track, with all other tracks connected to its clips and gaps. */
  #spine(): XmlElement {
    const [main = []] = this.#project.pictureTracks
    const total = projectFrames(this.#project)
    const end = main.at(-1) ? (main.at(-1)?.at ?? 0) + length(main.at(-1)) : 0
    const items = [...clipsAndGaps(main), ...(total > end ? [{ from: 0, to: total - end, at: end }] : [])]
    return xml(
      'spine',
      {},
      ...items.map((item) => {
        const connected = this.#connected.filter(
          ({ clip: { at } }) => at >= item.at && at < item.at + length(item),
        )
        const isClip = 'material' in item && item.material !== undefined
        const start = isClip ? item.material.timecodeStart + item.from : 0
        const children = connected.map(({ clip, lane, enabled }) =>
          this.#clip(clip, { offset: start + clip.at - item.at, lane, enabled }),
        )
        if (isClip) {
          const enabled = item.material.sound && !this.#hasOwnSound ? 'video' : undefined
          return this.#clip(item, { offset: item.at, enabled }, children)
        }
        const times = { offset: this.#seconds(item.at), start: '0s', duration: this.#seconds(length(item)) }
        return xml('gap', { name: 'Gap', ...times }, ...children)
      }),
    )
  }

  #clip(
    clip: ProjectClip,
    place: {
      readonly offset: number
      readonly lane?: number
      readonly enabled: ConnectedClip['enabled'] | undefined
    },
    children: readonly XmlElement[] = [],
  ): XmlElement {
    const { material, from, to } = clip
    const { offset, lane, enabled } = place
    return xml(
      'asset-clip',
      {
        ref: this.#assetId(material),
        ...(lane !== undefined && { lane }),
        offset: this.#seconds(offset),
        name: material.name,
        start: this.#seconds(material.timecodeStart + from),
        duration: this.#seconds(to - from),
        ...(enabled && { srcEnable: enabled }),
        tcFormat: material.dropFrame ? 'DF' : 'NDF',
        ...(material.sound && enabled !== 'video' && { audioRole: clip.audioRole ?? 'dialogue' }),
      },
      enabled === 'audio' ? undefined : adjustTransform(clip, this.#project.size),
      ...children,
    )
  }

  /** Time of a frame as a fraction of a second, exact. */
  #seconds(frames: number): string {
    const { num, den } = this.#project.rate
    const ticks = frames * den
    return ticks % num === 0 ? `${ticks / num}s` : `${ticks}/${num}s`
  }

  #assetId(material: ProjectMaterial): string {
    return `r${this.#sizes.length + this.#materials.indexOf(material) + 1}`
  }
}

/**
 * Returns the transform of a cropped picture. By default a picture is contained in the frame (`adjust-conform`: fit), and
 * `scale` multiplies that size. `position` is the offset of its centre from that of the frame in percent of the frame's
 * height on both axes, y upwards (Apple, FCPXML reference, Adjustments; the unit is that of the editor's own exports).
 */
function adjustTransform(clip: ProjectClip, canvas: Size): XmlElement | undefined {
  const placement = fittedPlacement(clip, canvas)
  if (!placement) return undefined
  const { scale, offset } = placement
  const position = [offset.x, -offset.y].map((value) => decimals((100 * value) / canvas.height))
  return xml('adjust-transform', {
    position: position.join(' '),
    scale: [scale.x, scale.y].map(decimals).join(' '),
  })
}

function formatId(index: number): string {
  return `r${index + 1}`
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height
}

function length(range: { readonly from: number; readonly to: number } | undefined): number {
  return range ? range.to - range.from : 0
}
