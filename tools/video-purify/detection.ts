import { readFile } from 'node:fs/promises'
import { MediaError } from '../../src/contract/errors.ts'
import { describeIssues } from '../../src/contract/issues.ts'
import { readRegions } from '../../src/contract/regions.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { endOf, rateOf } from '../../src/media/clean/rate.ts'
import { hertz } from '../../src/media/nominal-rate.ts'
import type { FoundRegion } from '../../src/media/clean/region.ts'
import { videoPurify } from './contract.ts'
import type { PurifyInput } from './plan.ts'

/** Of what was found what a list may hold: where a header tells an early end, pictures may come after it. */
export function listable(found: readonly FoundRegion[], video: VideoFacts): FoundRegion[] {
  const videoEnd = endOf(video)
  return found
    .filter(({ start }) => start < videoEnd)
    .map((region) => ({ ...region, end: Math.min(region.end, videoEnd) }))
}

/** What a detection found, as its result file tells it. */
export function writeDetection(
  { file_id, video }: { file_id: string; video: VideoFacts },
  found: readonly FoundRegion[],
): string {
  const rate = rateOf(video)
  const regions = found.map(({ score, ...region }, index) => ({
    ...{ id: `text-${index + 1}`, source: 'detected', ...region },
    score: Math.round(score * 1000) / 1000,
  }))
  const { width, height } = video
  return `${JSON.stringify(
    {
      version: 1,
      source: { file_id },
      video: {
        width,
        height,
        duration: endOf(video),
        fps: hertz(rate),
        fps_exact: `${rate.num}/${rate.den}`,
      },
      regions,
    },
    null,
    1,
  )}\n`
}

/** The regions of a detection result, edited or not, and those it protects. Throws 6016 where it is none, or another video's. */
export async function readDetection(
  { path, name }: Pick<StagedFile, 'path' | 'name'>,
  { fileId, end }: { fileId: string; end: number },
): Promise<Required<Pick<PurifyInput, 'regions' | 'protect_regions'>>> {
  const refuse = (what: string, hint: string) =>
    new MediaError(6016, `regions_file_id: ${name} ${what}`, { hint })
  const listed = readRegions(`regions_file_id: ${name}`, await readFile(path, 'utf8'))
  const lacking = (['version', 'source'] as const).find((field) => (listed[field] ?? null) === null)
  if (lacking !== undefined) {
    throw refuse(
      `is no detection result: ${lacking}: required`,
      'Give the JSON file that phase detect answered, edited or not.',
    )
  }
  if (listed.source?.file_id !== fileId) {
    throw refuse('is of another video', 'Detect in this video, or give source.file_id of the video it is of.')
  }
  // By the rules of a list that a request holds.
  const list = videoPurify.input.safeParse({
    ...{ file_id: fileId, phase: 'purify', regions: listed.regions },
    protect_regions: listed.protect_regions,
  })
  if (!list.success) throw refuse(describeIssues(list.error, 'file'), 'Correct the regions it names.')
  const regions = list.data.regions ?? []
  const late = regions.findIndex(({ start = 0 }) => start >= end)
  if (late >= 0)
    throw refuse(`regions[${late}].start is not before the end of the video`, `Give a start below ${end}.`)
  return { regions, protect_regions: list.data.protect_regions }
}
