import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas, type Canvas } from '@napi-rs/canvas'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { detectTextInImage } from '../../../src/engines/vision/detect-text-in-image.ts'
import { detectText } from '../../../src/engines/vision/detect-text.ts'
import { type Area, pixelBox } from '../../../src/media/clean/region.ts'
import { drawCaption } from '../../footage/text.ts'
import { writeVideo } from '../../footage/write-video.ts'
import { sampleCases } from '../../soak-size.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

const size = { width: 640, height: 360 }

interface Mark {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  /** Angle to the horizontal. */
  readonly degrees: number
}

/** Draws the marks on a transparent canvas. */
function layer(marks: readonly Mark[]): Canvas {
  const canvas = createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  for (const { x, y, degrees, ...mark } of marks) {
    const { picture } = drawCaption({ ...mark, x: 0, y: 0, first: 0, end: 1 })
    pen.save()
    pen.translate(x, y)
    pen.rotate((-degrees * Math.PI) / 180)
    pen.drawImage(picture, -picture.width / 2, -picture.height / 2)
    pen.restore()
  }
  return canvas
}

/** Draws a moving background with the marks half transparent over it. */
function frameOf(marks: Canvas, passed = 0): Canvas {
  const canvas = createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  const sky = pen.createLinearGradient(-passed, 0, size.width, size.height)
  sky.addColorStop(0, '#234')
  sky.addColorStop(1, '#857')
  pen.fillStyle = sky
  pen.fillRect(0, 0, size.width, size.height)
  pen.fillStyle = '#465'
  for (let shape = 0; shape < 12; shape += 1)
    pen.fillRect(80 * shape - 2 * passed, (shape * 83) % 330, 45, 25)
  pen.globalAlpha = 0.5
  pen.drawImage(marks, 0, 0)
  return canvas
}

/** Returns the share of each mark's pixels that areas cover, and the share of the picture that they cover. */
function coverage(marks: readonly Mark[], areas: readonly Area[]) {
  const covered = new Uint8Array(size.width * size.height)
  for (const area of areas) {
    const { left, top, right, bottom } = pixelBox(area, size) ?? { left: 0, top: 0, right: 0, bottom: 0 }
    for (let row = top; row < bottom; row += 1)
      covered.fill(1, row * size.width + left, row * size.width + right)
  }
  const shares = marks.map((mark) => {
    const { data } = layer([mark]).getContext('2d').getImageData(0, 0, size.width, size.height)
    let [all, inside] = [0, 0]
    for (const [at, isCovered] of covered.entries()) {
      if ((data[4 * at + 3] ?? 0) < 128) continue
      all += 1
      inside += isCovered
    }
    return inside / all
  })
  return { least: Math.min(...shares), covered: covered.reduce((sum, one) => sum + one, 0) / covered.length }
}

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

describe.skipIf(testdata('models') === undefined)('tilted text (REELWRIGHT_TESTDATA)', () => {
  const repeated = (degrees: number) =>
    [0, 1, 2, 3].map((index): Mark => {
      const [x, y] = [150 + 330 * (index % 2), 90 + 170 * Math.floor(index / 2)]
      return { text: 'stock-photo', x, y, size: 24, degrees }
    })
  const beyond: readonly Mark[] = [
    { text: 'CONFIDENTIAL', x: 60, y: 120, size: 60, degrees: 40 },
    { text: 'CONFIDENTIAL', x: 560, y: 330, size: 60, degrees: 40 },
  ]
  // Boxes around whole lines would cover a fifth to a third.
  const tilted: readonly (readonly [string, readonly Mark[], number])[] = [
    ...[15, 30, -45].map(
      (degrees) => [`repeated over a picture at ${degrees} degrees`, repeated(degrees), 0.18] as const,
    ),
    ['that extends beyond the picture, up to its edges,', beyond, 1],
  ]
  it.each(sampleCases(tilted, 1))(
    '%s is detected, with little else covered',
    async (name, marks, mostCovered) => {
      const path = join(folder, `${name}.png`)
      await writeFile(path, frameOf(layer(marks)).toBuffer('image/png'))
      const found = coverage(marks, await detectTextInImage(path, await probe(path)))
      expect(found.least).toBeGreaterThan(0.99)
      expect(found.covered).toBeLessThan(mostCovered)
    },
  )

  it('over a video is detected for its whole duration, and so is horizontal text in a corner of its box', async () => {
    const large: Mark = { text: 'CONFIDENTIAL', x: 320, y: 170, size: 50, degrees: 30 }
    const level: Mark = { text: 'Do you know him?', x: 480, y: 285, size: 22, degrees: 0 }
    const marks = layer([large, level])
    const path = join(folder, 'tilted.mp4')
    function* pictures() {
      for (let frame = 0; frame < 10; frame += 1) yield frameOf(marks, 2.5 * frame).data()
    }
    await writeVideo(path, { ...size, fps: 10, pictures: pictures() })
    const { regions } = await detectText(path, await probe(path), { threads: 1 })
    expect(new Set(regions.map(({ start, end }) => `${start} to ${end}`))).toEqual(new Set(['0 to 1']))
    expect(coverage([large, level], regions).least).toBeGreaterThan(0.99)
  })
})
