import type { MediaFacts } from '../../contract/media-facts.ts'
import type { ProjectFormat } from '../../contract/project.ts'
import { constantRate, hertz } from '../../media/frame-rate.ts'
import type { Project } from '../../media/timeline/project/project.ts'
import { isWrittenIn } from '../translation/languages.ts'

/** Fields of a request whose results include editing projects. */
interface ProjectRequest {
  readonly outputs: readonly string[]
  readonly project_formats?: readonly ProjectFormat[] | undefined
}

/** Most clips of all tracks of a timeline that is rendered (contract 2, 8). */
export const maxRenderedClips = 500

/** Largest relative difference between the rate of footage and of its project that is only rounding. */
const rateTolerance = 1e-3

/**
 * Returns remarks on the projects of a cut: footage that is cut off, another frame rate than the footage, and too many clips
 * for a timeline.
 */
export function projectNotes(
  project: Project,
  { outputs, project_formats: formats = ['xml'] }: ProjectRequest,
  { video, duration_ms, cut_off_ms }: Pick<MediaFacts, 'video' | 'duration_ms' | 'cut_off_ms'>,
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
  const cutOff =
    cut_off_ms === undefined
      ? []
      : [
          `the footage is cut off after ${cut_off_ms / 1000} s of ${duration_ms / 1000} s: the rest cannot be cut`,
        ]
  return [...cutOff, ...rateNotes(video, hertz(project.rate)), ...tooMany]
}

/** Full paths of Unix, Windows and networks. */
const fullPath = /^(?:[/\\]|[a-z]:[/\\])/i

/** Returns a remark on a `source_path` that is not a full path, which projects for editors refer to. */
export function pathNotes({
  outputs,
  project_formats: formats = ['xml'],
  source_path,
}: ProjectRequest & { readonly source_path?: string | undefined }): string[] {
  const refers = outputs.includes('project') && formats.some((format) => format !== 'gtrk')
  if (!refers || source_path === undefined || fullPath.test(source_path)) return []
  return [
    `source_path ${JSON.stringify(source_path)} is not a full path, so that editors may not find the footage: ` +
      'relink it there, or repeat the call with its full path',
  ]
}

/** Least share of the letters that are of the scripts of the language; foreign names are some. */
const minOwnLetters = 0.2

/** Returns a remark if words are written in scripts of other languages than that of a field of the request. */
export function languageNotes(
  words: readonly { readonly text: string }[],
  { field, language }: { readonly field: string; readonly language: string },
): string[] {
  const letters = words.flatMap((word) => word.text.match(/\p{L}/gu) ?? [])
  const own = letters.filter((letter) => isWrittenIn(language, letter)).length
  if (own >= minOwnLetters * letters.length) return []
  return [
    `the recognised words are not written in the language of ${field} (${language}): ` +
      `if another one is spoken, repeat the call with it as ${field}`,
  ]
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
