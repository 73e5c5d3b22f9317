import { expect, test } from 'vitest'
import { projectFormats } from '../../src/contract/project.ts'
import { frameTime } from '../../src/media/frame-rate.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { framesOfProject, projectReaders } from '../projects/project-readers.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
import {
  type MarkedFootageOptions,
  shownRuns,
  soundLags,
  writeMarkedFootage,
} from '../recordings/marked-footage.ts'
import { soakSize } from '../soak-size.ts'
import { cutFootage, spreadRanges } from './cut-footage.ts'

const folder = await scratchFolder()
const ntsc = { num: 30_000, den: 1001 }
const pal = { num: 25, den: 1 }

/** Footage, and the number of the picture that its first frame shows. */
interface FootageCase extends Omit<MarkedFootageOptions, 'seconds' | 'name'> {
  readonly title: string
  readonly first?: number
}

const footages: readonly FootageCase[] = [
  { title: 'sound that starts 0.437 s late', rate: pal, soundLate: 0.437 },
  { title: 'sound that starts 13 ms late', rate: ntsc, soundLate: 0.013 },
  // The first picture is shown until the second one, 13 frames after the start of the file.
  { title: 'sound that starts 0.52 s early', rate: pal, soundLate: -0.52, first: -13 },
  { title: 'sound that starts 21 ms early', rate: ntsc, soundLate: -0.021, first: -1 },
  { title: 'an edit list that hides the first 0.4 s', rate: pal, hidden: 0.4, first: 10 },
  { title: 'a non-drop source timecode', rate: ntsc, timecode: '10:21:00:05' },
  { title: 'a drop-frame source timecode', rate: ntsc, timecode: '01:00:00;02' },
  { title: 'a source timecode at 25', rate: pal, timecode: '23:59:58:24' },
  { title: 'a turned picture of a phone', rate: ntsc, turned: true },
]

/** Several of them in one file. */
const combined: readonly FootageCase[] = [
  {
    title: 'late sound, a drop-frame source timecode and a turned picture',
    ...{ rate: ntsc, soundLate: 0.437, timecode: '01:00:00;02', turned: true },
  },
  {
    title: 'early sound and a source timecode at 25',
    ...{ rate: pal, soundLate: -0.52, first: -13, timecode: '23:59:58:24' },
  },
  { title: 'an edit list that hides the first 0.4 s', rate: pal, hidden: 0.4, first: 10 },
]

test.each(soakSize(combined, footages).map((footage, index) => ({ ...footage, name: `footage-${index}` })))(
  '$title: projects, pictures and sound agree',
  async ({ first = 0, ...options }) => {
    const footage = await writeMarkedFootage(folder, { ...options, seconds: 5 })
    const { rate, facts, ...cut } = await cutFootage(footage.path, (frames) =>
      spreadRanges(5, { frames: frames - 30, length: 12 }).map((range) => ({
        first: range.first + 20,
        end: range.end + 20,
      })),
    )
    expect(rate).toEqual(options.rate)
    const runs = shownRuns(await readFrameNumbers(cut.video))
    const shown = runs.map(({ at, frames, number }) => ({
      from: number - first,
      to: number - first + frames,
      at,
    }))
    expect(shown).toHaveLength(5)
    for (const format of projectFormats)
      for (const clips of framesOfProject(cut.projects[format], format, rate)) expect(clips).toEqual(shown)
    const lags = await soundLags(cut.video, runs, footage)
    expect(lags).toHaveLength(5)
    expect(Math.min(...lags.map(({ likeness }) => likeness))).toBeGreaterThan(0.6)
    expect(Math.max(...lags.map(({ lag }) => Math.abs(lag)))).toBeLessThanOrEqual(frameTime(1, rate))
    if (options.timecode === undefined) return
    expect(facts.timecode).toMatchObject({ text: options.timecode })
    for (const format of ['xml', 'fcpxml', 'otio'] as const)
      expect(projectReaders[format](cut.projects[format]).media[0]).toMatchObject({
        dropFrame: format === 'otio' ? expect.any(Boolean) : options.timecode.includes(';'),
      })
  },
)

test('a variable frame rate is cut on a constant grid', async () => {
  // Every third picture is missing in the first half, every second one in the other.
  const select = 'if(lt(n,120),mod(n,3),mod(n,2))'
  const isKept = (number: number) => (number < 120 ? number % 3 !== 0 : number % 2 !== 0)
  const rate = { num: 30, den: 1 }
  const footage = await writeMarkedFootage(folder, { name: 'variable', rate, seconds: 8, select })
  const cut = await cutFootage(footage.path, (frames) => spreadRanges(8, { frames, length: 15 }))
  expect(cut.facts.video).toMatchObject({ variable_rate: true })
  expect(cut.rate).toEqual(rate)
  const numbers = await readFrameNumbers(cut.video)
  // The picture of a frame is the last one that has started.
  const expected = cut.ranges.flatMap(({ first, end }) =>
    Array.from({ length: end - first }, (_, index) => {
      let number = first + index
      while (number > 1 && !isKept(number)) number -= 1
      return Math.max(1, number)
    }),
  )
  expect(numbers).toEqual(expected)
  for (const format of projectFormats)
    for (const clips of framesOfProject(cut.projects[format], format, rate))
      expect(clips.map(({ from, to }) => ({ first: from, end: to }))).toEqual(cut.ranges)
  const runs = cut.ranges.map(({ first, end }, index) => ({
    at: 15 * index,
    frames: end - first,
    number: first,
  }))
  const lags = await soundLags(cut.video, runs, footage)
  expect(Math.max(...lags.map(({ lag }) => Math.abs(lag)))).toBeLessThanOrEqual(frameTime(1, rate))
})
