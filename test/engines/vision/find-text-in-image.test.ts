import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { findTextInImage } from '../../../src/engines/vision/find-text-in-image.ts'
import { make, scratchFolder, testdata } from '../ffmpeg/made.ts'
import { packsFrom } from './packs.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  packsFrom(join(folder, 'packs'))
})

const pages = testdata('ocr')

describe.skipIf(pages === undefined)('text in a picture (REELWRIGHT_TESTDATA)', () => {
  const search = async (path: string, sides?: readonly number[]) =>
    await findTextInImage(path, await probe(path), sides ? { sides } : {})

  /** Lines in px, from above. */
  const inPixels = async (path: string) => {
    const { video } = await probe(path)
    const [width, height] = [video?.width ?? 0, video?.height ?? 0]
    return (await search(path))
      .map(({ x, y, w, h }) => [x * width, y * height, (x + w) * width, (y + h) * height].map(Math.round))
      .toSorted(([, one = 0], [, other = 0]) => one - other)
  }

  const near = (value: number) => expect.closeTo(value, -0.9)

  it('is found line by line, at its ink', async () => {
    // Read off the page.
    expect(await inPixels(join(pages ?? '', 'en.jpg'))).toEqual([
      [near(6), near(6), near(287), near(25)],
      [near(6), near(53), near(699), near(73)],
      [near(6), near(78), near(699), near(97)],
      [near(6), near(101), near(340), near(121)],
    ])
  })

  it('is found where the picture is as it is shown, turned by its orientation', async () => {
    expect(await inPixels(join(pages ?? '', 'img_exif_orientation.jpg'))).toEqual([
      [near(216), near(128), near(546), near(193)],
    ])
  })

  it('is found at another scale too, and none where there is none', async () => {
    expect(await search(join(pages ?? '', 'en.jpg'), [640])).toHaveLength(4)
    const plain = await make(join(folder, 'plain.png'), [
      '-f',
      'lavfi',
      '-i',
      'color=size=320x180',
      '-frames:v',
      '1',
    ])
    expect(await search(plain)).toEqual([])
  })
})
