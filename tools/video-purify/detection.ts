import * as z from 'zod'
import { MediaError } from '../../src/contract/errors.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import {
  exampleRegionsFile,
  parseRegionsFile,
  regionPathFormatter,
  type RegionsFile,
} from '../../src/contract/regions.ts'
import { describeIssues } from '../../src/contract/validation.ts'
import type { FoundRegion } from '../../src/media/clean/region.ts'
import { constantRate, hertz, pictureEnd } from '../../src/media/frame-rate.ts'
import { regionListIssues } from './contract.ts'
import type { PurifyInput } from './estimate.ts'

/** Returns the content of a detection result file (JSON). */
export function writeDetection(
  { file_id, video }: { file_id: string; video: VideoFacts },
  found: readonly FoundRegion[],
): string {
  const rate = constantRate(video)
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
        duration: pictureEnd(video),
        fps: hertz(rate),
        fps_exact: `${rate.num}/${rate.den}`,
      },
      regions,
    },
    null,
    1,
  )}\n`
}

/**
 * Returns the regions and protected regions of a detection result, edited or not. Throws 6016 if the text is not one,
 * or belongs to another video.
 */
export function readDetection(
  { name, text }: { readonly name: string; readonly text: string },
  { fileId, end }: { readonly fileId: string; readonly end: number },
): Pick<RegionsFile, 'regions' | 'protect_regions'> {
  const example = exampleRegionsFile(fileId)
  const form = `the JSON file returned by phase detect, edited or not, or one such as ${example}`
  const refuse = (what: string, hint: string) =>
    new MediaError(6016, `regions_file_id: ${name} ${what}`, { hint })
  const listed = parseRegionsFile(`regions_file_id: ${name}`, text, example)
  const { version, source, regions, protect_regions } = listed
  if (!source || (version ?? null) === null) {
    throw refuse(`is not a detection result: ${source ? 'version' : 'source'}: required`, `Give ${form}.`)
  }
  if (source.file_id !== fileId) {
    throw refuse(
      `belongs to another video (source.file_id ${JSON.stringify(source.file_id)})`,
      `Give file_id ${JSON.stringify(source.file_id)}, or detect in this one. If the regions fit this video ` +
        `too, set source.file_id to ${JSON.stringify(fileId)}.`,
    )
  }
  // Apply the rules for lists in a request.
  const placeOf = regionPathFormatter(listed)
  const issues = regionListIssues(listed)
  if (issues.length > 0) {
    throw refuse(
      describeIssues({ issues }, 'the file', placeOf),
      `Correct the regions it names, or give ${form}.`,
    )
  }
  checkRegionStarts({ regions, protect_regions }, end, (path) => `regions_file_id: ${name} ${placeOf(path)}`)
  return { regions, protect_regions }
}

/** Lists of regions by field name. */
type RegionLists = Readonly<Record<string, NonNullable<PurifyInput['regions']>>>

/**
 * Throws 6016 for a region that starts at or after the end of the video, in seconds. `placeOf` formats its position in
 * the message.
 */
export function checkRegionStarts(
  lists: RegionLists,
  end: number,
  placeOf: (path: readonly PropertyKey[]) => string = z.core.toDotPath,
): void {
  for (const [name, list] of Object.entries(lists)) {
    const late = list.findIndex(({ start = 0 }) => start >= end)
    if (late < 0) continue
    const place = placeOf([name, late, 'start'])
    throw new MediaError(6016, `${place}: is not before the end of the video (${end} s)`, {
      hint: `Give a start below ${end}.`,
    })
  }
}
