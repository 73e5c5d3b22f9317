import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import { checkDecodable } from '../../src/engines/ffmpeg/decodable.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Cover } from './kept.ts'
import type { Reading } from './reading.ts'

/** Pictures that may be a cover in both containers, by ffmpeg's names. */
const forms: Readonly<Record<string, { readonly extension: string; readonly mime: string }>> = {
  mjpeg: { extension: 'jpg', mime: 'image/jpeg' },
  png: { extension: 'png', mime: 'image/png' },
  bmp: { extension: 'bmp', mime: 'image/bmp' },
}

/**
 * Copies a cover picture into a file, as a Matroska file takes them; undefined for one that no container holds, that is
 * empty or that does not decode: it would spoil the whole result in the end.
 */
export async function saveCover(
  source: string,
  { index, codec }: { readonly index: number; readonly codec: string },
  { scratch, signal, timeoutMs }: Reading,
): Promise<Cover | undefined> {
  const form = forms[codec]
  if (!form) return undefined
  const path = join(scratch, `cover-${index}.${form.extension}`)
  const copied = ['-map', `0:${index}`, '-c', 'copy', '-frames:v', '1', '-update', '1', '-f', 'image2', path]
  try {
    await runRaw({ args: [...inputArgs(source), ...copied], signal, timeoutMs })
    await checkDecodable(path, { signal })
    return { index, path, mime: form.mime }
  } catch (error) {
    // The whole is worth more than its cover: one that takes too long is left out as well.
    if (error instanceof MediaError) return undefined
    throw error
  }
}
