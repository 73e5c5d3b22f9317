import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Small files that take long. Until a run has measured the files, vitest starts large ones first, and one of these would run
 * alone at the end.
 */
const longest = [
  'audio-tts-zero-shot/background',
  'bundle',
  'page/page',
  'video-oral-cut/adaptive',
  'video-translate-dub/separation-failure',
].map((name) => resolve(import.meta.dirname, '..', `${name}.test.ts`))

/** Starts the files of each project that take longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not a method of an array
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...projects.values()].flatMap((specs) => {
      const { long = [], other = [] } = Object.groupBy(specs, ({ moduleId }) =>
        longest.includes(resolve(moduleId)) ? 'long' : 'other',
      )
      return [...long, ...other]
    })
  }
}
