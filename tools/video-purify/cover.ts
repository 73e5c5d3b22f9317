import { join } from 'node:path'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Cover } from './kept.ts'

/** Pictures that may be a cover in both containers, by ffmpeg's names. */
const forms: Readonly<Record<string, { readonly extension: string; readonly mime: string }>> = {
  mjpeg: { extension: 'jpg', mime: 'image/jpeg' },
  png: { extension: 'png', mime: 'image/png' },
  bmp: { extension: 'bmp', mime: 'image/bmp' },
}

interface Reading {
  readonly scratch: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Copies a cover picture into a file, as a Matroska file takes them; undefined for one that no container holds. */
export async function saveCover(
  source: string,
  { index, codec }: { readonly index: number; readonly codec: string },
  { scratch, signal, timeoutMs }: Reading,
): Promise<Cover | undefined> {
  const form = forms[codec]
  if (!form) return undefined
  const path = join(scratch, `cover-${index}.${form.extension}`)
  const one = ['-map', `0:${index}`, '-c', 'copy', '-frames:v', '1', '-update', '1', '-f', 'image2']
  await runRaw({ args: [...inputArgs(source), ...one, path], signal, timeoutMs })
  return { index, path, mime: form.mime }
}
