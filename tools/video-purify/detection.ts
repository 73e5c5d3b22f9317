import { MediaError } from '../../src/contract/errors.ts'
import { describeIssues } from '../../src/contract/issues.ts'
import { maxRegions } from '../../src/contract/regions.ts'
import { exampleOfList, placesIn, readRegions } from '../../src/contract/regions-file.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { endOf, rateOf } from '../../src/media/clean/rate.ts'
import { hertz } from '../../src/media/nominal-rate.ts'
import type { FoundRegion } from '../../src/media/clean/region.ts'
import { videoPurify } from './contract.ts'
import type { PurifyInput } from './work.ts'

/**
 * Of what was found what a list may hold, and how many regions are left out as one holds no more: those that are least
 * like text. Where a header tells an early end, pictures may come after it.
 */
export function listable(
  found: readonly FoundRegion[],
  video: VideoFacts,
): { readonly listed: FoundRegion[]; readonly left: number } {
  const videoEnd = endOf(video)
  const inVideo = found.filter(({ start }) => start < videoEnd)
  const ranked = inVideo.toSorted((one, other) => other.score - one.score)
  const left = new Set(ranked.slice(maxRegions))
  const listed = inVideo
    .filter((region) => !left.has(region))
    .map((region) => ({ ...region, end: Math.min(region.end, videoEnd) }))
  return { listed, left: left.size }
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
export function readDetection(
  { name, text }: { readonly name: string; readonly text: string },
  { fileId, end }: { readonly fileId: string; readonly end: number },
): Required<Pick<PurifyInput, 'regions' | 'protect_regions'>> {
  const example = exampleOfList(fileId)
  const form = `the JSON file that phase detect answered, edited or not, or one such as ${example}`
  const refuse = (what: string, hint: string) =>
    new MediaError(6016, `regions_file_id: ${name} ${what}`, { hint })
  const listed = readRegions(`regions_file_id: ${name}`, text, example)
  const { version, source } = listed
  if (!source || (version ?? null) === null) {
    throw refuse(`is no detection result: ${source ? 'version' : 'source'}: required`, `Give ${form}.`)
  }
  if (source.file_id !== fileId) {
    throw refuse(
      `is of another video (source.file_id ${source.file_id})`,
      `Give file_id ${JSON.stringify(source.file_id)}, or detect in this one. Where the places are right for it ` +
        `all the same, set source.file_id to ${JSON.stringify(fileId)}.`,
    )
  }
  // By the rules of a list that a request holds.
  const list = videoPurify.input.safeParse({
    ...{ file_id: fileId, phase: 'purify', regions: listed.regions },
    protect_regions: listed.protect_regions,
  })
  const placeOf = placesIn(listed)
  if (!list.success) {
    throw refuse(
      describeIssues(list.error, 'file', placeOf),
      `Correct the regions it names, or give ${form}.`,
    )
  }
  const { regions = [], protect_regions } = list.data
  const late = regions.findIndex(({ start = 0 }) => start >= end)
  if (late >= 0) {
    const place = placeOf(['regions', late, 'start'])
    throw refuse(`${place}: is not before the end of the video (${end} s)`, `Give a start below ${end}.`)
  }
  return { regions, protect_regions }
}
