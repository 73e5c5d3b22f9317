import { chmod, writeFile } from 'node:fs/promises'
import { locateFfmpeg, useFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'

/** Has a shell script, written to a path, run in place of ffmpeg until it is disposed; "$FFMPEG" is the real one. */
export async function standIn(path: string, script: string): Promise<Disposable> {
  const found = await locateFfmpeg()
  await writeFile(path, `#!/bin/sh\nFFMPEG='${found.ffmpeg}'\n${script}\n`)
  await chmod(path, 0o755)
  useFfmpeg({ ...found, ffmpeg: path })
  return { [Symbol.dispose]: () => useFfmpeg(found) }
}
