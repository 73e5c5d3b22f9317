import { chmod, writeFile } from 'node:fs/promises'
import { locateFfmpeg, useFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'

/**
 * Runs a shell script, written to `path`, instead of ffmpeg or ffprobe until the result is disposed. In the script,
 * "$FFMPEG" and "$FFPROBE" are the real programs.
 */
export async function replaceFfmpeg(
  path: string,
  script: string,
  program: 'ffmpeg' | 'ffprobe' = 'ffmpeg',
): Promise<Disposable> {
  const real = await locateFfmpeg()
  await writeFile(path, `#!/bin/sh\nFFMPEG='${real.ffmpeg}' FFPROBE='${real.ffprobe}'\n${script}\n`)
  await chmod(path, 0o755)
  useFfmpeg({ ...real, [program]: path })
  return { [Symbol.dispose]: () => useFfmpeg(real) }
}
