import { hertz } from '../../frame-rate.ts'
import { mediaUrl } from './media-url.ts'
import { decimals, picturePlacement } from './placement.ts'
import { clipsAndGaps, type Project, type ProjectClip } from './project.ts'

const referenceKey = 'DEFAULT_MEDIA'

/** Key of our own metadata. */
const metadataKey = 'reelwright'

/** Writes a project as an OpenTimelineIO timeline (Timeline.1, Clip.2). */
export function writeOtio(project: Project): string {
  const writer = new OtioWriter(project)
  return `${JSON.stringify(writer.timeline(), null, 2)}\n`
}

/** Fields that every item of a timeline has. */
const itemFields = { enabled: true, metadata: {}, effects: [], markers: [] }

class OtioWriter {
  readonly #project: Project
  /** Whether pictures are placed on the canvas in any other way than contained in it. */
  readonly #isFramed: boolean

  constructor(project: Project) {
    this.#project = project
    this.#isFramed = project.pictureTracks.flat().some(({ framing }) => framing)
  }

  timeline() {
    const { name, pictureTracks, soundTracks, size } = this.#project
    return {
      OTIO_SCHEMA: 'Timeline.1',
      ...{
        name,
        metadata: this.#isFramed ? { [metadataKey]: { canvas_size: [size.width, size.height] } } : {},
      },
      global_start_time: this.#time(0),
      tracks: {
        OTIO_SCHEMA: 'Stack.1',
        ...{ name: 'tracks', ...itemFields, source_range: null },
        children: [
          ...pictureTracks.map((track, index) => this.#track('Video', `V${index + 1}`, track)),
          ...soundTracks.map((track, index) => this.#track('Audio', `A${index + 1}`, track)),
        ],
      },
    }
  }

  #track(kind: 'Video' | 'Audio', name: string, track: readonly ProjectClip[]) {
    return {
      OTIO_SCHEMA: 'Track.1',
      ...{ name, kind, ...itemFields, source_range: null },
      children: clipsAndGaps(track).map((item) =>
        item.material === undefined
          ? { OTIO_SCHEMA: 'Gap.1', name: '', ...itemFields, source_range: this.#range(0, item.to) }
          : this.#clip(item, kind),
      ),
    }
  }

  #clip(clip: ProjectClip, kind: 'Video' | 'Audio') {
    const { material, from, to } = clip
    return {
      OTIO_SCHEMA: 'Clip.2',
      ...{ name: material.name, ...itemFields },
      source_range: this.#range(material.timecodeStart + from, to - from),
      media_references: { [referenceKey]: this.#reference(clip, kind) },
      active_media_reference_key: referenceKey,
    }
  }

  /**
   * Returns where the whole picture of a clip is: pixels of the canvas from its centre, y upwards (spatial coordinates of
   * the OpenTimelineIO documentation). There is no standard effect for it (issue 253 of that project).
   */
  #bounds(clip: ProjectClip) {
    const { picture } = clip.material
    const placement = picturePlacement(clip, this.#project.size)
    if (!picture || !placement) return null
    const { scale, shift } = placement
    const point = (sign: 1 | -1) => ({
      OTIO_SCHEMA: 'V2d.1',
      x: Number(decimals((shift.x + (sign * picture.width) / 2) * scale.x)),
      y: Number(decimals((-shift.y + (sign * picture.height) / 2) * scale.y)),
    })
    return { OTIO_SCHEMA: 'Box2d.1', min: point(-1), max: point(1) }
  }

  #reference(clip: ProjectClip, kind: 'Video' | 'Audio') {
    const { name, path, frames, timecodeStart } = clip.material
    return {
      OTIO_SCHEMA: 'ExternalReference.1',
      ...{ name, metadata: {} },
      target_url: mediaUrl(path),
      available_range: this.#range(timecodeStart, frames),
      available_image_bounds: kind === 'Video' && this.#isFramed ? this.#bounds(clip) : null,
    }
  }

  #range(start: number, duration: number) {
    return { OTIO_SCHEMA: 'TimeRange.1', start_time: this.#time(start), duration: this.#time(duration) }
  }

  #time(frames: number) {
    return { OTIO_SCHEMA: 'RationalTime.1', rate: hertz(this.#project.rate), value: frames }
  }
}
