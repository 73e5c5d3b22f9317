import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { shrinkImage } from '../../../src/engines/ffmpeg/shrink-image.ts'
import { generateMedia, pixelsOf, scratchFolder } from './generate-media.ts'
import { sampleCases } from '../../soak-size.ts'

const folder = await scratchFolder()
const longestSide = 768

/** Shrinks a still image drawn by a lavfi source. Returns the path of the JPEG and its size. */
async function shrink(name: string, source: string) {
  const path = await generateMedia(join(folder, name), ['-f', 'lavfi', '-i', source, '-frames:v', '1'])
  const to = join(folder, `${name}.small.jpg`)
  await writeFile(to, await shrinkImage(await readFile(path), { longestSide }))
  const { video } = await probe(to)
  return { to, size: [video?.width, video?.height] }
}

const images: readonly (readonly [string, string, readonly [number, number]])[] = [
  ['tall.webp', 'testsrc2=s=300x1200', [192, 768]],
  ['wide.png', 'testsrc2=s=2000x1000', [768, 384]],
  ['small.bmp', 'testsrc2=s=768x768', [768, 768]],
  ['small.jpg', 'testsrc2=s=100x50', [100, 50]],
]

test.each(sampleCases(images))(
  '%s becomes a JPEG whose longest side is at most 768 pixels',
  async (name, source, size) => {
    expect((await shrink(name, source)).size).toEqual(size)
  },
)

test('transparent parts become white', async () => {
  const { to } = await shrink('glass.png', 'color=red@0:s=64x64,format=rgba')
  const pixels = await pixelsOf(to)
  expect(Math.min(...pixels)).toBeGreaterThan(250)
})

test('other data is rejected', async () => {
  const shrinkText = (text: string) => shrinkImage(Buffer.from(text, 'latin1'), { longestSide })
  await expect(shrinkText('GIF89a and more')).rejects.toMatchObject({ code: 6017 })
  await expect(shrinkText('\x89PNG and nothing else')).rejects.toMatchObject({ code: expect.any(Number) })
})
