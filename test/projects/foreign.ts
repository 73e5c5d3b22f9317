import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import type { Rational } from './readers/rational.ts'
import { rational } from './readers/rational.ts'
import type { ReadClip, ReadProject } from './readers/read-project.ts'

/** Folder of the projects that other programs wrote; undefined where it is not present. */
export const foreignFolder = testdata('projects')

/** Returns the text of a project that another program wrote. */
export function foreignProject(name: string): string {
  return readFileSync(join(foreignFolder ?? '', name), 'utf8')
}

/** Times of a clip as fractions `[from, to, start, end]` over one denominator. */
export function times(
  clip: ReadClip | undefined,
): readonly [Rational, Rational, Rational, Rational] | undefined {
  return clip && [clip.from, clip.to, clip.start, clip.end]
}

/** Returns numbers over one denominator as exact fractions in lowest terms. */
export function over(den: number, ...numbers: readonly number[]): Rational[] {
  return numbers.map((num) => rational(num, den))
}

/** Returns the kind and the number of clips of each track. */
export function trackSizes({ tracks }: ReadProject): [string, number][] {
  return tracks.map(({ kind, clips }) => [kind, clips.length])
}

/** Replaces the first occurrence of a text. Throws when it does not occur, so that a test cannot pass in vain. */
export function edit(text: string, ...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the file does not contain ${from}`)
    return changed.replace(from, () => to)
  }, text)
}
