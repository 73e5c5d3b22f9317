import { expect, test } from 'vitest'
import { projectFormats } from '../../src/contract/project.ts'
import { formatRate, frameTime } from '../../src/media/frame-rate.ts'
import { videoTimelineRender } from '../../tools/video-timeline-render/contract.ts'
import { plan } from '../../tools/video-timeline-render/plan.ts'
import { run } from '../../tools/video-timeline-render/run.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { framesOfProject } from '../projects/project-readers.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
import { shownRuns, soundLags, writeMarkedFootage } from '../recordings/marked-footage.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { runInWorker, stageFiles } from '../tasks/run-in-worker.ts'
import { streams } from '../video-split-screen/media.ts'
import { cutFootage, spreadRanges } from './cut-footage.ts'

const folder = await scratchFolder()

const rates = [
  { num: 24_000, den: 1001 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
].map((rate) => ({ rate, name: formatRate(rate) }))

/** Footage and its cut, by the name of its rate: tests do not change them. */
const cutRates = new Map<string, ReturnType<typeof cutAt>>()

/** Cuts footage of a rate to seven ranges of 15 frames, once. */
function cutOnce(at: (typeof rates)[number]): ReturnType<typeof cutAt> {
  const cut = cutRates.get(at.name) ?? cutAt(at)
  cutRates.set(at.name, cut)
  return cut
}

async function cutAt({ rate }: (typeof rates)[number]) {
  const footage = await writeMarkedFootage(folder, { name: `footage-${rate.num}`, rate, seconds: 6 })
  const cut = await cutFootage(footage.path, (frames) => spreadRanges(7, { frames, length: 15 }))
  return { footage, cut }
}

test.each(sampleCases(rates))(
  'at $name all formats are the rendered frames, at the exact rate',
  async (one) => {
    const { rate } = one
    const { cut } = await cutOnce(one)
    expect(cut.rate).toEqual(rate)
    const runs = shownRuns(await readFrameNumbers(cut.video))
    const shown = runs.map(({ at, frames, number }) => ({ from: number, to: number + frames, at }))
    expect(shown).toHaveLength(7)
    for (const format of projectFormats) {
      const tracks = framesOfProject(cut.projects[format], format, rate)
      for (const clips of tracks) expect({ format, clips }).toEqual({ format, clips: shown })
    }
    const [picture] = await streams(cut.video)
    expect(picture).toMatchObject({ r_frame_rate: formatRate(rate), avg_frame_rate: formatRate(rate) })
    expect(Number(picture?.['nb_frames'])).toBe(7 * 15)
  },
)

test.each(sampleCases(rates))('at $name the gtrk project is rendered with the same ranges', async (one) => {
  const { footage, cut } = await cutOnce(one)
  const files = await stageFiles([footage.path])
  const operation = { operation: videoTimelineRender, plan, run }
  const { path } = await runInWorker(operation, JSON.parse(cut.projects.gtrk), { files, folder })
  // Its rate is whole, so that in longer clips a frame is repeated every 33 s.
  const runs = shownRuns(await readFrameNumbers(path))
  expect(runs).toEqual(
    cut.ranges.map(({ first, end }, index) => ({ at: 15 * index, frames: end - first, number: first })),
  )
})

/** A drift grows with each cut. */
const cuts = soakSize(20, 200)

test(`${cuts} cuts at 29.97 have no drift between picture and sound`, async () => {
  const rate = { num: 30_000, den: 1001 }
  const footage = await writeMarkedFootage(folder, { name: 'long', rate, seconds: 0.4 * cuts })
  const cut = await cutFootage(footage.path, (frames) => spreadRanges(cuts, { frames, length: 9 }))
  const runs = shownRuns(await readFrameNumbers(cut.video))
  expect(runs).toEqual(
    cut.ranges.map(({ first, end }, index) => ({ at: 9 * index, frames: end - first, number: first })),
  )
  const lags = await soundLags(cut.video, runs, footage)
  expect(lags).toHaveLength(cuts)
  expect(Math.min(...lags.map(({ likeness }) => likeness))).toBeGreaterThan(0.7)
  expect(Math.max(...lags.map(({ lag }) => Math.abs(lag)))).toBeLessThan(0.25 * frameTime(1, rate))
})
