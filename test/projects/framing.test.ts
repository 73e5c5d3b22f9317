import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { projectFormats } from '../../src/contract/project.ts'
import type { Rect, Size } from '../../src/media/geometry.ts'
import type { ClipFraming } from '../../src/media/timeline/framing.ts'
import { projectFiles } from '../../src/media/timeline/project/project-files.ts'
import { projectTimeline } from '../../src/media/timeline/project/project-timeline.ts'
import {
  cutProject,
  type Project,
  projectFrames,
  type ProjectMaterial,
} from '../../src/media/timeline/project/project.ts'
import { framesOfProject, projectReaders } from './project-readers.ts'
import { rational } from './readers/rational.ts'
import type { ReadRect } from './readers/read-project.ts'

let ids = 0
const options = {
  createdAt: 1_790_000_000_000_000,
  newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
}

function material(id: string, picture: Size, sound: ProjectMaterial['sound']): ProjectMaterial {
  const path = `/media/${id}.mp4`
  return { id, name: `${id}.mp4`, path, frames: 9000, picture, sound, timecodeStart: 0, dropFrame: false }
}

const even = (value: number, most: number) =>
  Math.min(2 * Math.floor(most / 2), Math.max(2, 2 * Math.round(value / 2)))

/** A crop with even sides and nearly the shape of the canvas. `zoom`, `x`, `y`: shares of what is possible. */
function cropOf(source: Size, canvas: Size, { zoom, x, y }: { zoom: number; x: number; y: number }): Rect {
  const scale = zoom * Math.min(source.width / canvas.width, source.height / canvas.height)
  const [width, height] = [
    even(canvas.width * scale, source.width),
    even(canvas.height * scale, source.height),
  ]
  return {
    x: Math.floor(x * (source.width - width)),
    y: Math.floor(y * (source.height - height)),
    width,
    height,
  }
}

const canvases = [
  { width: 1080, height: 1920 },
  { width: 1080, height: 1080 },
  { width: 1920, height: 1080 },
  { width: 718, height: 1278 },
]
const share = fc.double({ min: 0, max: 1, noNaN: true })
const side = fc.integer({ min: 300, max: 4096 })
const framings = fc.array(
  fc.record({
    kind: fc.constantFrom('crop', 'move', 'fit', 'none'),
    zoom: fc.double({ min: 0.4, max: 1, noNaN: true }),
    x: share,
    y: share,
  }),
  { minLength: 2, maxLength: 6 },
)

/** A project whose clips of 40 frames are framed differently, with an overlay that covers parts of two of them. */
const framedProject = fc
  .record({
    canvas: fc.constantFrom(...canvases),
    width: side,
    height: side,
    framings,
    rate: fc.constantFrom(rational(25), rational(30_000, 1001), rational(24_000, 1001), rational(60)),
  })
  .map(({ canvas, width, height, framings: wanted, rate }): Project => {
    const source = material('1790000000000000001', { width, height }, { channels: 2, sampleRate: 48_000 })
    const ranges = wanted.map(({ kind, ...place }, index) => {
      const crop = cropOf(source.picture ?? canvas, canvas, place)
      const framing: ClipFraming =
        kind === 'fit'
          ? { mode: 'fit', blurSigma: 40 }
          : { mode: 'crop', crop, ...(kind === 'move' && { moveTo: { ...crop, x: 0 } }) }
      return { first: index * 50, end: index * 50 + 40, ...(kind !== 'none' && { framing }) }
    })
    const split = material('1790000000000000002', canvas, null)
    const project = cutProject('clip1', source, { ranges, rate, size: canvas })
    return {
      ...project,
      pictureTracks: [...project.pictureTracks, [{ material: split, from: 7, to: 37, at: 25 }]],
    }
  })

function containedRect({ width, height }: Size, canvas: Size): Rect {
  const scale = Math.min(canvas.width / width, canvas.height / height)
  const size = { width: width * scale, height: height * scale }
  return { x: (canvas.width - size.width) / 2, y: (canvas.height - size.height) / 2, ...size }
}

/** Returns the part of a source that the canvas shows. */
function visiblePart(picture: ReadRect, source: Size, canvas: Size): Rect {
  const [x, y] = [picture.width / source.width, picture.height / source.height]
  return { x: -picture.x / x, y: -picture.y / y, width: canvas.width / x, height: canvas.height / y }
}

function expectNear(rect: Rect, expected: Rect, tolerance: number) {
  for (const key of ['x', 'y', 'width', 'height'] as const)
    expect(
      Math.abs(rect[key] - expected[key]),
      `${key} of ${JSON.stringify({ rect, expected })}`,
    ).toBeLessThan(tolerance)
}

