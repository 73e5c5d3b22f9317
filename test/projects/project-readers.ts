import type { ProjectFormat } from '../../src/contract/project.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import { readDraft } from './readers/draft.ts'
import { readFcpxml } from './readers/fcpxml.ts'
import { readGtrkProject } from './readers/gtrk.ts'
import { readOtio } from './readers/otio.ts'
import type { ReadProject } from './readers/read-project.ts'
import { readXmeml } from './readers/xmeml.ts'

/** Reader of each format of projects. */
export const projectReaders = {
  xml: readXmeml,
  fcpxml: readFcpxml,
  otio: readOtio,
  gtrk: readGtrkProject,
  draft_a: readDraft,
  draft_b: readDraft,
} satisfies Record<ProjectFormat, (text: string) => ReadProject>

/** A clip of a project in whole frames of the source: its range, and its start on the timeline. */
export interface FrameClip {
  readonly from: number
  readonly to: number
  readonly at: number
}

/**
 * Returns the clips of each track of a project in frames of a rate. Throws if a time is more than a thousandth of a frame
 * from one: formats with rounded times differ by less.
 */
export function framesOfProject(text: string, format: ProjectFormat, rate: Rational): FrameClip[][] {
  const whole = ({ num, den }: Rational) => {
    const exact = (num * rate.num) / (den * rate.den)
    if (Math.abs(exact - Math.round(exact)) > 1e-3)
      throw new Error(`${format}: ${exact} is not a whole frame`)
    return Math.round(exact)
  }
  return projectReaders[format](text).tracks.map(({ clips }) =>
    clips.map(({ from, to, start }) => ({ from: whole(from), to: whole(to), at: whole(start) })),
  )
}
