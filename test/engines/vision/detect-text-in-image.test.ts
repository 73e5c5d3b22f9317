import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas, type Canvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { detectTextInImage, findTextInImage } from '../../../src/engines/vision/detect-text-in-image.ts'
import { openTextDetector, type TextDetector } from '../../../src/engines/vision/frame-detector.ts'
import { soakSize } from '../../soak-size.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

interface Drawn {
  readonly size: number
  readonly texts: readonly { readonly text: string; readonly x: number; readonly y: number }[]
}

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

const pages = testdata('ocr')

describe.skipIf(pages === undefined)('text in an image (REELWRIGHT_TESTDATA)', () => {
  // A detector takes longer to open than to search a small image.
  let detector: TextDetector
  beforeAll(async () => void (detector = await openTextDetector(1, undefined)))
  afterAll(() => detector[Symbol.asyncDispose]())

  /** Returns lines in pixels, from top to bottom. */
  const inPixels = async (path: string) => {
    const { video } = await probe(path)
    if (!video) throw new TypeError('no picture')
    const { width, height } = video
    return (await findTextInImage(path, video, { detector }))
      .map(({ x, y, w, h }) => [x * width, y * height, (x + w) * width, (y + h) * height].map(Math.round))
      .toSorted(([, one = 0], [, other = 0]) => one - other)
  }

  const near = (value: number) => expect.closeTo(value, -0.9)

  it('is detected line by line, at its strokes', async () => {
    // Measured by hand on the page.
    expect(await inPixels(join(pages ?? '', 'en.jpg'))).toEqual([
      [near(6), near(6), near(287), near(25)],
      [near(6), near(53), near(699), near(73)],
      [near(6), near(78), near(699), near(97)],
      [near(6), near(101), near(340), near(121)],
    ])
  })

  it('is located in the displayed image, rotated by its orientation', async () => {
    expect(await inPixels(join(pages ?? '', 'img_exif_orientation.jpg'))).toEqual([
      [near(216), near(128), near(546), near(193)],
    ])
  })

  /** Draws lines of text of `size` px on plain blue, centred at their positions. */
  const draw = async (name: string, canvas: Canvas, { size, texts }: Drawn) => {
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#234'
    pen.fillRect(0, 0, canvas.width, canvas.height)
    pen.fillStyle = 'white'
    pen.font = `600 ${size}px "DejaVu Sans", "Droid Sans Fallback", sans-serif`
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    for (const { text, x, y } of texts) pen.fillText(text, x, y)
    const path = join(folder, name)
    await writeFile(path, canvas.toBuffer('image/png'))
    return path
  }

  it('is detected in vertical columns, each on its own, and up to the edges where it extends beyond them', async () => {
    const columns = ['明天早上八点见面', '你知道他去哪里了吗']
    const texts = columns.flatMap((column, index) =>
      [...column].map((text, row) => ({ text, x: 260 - 52 * index, y: 40 + 36 * row })),
    )
    const wide = { text: 'WWW sentence that is wider than its picture', x: 304, y: 460 }
    const path = await draw('columns.png', createCanvas(640, 520), { size: 32, texts: [...texts, wide] })
    const found = await inPixels(path)
    const lowest = found.at(-1)
    expect([lowest?.[0], lowest?.[2]]).toEqual([0, 640])
    expect(found.slice(0, -1).toSorted(([one = 0], [other = 0]) => other - one)).toEqual([
      [near(244), near(22), near(276), near(304)],
      [near(192), near(22), near(224), near(340)],
    ])
  })

  it('is detected in an image much longer than wide, even at tile boundaries', async () => {
    // A line every 240 px: lines at tile boundaries are neither lost nor repeated.
    const lines = soakSize(8, 20)
    const texts = Array.from({ length: lines }, (_, index) => {
      return { text: `Message number ${index + 1}`, x: 240, y: 60 + 240 * index }
    })
    const path = await draw('tall.png', createCanvas(480, 100 + 240 * lines), { size: 13, texts })
    const found = await inPixels(path)
    expect(found.map(([, top = 0, , bottom = 0]) => Math.round((top + bottom) / 2))).toEqual(
      texts.map(({ y }) => near(y)),
    )
    expect(Math.max(...found.map(([, top = 0, , bottom = 0]) => bottom - top))).toBeLessThan(24)
  })

  it('is detected at another scale too, and nothing in an image without text', async () => {
    const page = join(pages ?? '', 'en.jpg')
    expect(await detectTextInImage(page, await probe(page), { sides: [640] })).toHaveLength(4)
    const plain = await draw('plain.png', createCanvas(320, 180), { size: 13, texts: [] })
    expect(await inPixels(plain)).toEqual([])
  })
})
