import type { TestProject } from 'vitest/node'
import { locateFfmpeg, type Ffmpeg } from '../../src/engines/ffmpeg/locate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** What every process of tests would find; null where there is none. */
    readonly ffmpeg: Ffmpeg | null
  }
}

/** Looks at the ffmpeg of this machine once for all files of a run: a look starts two processes. */
export async function setup(project: TestProject): Promise<void> {
  const found = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG']).catch(() => null)
  project.provide('ffmpeg', found)
}
