import type { TestProject } from 'vitest/node'
import { locateFfmpeg, type Ffmpeg } from '../../src/engines/ffmpeg/locate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The ffmpeg of this machine; null if there is none. */
    readonly ffmpeg: Ffmpeg | null
  }
}

/** Locates ffmpeg once for all test files, because each search starts two processes. */
export async function setup(project: TestProject): Promise<void> {
  const found = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG']).catch(() => null)
  project.provide('ffmpeg', found)
}