it.each(projectFormats)('%s keeps the canvas, the crop of every clip and the overlay track', (format) => {
  fc.assert(
    fc.property(framedProject, (project) => {
      const { size: canvas, rate, pictureTracks } = project
      const [file] = projectFiles(project, format, options)
      const text = file?.text ?? ''
      const read = projectReaders[format](text)
      expect(read.skipped).toEqual([])
      const isFramed = pictureTracks.flat().some(({ framing }) => framing)
      if (format !== 'otio' || isFramed)
        expect([read.width, read.height]).toEqual([canvas.width, canvas.height])
      const frames = framesOfProject(text, format, format === 'gtrk' ? rate : rate)
      const given = pictureTracks.map((track) => track.map(({ from, to, at }) => ({ from, to, at })))
      expect(frames.slice(0, 2)).toEqual(given)
      const video = read.tracks.filter(({ kind }) => kind === 'video')
      expect(video).toHaveLength(2)
      // The overlay is silent.
      expect(
        frames
          .slice(2)
          .flat()
          .some(({ from }) => from === 7),
      ).toBe(false)
      if (format === 'gtrk' || (format === 'otio' && !isFramed)) return
      for (const [index, track] of pictureTracks.entries())
        for (const [
          at,
          {
            material: { picture },
            framing,
          },
        ] of track.entries()) {
          const rect = video[index]?.clips[at]?.picture
          if (!rect || !picture) throw new Error('a picture is missing')
          if (framing?.mode !== 'crop') {
            expectNear(rect, containedRect(picture, canvas), 0.02)
            continue
          }
          const { crop } = framing
          const part = visiblePart(rect, picture, canvas)
          if (format !== 'xml') {
            expectNear(part, crop, 0.02)
            continue
          }
          // One scale for both axes: the crop is at most as large, with the same centre.
          const scale = Math.max(canvas.width / crop.width, canvas.height / crop.height)
          const [width, height] = [canvas.width / scale, canvas.height / scale]
          const centred = {
            x: crop.x + (crop.width - width) / 2,
            y: crop.y + (crop.height - height) / 2,
            width,
            height,
          }
          expectNear(part, centred, 0.02)
          expect(crop.width - width + crop.height - height).toBeLessThan(3)
        }
    }),
    { numRuns: 60 },
  )
})

it('renders the same framing as its projects state, with the overlay instead of what it covers', () => {
  fc.assert(
    fc.property(framedProject, (project) => {
      const timeline = projectTimeline(project)
      expect([timeline.width, timeline.height]).toEqual([project.size.width, project.size.height])
      const fps = project.rate.num / project.rate.den
      const frame = (seconds: number) => Math.round(seconds * fps)
      // Which source frame each frame of the timeline shows, and how.
      const shown = Array.from({ length: projectFrames(project) }, (_, at) => {
        const clips = timeline.picture.filter(({ track }) => frame(track.from) <= at && frame(track.to) > at)
        expect(clips).toHaveLength(1)
        const [clip] = clips
        return {
          material: clip?.material,
          from: frame(clip?.source.from ?? 0) + at - frame(clip?.track.from ?? 0),
          framing: clip?.framing,
        }
      })
      for (const [at, one] of shown.entries()) {
        const clip = project.pictureTracks
          .toReversed()
          .flat()
          .find((given) => given.at <= at && at < given.at + given.to - given.from)
        if (!clip) throw new Error('a gap')
        expect([one.material, one.from]).toEqual([clip.material.id, clip.from + at - clip.at])
        if (clip.framing?.mode !== 'crop' || !clip.framing.moveTo) expect(one.framing).toEqual(clip.framing)
      }
      expect(timeline.sound.map((track) => track.length)).toEqual([project.soundTracks[0]?.length])
    }),
    { numRuns: 40 },
  )
})

it('continues a move after the overlay that covers its middle', () => {
  const source = material('1', { width: 640, height: 360 }, null)
  const split = material('2', { width: 202, height: 360 }, null)
  const crop = { x: 0, y: 0, width: 202, height: 360 }
  const framing: ClipFraming = { mode: 'crop', crop, moveTo: { ...crop, x: 400 } }
  const project = cutProject('x', source, {
    ranges: [{ first: 0, end: 40, framing }],
    rate: rational(25),
    size: { width: 202, height: 360 },
  })
  const covered = {
    ...project,
    pictureTracks: [...project.pictureTracks, [{ material: split, from: 0, to: 20, at: 10 }]],
  }
  expect(projectTimeline(covered).picture.map((clip) => clip.framing)).toEqual([
    { mode: 'crop', crop, moveTo: { ...crop, x: 100 } },
    undefined,
    { mode: 'crop', crop: { ...crop, x: 300 }, moveTo: { ...crop, x: 400 } },
  ])
})
