import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { seededNumbers } from '../footage/world.ts'
import { writeVideo } from './library.ts'

/** Numbers of files of a folder, near-duplicates and copies included. */
interface MediaCounts {
  readonly images: number
  readonly videos: number
}

/**
 * Creates a folder of small images, of which some are near-duplicates or copies of others, of videos of 1 to 3 s, and of
 * damaged files. Some images have a sidecar. Returns the paths of the media, then those of the damaged files.
 */
export async function writeMediaFolder(
  folder: string,
  { images, videos }: MediaCounts,
): Promise<{ readonly media: readonly string[]; readonly damaged: readonly string[] }> {
  const media: string[] = []
  const write = async (path: string, create: (absolute: string) => Promise<void>) => {
    media.push(path)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await create(join(folder, path))
  }
  for (let index = 0; index < images; index += 1) {
    const previous = media.at(-1) ?? ''
    if (index % 25 === 24) await write(`copies/${index}.jpg`, (to) => copyFile(join(folder, previous), to))
    // The picture before it, encoded again.
    else if (index % 10 === 9)
      await write(`images/${index}.jpg`, (to) => writeFile(to, drawPicture(index - 1, 60)))
    else await write(`images/${index}.jpg`, (to) => writeFile(to, drawPicture(index, 85)))
    if (index % 7 === 0)
      await writeFile(join(folder, `${media.at(-1)}.json`), JSON.stringify({ title: `Picture ${index}` }))
  }
  for (let index = 0; index < videos; index += 1) {
    const previous = media.at(-1) ?? ''
    if (index % 10 === 9) await write(`copies/${index}.mp4`, (to) => copyFile(join(folder, previous), to))
    else await write(`videos/${index}.mp4`, (to) => writeVideo(to, ...shotColours(index)))
  }
  return { media, damaged: await writeDamaged(folder, media) }
}

/** Draws a picture of 160 × 120 px, as JPEG. */
function drawPicture(index: number, quality: number): Buffer {
  const random = seededNumbers(index + 1)
  const canvas = createCanvas(160, 120)
  const pen = canvas.getContext('2d')
  const colour = () => `hsl(${Math.round(360 * random())} ${30 + 60 * random()}% ${20 + 60 * random()}%)`
  pen.fillStyle = colour()
  pen.fillRect(0, 0, 160, 120)
  for (let shape = 0; shape < 12; shape += 1) {
    pen.fillStyle = colour()
    pen.beginPath()
    pen.ellipse(160 * random(), 120 * random(), 40 * random(), 30 * random(), 3 * random(), 0, 7)
    pen.fill()
  }
  return canvas.toBuffer('image/jpeg', quality)
}

/** Returns one to three colours: one of each shot. */
function shotColours(index: number): string[] {
  const random = seededNumbers(index + 10_001)
  return Array.from(
    { length: 1 + (index % 3) },
    () => `0x${(2 ** 24 + 2 ** 24 * random()).toString(16).slice(1, 7)}`,
  )
}

async function writeDamaged(folder: string, media: readonly string[]): Promise<string[]> {
  const start = async (extension: string) => {
    const bytes = await readFile(join(folder, media.find((path) => path.endsWith(extension)) ?? ''))
    // Of an mp4 without its index at the end, and of a JPEG without any of its lines.
    return bytes.subarray(0, extension === '.mp4' ? bytes.length / 2 : 100)
  }
  const files = {
    'damaged/cut.mp4': await start('.mp4'),
    'damaged/cut.jpg': await start('.jpg'),
    'damaged/empty.png': '',
    'damaged/text.jpg': 'text',
    'videos/text.mp4': 'text',
  }
  await mkdir(join(folder, 'damaged'))
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  return Object.keys(files)
}
