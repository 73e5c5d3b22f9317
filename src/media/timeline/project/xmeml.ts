import type { Size } from '../../geometry.ts'
import { mediaUrl } from './media-url.ts'
import { decimals, picturePlacement } from './placement.ts'
import {
  isSameTrack,
  type Project,
  type ProjectClip,
  projectFrames,
  type ProjectMaterial,
  projectMaterials,
} from './project.ts'
import { formatTimecode, type Timebase, timebaseOf } from './timecode.ts'
import { xml, xmlDocument, type XmlElement } from './xml.ts'

/** A track of an xmeml sequence. Sound has one track per channel. */
interface XmemlTrack {
  readonly kind: 'video' | 'audio'
  readonly clips: readonly ProjectClip[]
  /** Channel of the source, from 1. */
  readonly channel: number
  /** Number of the track among those of its kind, from 1. */
  readonly number: number
}

/** Writes a project as Final Cut Pro 7 XML (xmeml version 5), which most desktop editors import. */
export function writeXmeml(project: Project): string {
  const tracks = xmemlTracks(project)
  const writer = new XmemlWriter(project, tracks)
  return xmlDocument('xmeml', xml('xmeml', { version: 5 }, writer.sequence()))
}

function xmemlTracks({ pictureTracks, soundTracks }: Project): XmemlTrack[] {
  const channels = soundTracks.flatMap((clips) => {
    const count = Math.max(1, ...clips.map(({ material }) => material.sound?.channels ?? 1))
    return Array.from({ length: count }, (_, index) => ({ clips, channel: index + 1 }))
  })
  return [
    ...pictureTracks.map((clips, index) => ({
      ...{ kind: 'video' as const, clips },
      ...{ channel: 1, number: index + 1 },
    })),
    ...channels.map((track, index) => ({ kind: 'audio' as const, ...track, number: index + 1 })),
  ]
}

class XmemlWriter {
  readonly #project: Project
  readonly #tracks: readonly XmemlTrack[]
  readonly #timebase: Timebase
  readonly #materials: readonly ProjectMaterial[]
  /** Files are described at their first use, then referred to by id. */
  readonly #described = new Set<ProjectMaterial>()

  constructor(project: Project, tracks: readonly XmemlTrack[]) {
    this.#project = project
    this.#tracks = tracks
    this.#timebase = timebaseOf(project.rate)
    this.#materials = projectMaterials(project)
  }

