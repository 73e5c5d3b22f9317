import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import {
  detectFaces,
  detectFacesInImage,
  type DetectFacesOptions,
  type FacesAt,
} from '../../../src/engines/vision/detect-faces.ts'
import type { Face } from '../../../src/media/vision/face.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { generateMedia, h264, scratchFolder, setRotation, testdata, tone } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

const pathOf = (folder: string, file: string) => join(testdata(folder) ?? '', file)

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

async function search(path: string, options: Partial<DetectFacesOptions> = {}): Promise<FacesAt[]> {
  const all: FacesAt[] = []
  for await (const one of detectFaces(path, await probe(path), { perSecond: 2, threads: 1, ...options }))
    all.push(one)
  return all
}

const searchImage = async (path: string) => detectFacesInImage(path, await probe(path))

const centreOf = ({ box }: Face) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })

describe.skipIf(testdata('models') === undefined)('faces (REELWRIGHT_TESTDATA)', () => {
  it('of a group are all found, with their points', async () => {
    const faces = await searchImage(pathOf('image', 'faces.jpg'))
    // Counted by eye.
    expect(faces).toHaveLength(52)
    const known = [
      [349, 41],
      [608, 69],
      [95, 247],
      [674, 220],
      [469, 253],
      [534, 240],
      [414, 124],
    ] as const
    for (const [x, y] of known) {
      const nearest = Math.min(...faces.map((face) => Math.hypot(centreOf(face).x - x, centreOf(face).y - y)))
      expect(nearest, `face at ${x}, ${y}`).toBeLessThan(4)
    }
    for (const { box, landmarks } of faces) {
      const { rightEye, leftEye, nose, rightMouth, leftMouth } = landmarks
      expect(rightEye.x).toBeLessThan(leftEye.x)
      expect(rightMouth.x).toBeLessThan(leftMouth.x)
      expect(Math.max(rightEye.y, leftEye.y)).toBeLessThan(nose.y)
      expect(nose.y).toBeLessThan(Math.min(rightMouth.y, leftMouth.y))
      for (const { x, y } of Object.values(landmarks)) {
        expect(x).toBeGreaterThan(box.x)
        expect(x).toBeLessThan(box.x + box.width)
        expect(y).toBeGreaterThan(box.y)
        expect(y).toBeLessThan(box.y + box.height)
      }
    }
  })

  it('of a speaker are found in at least 95 % of the frames, where the speaker is', async () => {
    const perSecond = soakSize(2, 5)
    const speaker = pathOf('video', 'opendubbing-englishvideo.mp4')
    const sampled = await search(speaker, { perSecond, threads: 2 })
    expect(sampled.map(({ seconds }) => seconds)).toEqual(
      Array.from({ length: 10 * perSecond }, (_, index) => expect.closeTo(index / perSecond, 6)),
    )
    const found = sampled.filter(({ faces }) => faces.length === 1)
    expect(found.length).toBeGreaterThanOrEqual(0.95 * sampled.length)
    for (const { faces } of found) {
      // Read off the frames, 1080 x 720.
      for (const face of faces) {
        expect(centreOf(face).x).toBeCloseTo(676, -2)
        expect(centreOf(face).y).toBeCloseTo(380, -2)
        expect(face.box.width).toBeCloseTo(315, -2)
      }
    }
  })

  const faceless: readonly (readonly [string, () => Promise<readonly Face[]>])[] = [
    ...['en.jpg', 'text_rec.jpg', 'img_exif_orientation.jpg'].map(
      (page) => [page, () => searchImage(pathOf('ocr', page))] as const,
    ),
    [
      'traffic',
      async () => {
        const cars = join(testdata('video') ?? '', 'natural', 'car-detection.mp4')
        const sampled = await search(cars, { perSecond: 2 })
        expect(sampled).toHaveLength(63)
        return sampled.flatMap(({ faces }) => faces)
      },
    ],
  ]
  it.each(sampleCases(faceless, 1))('are not found in pages of text and traffic: %s', async (_, facesOf) => {
    expect(await facesOf()).toEqual([])
  })

  it('of a rotated video that starts late are in pixels of the displayed picture, at times of the file', async () => {
    const image = ['-loop', '1', '-framerate', '25', '-t', '1', '-i', pathOf('image', 'faces.jpg')]
    const path = await generateMedia(join(folder, 'turned.mp4'), [
      ...[
        ...tone(3),
        '-itsoffset',
        '2',
        ...image,
        '-filter:v',
        'scale=720:478,transpose=cclock',
        '-fps_mode',
        'passthrough',
        ...h264,
      ],
    ])
    await setRotation(path, 90)
    const sampled = await search(path, { perSecond: 5, longestSide: 720 })
    expect(sampled.map(({ seconds }) => seconds)).toEqual(
      [2, 2.2, 2.4, 2.6, 2.8].map((seconds) => expect.closeTo(seconds, 3)),
    )
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    await expect(search(path, { signal: controller.signal })).rejects.toThrow('enough')
    for (const { faces } of sampled) {
      expect(faces.length).toBeGreaterThan(45)
      expect(faces.some((face) => Math.hypot(centreOf(face).x - 349, centreOf(face).y - 41) < 5)).toBe(true)
    }
  })

  it('of a file without picture are none', async () => {
    const path = await generateMedia(join(folder, 'sound.wav'), tone(0.2))
    expect(await search(path)).toEqual([])
    expect(await searchImage(path)).toEqual([])
  })
})
