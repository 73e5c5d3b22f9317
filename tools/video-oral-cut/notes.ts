import type { MediaFacts } from '../../src/contract/media-facts.ts'
import { constantRate, hertz } from '../../src/media/frame-rate.ts'
import type { Project } from '../../src/media/timeline/project/project.ts'
import type { OralCutInput } from './plan.ts'

/** Most clips of all tracks of a timeline that is rendered (contract 2, 8). */
const maxRenderedClips = 500

/** Largest relative difference between the rate of footage and of its project that is only rounding. */
const rateTolerance = 1e-3

/** Returns remarks on the projects of a cut: another frame rate than the footage, and too many clips for a timeline. */
export function projectNotes(
  project: Project,
  { outputs, project_formats: formats = ['xml'] }: Pick<OralCutInput, 'outputs' | 'project_formats'>,
  { video }: Pick<MediaFacts, 'video'>,
): string[] {
  const clips = [...project.pictureTracks, ...project.soundTracks].flat().length
  const hasGtrk = outputs.includes('project') && formats.includes('gtrk')
  const tooMany =
    hasGtrk && clips > maxRenderedClips
      ? [
          `the gtrk project has ${clips} clips, but a timeline is rendered with at most ${maxRenderedClips}: ` +
            'for the video, request outputs ["video"]',
        ]
      : []
  return [...rateNotes(video, hertz(project.rate)), ...tooMany]
}

function rateNotes(video: MediaFacts['video'], rate: number): string[] {
  if (!video) return []
  const used = `the cut and its projects have ${decimal(rate)} frames per second`
  if (video.variable_rate) return [`the frame rate of the footage varies; ${used}`]
  const own = hertz(constantRate(video))
  if (Math.abs(rate / own - 1) <= rateTolerance) return []
  return [`the footage has ${decimal(own)} frames per second, which editors do not have; ${used}`]
}

function decimal(fps: number): string {
  return String(Math.round(fps * 1000) / 1000)
}
