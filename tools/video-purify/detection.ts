import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { MediaError } from '../../src/contract/errors.ts'
import { describeIssues } from '../../src/contract/issues.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { rateOf } from '../../src/media/clean/rate.ts'
import type { FoundRegion } from '../../src/media/clean/region.ts'
import { videoPurify } from './contract.ts'
import type { PurifyInput } from './plan.ts'

/** The detection result file (contract 2, 2.2). */
const detection = z.object({
  version: z.literal(1),
  source: z.object({ file_id: z.string() }),
  regions: z.array(z.unknown()),
})

/** What a detection found, as its result file tells it. */
export function writeDetection(
  { file_id, video, seconds }: { file_id: string; video: VideoFacts; seconds: number },
  found: readonly FoundRegion[],
): string {
  const { num, den } = rateOf(video)
  const regions = found.map(({ score, ...region }, index) => ({
    ...{ id: `text-${index + 1}`, source: 'detected', ...region },
    end: Math.min(region.end, Math.max(seconds, region.start)),
    score: Math.round(score * 1000) / 1000,
  }))
  const { width, height } = video
  return `${JSON.stringify(
    {
      version: 1,
      source: { file_id },
      video: { width, height, duration: seconds, fps: num / den, fps_exact: `${num}/${den}` },
      regions,
    },
    null,
    1,
  )}\n`
}

/** The regions of a detection result, edited or not. Throws 6016 where it is none, or another video's. */
export async function readDetection(
  { path, name }: Pick<StagedFile, 'path' | 'name'>,
  { fileId, seconds }: { fileId: string; seconds: number },
): Promise<NonNullable<PurifyInput['regions']>> {
  const refuse = (what: string, hint: string) =>
    new MediaError(6016, `regions_file_id: ${name} ${what}`, { hint })
  const read = detection.safeParse(parse(await readFile(path, 'utf8')))
  if (!read.success) {
    throw refuse(
      `is no detection result: ${describeIssues(read.error, 'file')}`,
      'Give the JSON file that phase detect answered, edited or not.',
    )
  }
  if (read.data.source.file_id !== fileId) {
    throw refuse('is of another video', 'Detect in this video, or give source.file_id of the video it is of.')
  }
  // By the rules of a list that a request holds.
  const list = videoPurify.input.safeParse({ file_id: fileId, phase: 'purify', regions: read.data.regions })
  if (!list.success) throw refuse(describeIssues(list.error, 'file'), 'Correct the regions it names.')
  const regions = list.data.regions ?? []
  const late = regions.findIndex(({ start = 0 }) => start >= seconds)
  if (late >= 0)
    throw refuse(
      `regions[${late}].start is not before the end of the video`,
      `Give a start below ${seconds}.`,
    )
  return regions
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
