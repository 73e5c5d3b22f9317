import { hertz } from '../../frame-rate.ts'
import type { Size } from '../../geometry.ts'
import { type Project, type ProjectClip, projectFrames, projectMaterials, toMicroseconds } from './project.ts'

/** Sides that a gtrk timeline accepts, pixels (docs/contract.md). */
const sides = { min: 16, max: 4096 }

/** Highest rate that a gtrk timeline accepts, frames per second. */
const maxRate = 120

/**
 * Writes a project as a gtrk v1 timeline (contract 2, 2.3), which the operation on timelines renders. Its rate is a
 * whole number, so that 29.97 becomes 30; times are those of the source frames, in seconds to the microsecond. Sound
 * plays from its own tracks, the picture tracks are muted. The format has no field for a crop: pictures are contained in
 * the canvas.
 */
export function writeGtrk(project: Project): string {
  const { rate, pictureTracks, soundTracks } = project
  const microseconds = (frames: number) => toMicroseconds(frames, rate)
  const seconds = (frames: number) => microseconds(frames) / 1e6
  const size = renderedSize(project.size)
  const clip = ({ id, material, from, to, at }: ProjectClip, index: number) => ({
    clip_id: id ?? `clip-${index + 1}`,
    material: material.id,
    ...{ clip_st: seconds(from), clip_ed: seconds(to) },
    ...{ track_st: seconds(at), track_ed: seconds(at + to - from) },
    duration: (microseconds(at + to - from) - microseconds(at)) / 1e6,
    speed: 1,
    keep_pitch: false,
  })
  const timeline = {
    version: 'v1',
    video_size: size,
    video_rate: Math.min(maxRate, Math.max(1, Math.round(hertz(rate)))),
    duration: seconds(projectFrames(project)),
    materials: projectMaterials(project).map(({ id, path, frames, picture, sound }) => ({
      ...{ id, path, duration: seconds(frames) },
      ...(picture && {
        video_size: [picture.width, picture.height],
        video_rate: Math.round(hertz(rate) * 1000) / 1000,
      }),
      ...(sound && { audio_channel: sound.channels > 1 ? 'stereo' : 'mono' }),
    })),
    video_track: pictureTracks.map((track, index) => ({
      ...{ track_index: index, track_size: size, muted: true },
      track_timeline: track.map(clip),
    })),
    audio_track: soundTracks.map((track, index) => ({
      ...{ track_index: index, volume: 1 },
      track_timeline: track.map(clip),
    })),
    beat_track: [],
    struct_meta: {},
  }
  return `${JSON.stringify(timeline, null, 2)}\n`
}

/** Returns the size at which a picture is rendered: even sides within the limits, with nearly the same shape. */
function renderedSize({ width, height }: Size): readonly [width: number, height: number] {
  const factor = Math.min(1, sides.max / Math.max(width, height, 1))
  const even = (side: number) => Math.min(sides.max, Math.max(sides.min, 2 * Math.round((side * factor) / 2)))
  return [even(width), even(height)]
}
