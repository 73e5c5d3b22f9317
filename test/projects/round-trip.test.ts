import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import { cutProject, type Project, type ProjectMaterial } from '../../src/media/timeline/project/project.ts'
import { projectFiles } from '../../src/media/timeline/project/project-files.ts'
import { pathFileName } from '../../src/media/timeline/project/media-url.ts'
import { projectReaders } from './project-readers.ts'
import { readDraftMeta } from './readers/draft.ts'
import { rational, type Rational } from './readers/rational.ts'
import type { ReadClip, ReadProject } from './readers/read-project.ts'

const rates: readonly Rational[] = [
  rational(24_000, 1001),
  rational(24),
  rational(25),
  rational(30_000, 1001),
  rational(30),
  rational(50),
  rational(60_000, 1001),
  rational(60),
]

/** Paths of users, and the paths that readers decode from their URLs. */
const paths = [
  '/Users/me/Movies/interview.mp4',
  `/media/A "b" 'c' & <d> 100% #1? 🎬 影片.mov`,
  String.raw`C:\Users\me\My Videos\Take (1)!.MP4`,
  String.raw`\\server\footage\cam a\clip.mxf`,
]

let ids = 0
const options = {
  createdAt: 1_790_000_000_000_000,
  newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
}

function material(given: Partial<ProjectMaterial> & { readonly path: string }): ProjectMaterial {
  return {
    ...{ id: '1790000000000000001', name: pathFileName(given.path), frames: 9000 },
    ...{ picture: { width: 1920, height: 1080 }, sound: { channels: 2, sampleRate: 48_000 } },
    ...{ timecodeStart: 0, dropFrame: false },
    ...given,
  }
}

/** A cut list: pairs of a skipped and a kept length, frames. Some ranges pass the end of the material. */
const cutList = fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 300 })), {
  minLength: 1,
  maxLength: 40,
})

function rangesOf(steps: readonly (readonly [number, number])[]) {
  let at = 0
  return steps.map(([skip, keep]) => {
    const from = at + skip
    at = from + keep
    return { first: from, end: at }
  })
}

const frames = (seconds: Rational, rate: Rational) => (seconds.num * rate.num) / (seconds.den * rate.den)

/** The cuts of a track, in frames of the source. Formats with rounded times differ by less than a thousandth. */
function cuts({ clips }: ReadProject['tracks'][number], rate: Rational) {
  const whole = (seconds: Rational) => {
    const exact = frames(seconds, rate)
    expect(Math.abs(exact - Math.round(exact))).toBeLessThan(1e-3)
    return Math.round(exact)
  }
  return clips.map(({ from, to, start, end }: ReadClip) => [from, to, start, end].map(whole))
}

function expectedCuts({ pictureTracks: [clips = []] }: Project) {
  return clips.map(({ from, to, at }) => [from, to, at, at + to - from])
}

const isDraft = (format: ProjectFormat) => format.startsWith('draft')

it.each(projectFormats)('%s contains every cut to the frame, at all rates', (format) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rates),
      cutList,
      fc.record({
        start: fc.nat(5_000_000),
        dropFrame: fc.boolean(),
        channels: fc.integer({ min: 1, max: 2 }),
      }),
      (rate, steps, { start, dropFrame, channels }) => {
        const drops = dropFrame && rate.num % 30_000 === 0 && rate.den === 1001
        const source = material({
          path: '/Users/me/interview.mp4',
          ...{ timecodeStart: start, dropFrame: drops, sound: { channels, sampleRate: 44_100 } },
        })
        const ranges = [
          { first: 0, end: 3 },
          ...rangesOf(steps).map(({ first, end }) => ({ first: first + 5, end: end + 5 })),
        ]
        const project = cutProject('Interview – cut', source, { ranges, rate })
        const [file] = projectFiles(project, format, options)
        const read = projectReaders[format](file?.text ?? '')
        expect(read.skipped).toEqual([])
        expect(read.tracks.map(({ kind }) => kind)).toEqual(
          isDraft(format)
            ? ['video']
            : ['video', ...Array.from({ length: format === 'xml' ? channels : 1 }, () => 'audio')],
        )
        for (const track of read.tracks) expect(cuts(track, rate)).toEqual(expectedCuts(project))
        if (format === 'gtrk' || isDraft(format)) return
        expect(read.rate).toEqual(rate)
        expect(read.media[0]?.timecodeStart).toEqual(rational(start * rate.den, rate.num))
      },
    ),
    { numRuns: 60 },
  )
})

it.each(projectFormats)('%s keeps the path and name of the footage', (format) => {
  for (const path of paths) {
    const project = cutProject('A & B', material({ path }), {
      ranges: [{ first: 10, end: 20 }],
      rate: rational(25),
    })
    const [file] = projectFiles(project, format, options)
    const read = projectReaders[format](file?.text ?? '')
    expect(read.media).toMatchObject([{ path }])
  }
})

it('registers the media of a draft in its meta file', () => {
  const path = String.raw`D:\footage\a.mp4`
  const project = cutProject('Interview', material({ path }), {
    ranges: [{ first: 0, end: 50 }],
    rate: rational(25),
  })
  const draftDir = String.raw`C:\Users\me\Drafts`
  expect(projectFiles(project, 'draft_a', options)).toHaveLength(1)
  const files = projectFiles(project, 'draft_a', { ...options, draftDir })
  expect(files.map(({ format, filename }) => [format, filename])).toEqual([
    ['draft_a_draft', 'draft_content.json'],
    ['draft_a_meta', 'draft_meta_info.json'],
  ])
  expect(readDraftMeta(files[1]?.text ?? '')).toMatchObject({
    name: 'Interview',
    folder: String.raw`C:\Users\me\Drafts\Interview`,
    root: draftDir,
    seconds: rational(2),
    files: [path],
  })
})

it('shortens a range that passes the end of the footage', () => {
  const project = cutProject('x', material({ path: '/a.mp4', frames: 100 }), {
    ranges: [
      { first: 90, end: 120 },
      { first: 130, end: 140 },
    ],
    rate: rational(25),
  })
  expect(expectedCuts(project)).toEqual([[90, 100, 0, 10]])
})
