import { frameTime } from '../../frame-rate.ts'
import { interpolateRects } from '../../geometry.ts'
import type { Timeline, TimelineClip } from '../timeline.ts'
import { type Project, type ProjectClip, projectFrames } from './project.ts'

/**
 * Returns the timeline that renders a project, frame by frame as its files describe it: the picture tracks, of which a
 * higher one covers the lower ones, and all sound tracks. Odd sides lose a pixel, as the encoder needs even ones.
 */
export function projectTimeline(project: Project): Timeline {
  const { size, rate, pictureTracks, soundTracks } = project
  const frames = projectFrames(project)
  const clipsOf = (track: readonly ProjectClip[], volume: number): TimelineClip[] =>
    track.map(({ material, from, to, at, framing }, index) => ({
      requestPath: `clip ${index + 1}`,
      material: material.id,
      source: { from: frameTime(from, rate), to: frameTime(to, rate) },
      track: { from: frameTime(at, rate), to: frameTime(at + to - from, rate) },
      speed: 1,
      keepPitch: false,
      volume,
      ...(framing && { framing }),
    }))
  const even = (side: number) => Math.max(2, side - (side % 2))
  return {
    width: even(size.width),
    height: even(size.height),
    ...{ rate, frames, seconds: frameTime(frames, rate) },
    picture: clipsOf(pictureTracks.reduce(coverTrack, []), 0),
    sound: soundTracks.map((track) => clipsOf(track, 1)),
  }
}

/** Returns the clips of a track, cut where clips of an upper track cover them, together with these. */
function coverTrack(track: readonly ProjectClip[], upper: readonly ProjectClip[]): ProjectClip[] {
  const endOf = ({ at, from, to }: ProjectClip) => at + to - from
  const visible = upper.reduce<readonly ProjectClip[]>(
    (clips, cover) =>
      clips.flatMap((clip) => [
        ...partOfClip(clip, clip.at, Math.min(endOf(clip), cover.at)),
        ...partOfClip(clip, Math.max(clip.at, endOf(cover)), endOf(clip)),
      ]),
    track,
  )
  return [...visible, ...upper].toSorted((one, other) => one.at - other.at)
}

/** Returns the part of a clip between two positions on the timeline; none if it is empty. */
function partOfClip(clip: ProjectClip, start: number, end: number): ProjectClip[] {
  if (end <= start) return []
  const { at, from, to, framing } = clip
  const part = { ...clip, at: start, from: from + start - at, to: from + end - at }
  if (framing?.mode !== 'crop' || !framing.moveTo) return [part]
  const { crop, moveTo } = framing
  const on = (frame: number) => interpolateRects(crop, moveTo, (frame - at) / (to - from))
  return [{ ...part, framing: { mode: 'crop', crop: on(start), moveTo: on(end) } }]
}