  sequence(): XmlElement {
    const { name, size, dropFrame } = this.#project
    const ofKind = (kind: XmemlTrack['kind']) => this.#tracks.filter((track) => track.kind === kind)
    const sound = ofKind('audio')
    return xml(
      'sequence',
      { id: 'sequence-1' },
      xml('name', {}, name),
      xml('duration', {}, projectFrames(this.#project)),
      this.#rate(),
      this.#timecode(0, dropFrame),
      xml(
        'media',
        {},
        xml(
          'video',
          {},
          xml('format', {}, this.#picture(size)),
          ...ofKind('video').map((one) => this.#track(one)),
        ),
        xml(
          'audio',
          {},
          xml('numOutputChannels', {}, Math.min(2, Math.max(1, sound.length))),
          xml('format', {}, soundCharacteristics(48_000)),
          ...sound.map((one) => this.#track(one)),
        ),
      ),
    )
  }

  #track(track: XmemlTrack): XmlElement {
    const items = track.clips.map((clip, index) => this.#clipItem(track, clip, index))
    const output = track.kind === 'audio' ? [xml('outputchannelindex', {}, track.channel > 1 ? 2 : 1)] : []
    return xml('track', {}, ...items, xml('enabled', {}, 'TRUE'), xml('locked', {}, 'FALSE'), ...output)
  }

  #clipItem(track: XmemlTrack, clip: ProjectClip, index: number): XmlElement {
    const { material, from, to, at } = clip
    const source =
      track.kind === 'audio'
        ? [xml('sourcetrack', {}, xml('mediatype', {}, 'audio'), xml('trackindex', {}, track.channel))]
        : []
    return xml(
      'clipitem',
      { id: clipItemId(track, index) },
      xml('masterclipid', {}, `masterclip-${this.#materials.indexOf(material) + 1}`),
      xml('name', {}, material.name),
      xml('enabled', {}, 'TRUE'),
      xml('duration', {}, material.frames),
      this.#rate(),
      xml('start', {}, at),
      xml('end', {}, at + to - from),
      xml('in', {}, from),
      xml('out', {}, to),
      this.#file(material),
      track.kind === 'video' ? basicMotion(clip, this.#project.size) : undefined,
      ...source,
      ...this.#links(track, index),
    )
  }

  /** Links of picture and sound that play the same clip, which editors move together. */
  #links({ clips }: XmemlTrack, index: number): XmlElement[] {
    const linked = this.#tracks.filter((track) => isSameTrack(track.clips, clips))
    if (linked.length < 2) return []
    return linked.map((track) =>
      xml(
        'link',
        {},
        xml('linkclipref', {}, clipItemId(track, index)),
        xml('mediatype', {}, track.kind),
        xml('trackindex', {}, track.number),
        xml('clipindex', {}, index + 1),
        track.kind === 'audio' ? xml('groupindex', {}, 1) : undefined,
      ),
    )
  }

  #file(material: ProjectMaterial): XmlElement {
    const id = `file-${this.#materials.indexOf(material) + 1}`
    if (this.#described.has(material)) return xml('file', { id })
    this.#described.add(material)
    const { name, path, frames, picture, sound, timecodeStart, dropFrame } = material
    return xml(
      'file',
      { id },
      xml('name', {}, name),
      xml('pathurl', {}, mediaUrl(path, { host: 'localhost', colon: '%3a' })),
      this.#rate(),
      xml('duration', {}, frames),
      this.#timecode(timecodeStart, dropFrame),
      xml(
        'media',
        {},
        picture ? xml('video', {}, xml('duration', {}, frames), this.#picture(picture)) : undefined,
        sound
          ? xml('audio', {}, soundCharacteristics(sound.sampleRate), xml('channelcount', {}, sound.channels))
          : undefined,
      ),
    )
  }

  #picture({ width, height }: Project['size']): XmlElement {
    return xml(
      'samplecharacteristics',
      {},
      this.#rate(),
      xml('width', {}, width),
      xml('height', {}, height),
      xml('anamorphic', {}, 'FALSE'),
      xml('pixelaspectratio', {}, 'square'),
      xml('fielddominance', {}, 'none'),
    )
  }

  #timecode(frames: number, dropFrame: boolean): XmlElement {
    const text = formatTimecode(frames, { timebase: this.#timebase.timebase, dropFrame })
    return xml(
      'timecode',
      {},
      this.#rate(),
      xml('string', {}, text),
      xml('frame', {}, frames),
      xml('displayformat', {}, dropFrame ? 'DF' : 'NDF'),
    )
  }

  #rate(): XmlElement {
    const { timebase, ntsc } = this.#timebase
    return xml('rate', {}, xml('timebase', {}, timebase), xml('ntsc', {}, ntsc ? 'TRUE' : 'FALSE'))
  }
}

/**
 * Returns the filter that scales and moves the picture of a clip; undefined for a picture that needs neither. Editors show
 * the pixels of a file 1:1 in the centre unless it says otherwise. `scale` is a percentage of that. `center` is the offset
 * of the picture's centre from that of the canvas as a share of the sides of the canvas, to the right and down (Apple,
 * Final Cut Pro 7 manual, "Using Cartesian Geometry to Position Clips"; pro-apps-dev list, September 2007: shares, so
 * that it fits another frame size). There is one scale for both axes: it covers the canvas.
 */
function basicMotion(clip: ProjectClip, canvas: Size): XmlElement | undefined {
  const placement = picturePlacement(clip, canvas)
  if (!placement) return undefined
  const { shift } = placement
  const scale = Math.max(placement.scale.x, placement.scale.y)
  const [horiz, vert] = [(shift.x * scale) / canvas.width, (shift.y * scale) / canvas.height].map(decimals)
  if (scale === 1 && horiz === '0' && vert === '0') return undefined
  const parameter = (id: string, name: string, value: XmlElement) =>
    xml('parameter', {}, xml('parameterid', {}, id), xml('name', {}, name), value)
  return xml(
    'filter',
    {},
    xml(
      'effect',
      {},
      xml('name', {}, 'Basic Motion'),
      xml('effectid', {}, 'basic'),
      xml('effectcategory', {}, 'motion'),
      xml('effecttype', {}, 'motion'),
      xml('mediatype', {}, 'video'),
      parameter('scale', 'Scale', xml('value', {}, decimals(scale * 100))),
      parameter('center', 'Center', xml('value', {}, xml('horiz', {}, horiz), xml('vert', {}, vert))),
    ),
  )
}

function clipItemId({ kind, number }: XmemlTrack, index: number): string {
  return `${kind}-${number}-clip-${index + 1}`
}

/** Sound format. Editors take the depth as the one of the timeline; files of any depth fit. */
function soundCharacteristics(sampleRate: number): XmlElement {
  return xml('samplecharacteristics', {}, xml('depth', {}, 16), xml('samplerate', {}, sampleRate))
}
