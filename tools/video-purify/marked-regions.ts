import { readFile } from 'node:fs/promises'
import { maxRegions } from '../../src/contract/regions.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { stepsIn } from '../../src/engines/ffmpeg/steps.ts'
import { detectText } from '../../src/engines/vision/detect-text.ts'
import type { MarkedRegions } from '../../src/media/clean/masks.ts'
import { pictureEnd } from '../../src/media/frame-rate.ts'
import type { Region } from '../../src/media/clean/region.ts'
import type { LimitRegionsResult } from '../../src/media/text/regions.ts'
import { readDetection } from './detection.ts'
import { checkVideo } from './plan.ts'
import { searchesText, type PurifyInput } from './estimate.ts'

/** Share of the work that finding text is, where what is found is treated too, percent. */
export const searchPercent = 30

/** What is treated: what was found, or what is listed. */
export async function resolveMarkedRegions(
  input: PurifyInput,
  file: StagedFile,
  context: RunContext,
): Promise<{ readonly marked: MarkedRegions; readonly found?: LimitRegionsResult }> {
  const end = pictureEnd(checkVideo(file).video)
  const protect = completeRegions(input.protect_regions, end)
  if (searchesText(input)) {
    const found = await searchText(input, file, {
      ...context,
      progress: (percent) => context.progress((searchPercent * percent) / 100),
    })
    return { marked: { remove: found.regions, protect }, found }
  }
  if (input.regions_file_id === undefined) {
    return { marked: { remove: completeRegions(input.regions ?? [], end), protect } }
  }
  const { name, path } = context.files.get(input.regions_file_id)
  const listed = readDetection({ name, text: await readFile(path, 'utf8') }, { fileId: file.file_id, end })
  return {
    marked: {
      remove: completeRegions(listed.regions, end),
      protect: [...protect, ...completeRegions(listed.protect_regions, end)],
    },
  }
}

/** Regions with their times, by default the whole video. A header may tell an earlier end than there is. */
function completeRegions(list: NonNullable<PurifyInput['regions']>, videoEnd: number): Region[] {
  return list.map(({ x, y, w, h, start = 0, end = Infinity }) => {
    return { x, y, w, h, start, end: end >= videoEnd ? openEnd : end }
  })
}

/** Later than any video ends, s. */
const openEnd = 1e6

/** Most regions that are found to be treated; more make a text of JSON too long to be kept. */
export const maxTreatedRegions = 500_000

/** Text is found once: what an earlier attempt found stays found. */
export async function searchText(
  input: PurifyInput,
  file: StagedFile,
  context: RunContext,
): Promise<LimitRegionsResult> {
  const { scratch: _, steps, threads, signal, progress } = context
  const { facts, path, file_id } = file
  if (!facts?.video) return { regions: [], dropped: 0 }
  const { video } = facts
  const scope = input.phase === 'detect' ? input.detect_scope : input.purify_scope
  const rois =
    input.phase === 'detect' ? (input.detect_roi ? [{ ...input.detect_roi }] : []) : (input.rois ?? [])
  const within = scope === 'custom' ? completeRegions(rois, pictureEnd(video)) : undefined
  // Where a header tells an early end, pictures may come after it: they are treated, and no list holds them.
  const bounds =
    input.phase === 'detect' ? { most: maxRegions, until: pictureEnd(video) } : { most: maxTreatedRegions }
  const wish = { ...(within && { within }), subtitles: scope === 'subtitle', ...bounds }
  const finished = await stepsIn(steps)
  const found = await finished.text('found', { file_id, ...wish }, async () =>
    JSON.stringify(await detectText(path, facts, { ...wish, threads, signal, onProgress: progress })),
  )
  return JSON.parse(found) as LimitRegionsResult
}
