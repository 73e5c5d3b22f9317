import { chmod, writeFile } from 'node:fs/promises'
import { locateFfmpeg, useFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'

/**
 * Has a shell script, written to a path, run in place of ffmpeg, or ffprobe, until it is disposed; "$FFMPEG" and
 * "$FFPROBE" are the real ones.
 */
export async function replaceFfmpeg(
  path: string,
  script: string,
  instead: 'ffmpeg' | 'ffprobe' = 'ffmpeg',
): Promise<Disposable> {
  const found = await locateFfmpeg()
  await writeFile(path, `#!/bin/sh\nFFMPEG='${found.ffmpeg}' FFPROBE='${found.ffprobe}'\n${script}\n`)
  await chmod(path, 0o755)
  useFfmpeg({ ...found, [instead]: path })
  return { [Symbol.dispose]: () => useFfmpeg(found) }
}
