import { frameTime } from '../../frame-rate.ts'
import type { Timeline, TimelineClip } from '../timeline.ts'
import { type Project, type ProjectClip, projectFrames } from './project.ts'

/**
 * Returns the timeline that renders a project, frame by frame as its files describe it: the lowest picture track and
 * all sound tracks. Odd sides lose a pixel, as the encoder needs even ones.
 */
export function projectTimeline(project: Project): Timeline {
  const { size, rate, pictureTracks, soundTracks } = project
  const frames = projectFrames(project)
  const clipsOf = (track: readonly ProjectClip[], volume: number): TimelineClip[] =>
    track.map(({ material, from, to, at }, index) => ({
      requestPath: `clip ${index + 1}`,
      material: material.id,
      source: { from: frameTime(from, rate), to: frameTime(to, rate) },
      track: { from: frameTime(at, rate), to: frameTime(at + to - from, rate) },
      speed: 1,
      keepPitch: false,
      volume,
    }))
  const even = (side: number) => Math.max(2, side - (side % 2))
  return {
    width: even(size.width),
    height: even(size.height),
    ...{ rate, frames, seconds: frameTime(frames, rate) },
    picture: clipsOf(pictureTracks[0] ?? [], 0),
    sound: soundTracks.map((track) => clipsOf(track, 1)),
  }
}
