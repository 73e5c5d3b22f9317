import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFootage, type CaptionKind } from '../test/footage/captions.ts'
import { drawFootage, drawCaption, type Footage } from '../test/footage/text.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { pictureSize } from './cleaning-measures.ts'

/** A test case: footage to clean. */
export interface CleaningCase {
  readonly name: string
  readonly method: 'ffmpeg' | 'raft'
  /** Creates the clean footage and the same footage with text. */
  readonly create: (clean: string, source: string) => Promise<void>
}

const generatedCase = (
  kind: CaptionKind,
  background: Footage['background'],
  method: CleaningCase['method'],
): CleaningCase => ({
  name: `${kind}, ${background}, ${method}`,
  method,
  create: async (clean, source) => {
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
const footageCase = (
  { testdata, folder }: Folders,
  file: string,
  method: CleaningCase['method'],
): CleaningCase => ({
  name: `${file}, ${method}`,
  method,
  create: async (clean, source) => {
    const from = join(testdata, 'video', file)
    const encoder = ['-an', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p']
    await ffmpeg('-i', from, '-t', '6', '-vf', 'scale=trunc(iw/2)*2:trunc(ih/2)*2', ...encoder, clean)
    const { width, height } = await pictureSize(clean)
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
export const cleaningCases = (testdata: string, folder: string): readonly CleaningCase[] => [
  generatedCase('two lines', 'still', 'ffmpeg'),
  generatedCase('two lines', 'still', 'raft'),
  generatedCase('two lines', 'pan', 'raft'),
  generatedCase('fading', 'busy', 'raft'),
  generatedCase('20 px', 'pan', 'raft'),
  generatedCase('watermark', 'pan', 'raft'),
  generatedCase('moving', 'still', 'raft'),
  generatedCase('credits', 'pan', 'raft'),
  footageCase({ testdata, folder }, 'opendubbing-englishvideo.mp4', 'raft'),
  footageCase({ testdata, folder }, 'mediabunny-rotate-buck-bunny.mp4', 'raft'),
]
