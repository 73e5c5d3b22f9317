import { readFile } from 'node:fs/promises'
import { maxRegions, rethrowWithRegionsHint } from '../../src/contract/regions.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { detectText } from '../../src/engines/vision/detect-text.ts'
import type { MarkedRegions } from '../../src/media/clean/masks.ts'
import { pictureEnd } from '../../src/media/frame-rate.ts'
import type { Region } from '../../src/media/clean/region.ts'
import type { LimitRegionsResult } from '../../src/media/text/regions.ts'
import { readDetection } from './detection.ts'
import { checkVideo } from './plan.ts'
import { searchesText, type PurifyInput } from './estimate.ts'

/** Share of the progress for text detection before treatment, in percent. */
export const searchPercent = 30

/** Returns the regions to treat: detected or listed ones. */
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

/**
 * Returns regions with start and end, by default the whole video. An end at the stated end of the video becomes open,
 * as the video may be longer than stated.
 */
function completeRegions(list: NonNullable<PurifyInput['regions']>, videoEnd: number): Region[] {
  return list.map(({ x, y, w, h, start = 0, end = Infinity }) => {
    return { x, y, w, h, start, end: end >= videoEnd ? openEnd : end }
  })
}

/** Later than the end of any video, in seconds. */
const openEnd = 1e6

/** Limit of detected regions to treat: the JSON of more is too long to keep. */
export const maxTreatedRegions = 500_000

/** Detects text, or returns what an earlier attempt detected. */
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
  // A video may be longer than stated. Regions after the stated end are treated, but a list cannot contain them.
  const bounds =
    input.phase === 'detect' ? { most: maxRegions, until: pictureEnd(video) } : { most: maxTreatedRegions }
  const search = { ...(within && { within }), subtitles: scope === 'subtitle', ...bounds }
  const finished = await openStepCache(steps)
  // The stored form of a finished step must not change, so that a newer version resumes its tasks.
  const found = await finished.text('found', { file_id, ...search }, async () => {
    const options = { ...search, threads, signal, onProgress: progress }
    const detected = await detectText(path, facts, options).catch(rethrowWithRegionsHint)
    return JSON.stringify({ regions: detected.regions, left: detected.dropped })
  })
  const { regions, left: dropped } = JSON.parse(found) as {
    readonly regions: LimitRegionsResult['regions']
    readonly left: number
  }
  return { regions, dropped }
}
