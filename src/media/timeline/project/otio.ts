import { hertz } from '../../frame-rate.ts'
import { mediaUrl } from './media-url.ts'
import { clipsAndGaps, type Project, type ProjectClip, type ProjectMaterial } from './project.ts'

const referenceKey = 'DEFAULT_MEDIA'

/** Writes a project as an OpenTimelineIO timeline (Timeline.1, Clip.2). */
export function writeOtio(project: Project): string {
  const writer = new OtioWriter(project)
  return `${JSON.stringify(writer.timeline(), null, 2)}\n`
}

/** Fields that every item of a timeline has. */
const itemFields = { enabled: true, metadata: {}, effects: [], markers: [] }

class OtioWriter {
  readonly #project: Project

  constructor(project: Project) {
    this.#project = project
  }

  timeline() {
    const { name, pictureTracks, soundTracks } = this.#project
    return {
      OTIO_SCHEMA: 'Timeline.1',
      ...{ name, metadata: {} },
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
          : this.#clip(item),
      ),
    }
  }

  #clip({ material, from, to }: ProjectClip) {
    return {
      OTIO_SCHEMA: 'Clip.2',
      ...{ name: material.name, ...itemFields },
      source_range: this.#range(material.timecodeStart + from, to - from),
      media_references: { [referenceKey]: this.#reference(material) },
      active_media_reference_key: referenceKey,
    }
  }

  #reference({ name, path, frames, timecodeStart }: ProjectMaterial) {
    return {
      OTIO_SCHEMA: 'ExternalReference.1',
      ...{ name, metadata: {} },
      target_url: mediaUrl(path),
      available_range: this.#range(timecodeStart, frames),
      available_image_bounds: null,
    }
  }

  #range(start: number, duration: number) {
    return { OTIO_SCHEMA: 'TimeRange.1', start_time: this.#time(start), duration: this.#time(duration) }
  }

  #time(frames: number) {
    return { OTIO_SCHEMA: 'RationalTime.1', rate: hertz(this.#project.rate), value: frames }
  }
}
