import { join } from 'node:path'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import type { TestLibrary } from './library.ts'

/** Probes stored content, given by its hash and the extension of its format. */
export function contentProbe({ data }: TestLibrary) {
  return async (blake3: string | null | undefined, ext: string) => {
    const files = await openDiskStore(join(data, 'files'))
    return await files.withLocalPath({ blake3: blake3 ?? '', ext }, async (path) => {
      const { video, audio } = await probe(path)
      return { codec: video?.codec, width: video?.width, height: video?.height, sound: audio[0]?.codec }
    })
  }
}
