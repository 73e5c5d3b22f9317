import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files with few bytes and long run times. Until a run has measured the files, vitest orders them by size, so that one of
 * these would run alone at the end.
 */
const longest = [
  'audio-tts-zero-shot/background',
  'page/page',
  'video-oral-cut/adaptive',
  'video-translate-dub/separation-failure',
].map((name) => {
  const path = resolve(import.meta.dirname, '..', `${name}.test.ts`)
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  return path
})

/** Starts the files in `longest` first in each project. */
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
