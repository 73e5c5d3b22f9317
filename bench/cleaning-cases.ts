import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFootage, type CaptionKind } from '../test/footage/captions.ts'
import { drawFootage, drawCaption, type Footage } from '../test/footage/text.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { sizeOf } from './cleaning-measures.ts'

/** A test case: footage to clean. */
export interface Case {
  readonly name: string
  readonly method: 'ffmpeg' | 'raft'
  /** Creates the clean footage and the same footage with text. */
  readonly make: (clean: string, source: string) => Promise<void>
}

const drawn = (kind: CaptionKind, background: Footage['background'], method: Case['method']): Case => ({
  name: `${kind}, ${background}, ${method}`,
  method,
  make: async (clean, source) => {
    const footage = createFootage(kind, background, { seed: 7 })
    await drawFootage(clean, { ...footage, captions: [] })
    await drawFootage(source, footage)
  },
})

interface Folders {
  readonly testdata: string
  /** For intermediate files. */
  readonly folder: string
}

/** Real footage with two consecutive lines of subtitles burned in. */
const real = ({ testdata, folder }: Folders, file: string, method: Case['method']): Case => ({
  name: `${file}, ${method}`,
  method,
  make: async (clean, source) => {
    const from = join(testdata, 'video', file)
    const encoder = ['-an', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p']
    await ffmpeg('-i', from, '-t', '6', '-vf', 'scale=trunc(iw/2)*2:trunc(ih/2)*2', ...encoder, clean)
    const { width, height } = await sizeOf(clean)
    const lines = ['Do you know where he went?', '明天早上八点见面'].map((text) => {
      const size = Math.round(Math.min(height / 16, width / 20))
      return drawCaption({ text, size, x: 0, y: 0, first: 0, end: 1, outline: 'black' }).picture
    })
    const pictures = await Promise.all(
      lines.map(async (line, index) => {
        const path = join(folder, `line-${index}.png`)
        await writeFile(path, line.toBuffer('image/png'))
        return path
      }),
    )
    const filters = lines.map(
      (line, index) =>
        `[${index === 0 ? '0:v' : `v${index}`}][${index + 1}:v]overlay=${Math.round((width - line.width) / 2)}:${
          height - Math.round(height / 7) - Math.round(line.height / 2)
        }:enable='between(t,${0.5 + 2.7 * index},${2.5 + 2.7 * index})'[v${index + 1}]`,
    )
    const inputs = [clean, ...pictures].flatMap((path) => ['-i', path])
    await ffmpeg(
      ...inputs,
      '-filter_complex',
      filters.join(';'),
      '-map',
      `[v${lines.length}]`,
      ...encoder,
      source,
    )
  },
})

/** Returns the ten cases: `testdata` contains the sources, `folder` receives intermediate files. */
export const casesOf = (testdata: string, folder: string): readonly Case[] => [
  drawn('two lines', 'still', 'ffmpeg'),
  drawn('two lines', 'still', 'raft'),
  drawn('two lines', 'pan', 'raft'),
  drawn('fading', 'busy', 'raft'),
  drawn('20 px', 'pan', 'raft'),
  drawn('watermark', 'pan', 'raft'),
  drawn('moving', 'still', 'raft'),
  drawn('credits', 'pan', 'raft'),
  real({ testdata, folder }, 'opendubbing-englishvideo.mp4', 'raft'),
  real({ testdata, folder }, 'mediabunny-rotate-buck-bunny.mp4', 'raft'),
]
