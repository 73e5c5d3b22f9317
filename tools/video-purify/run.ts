import { constants, copyFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type {
  GivenFile,
  ReadyOperation,
  RunContext,
  RunOperation,
  StagedFile,
} from '../../src/contract/operation.ts'
import { toneMapFilters } from '../../src/engines/ffmpeg/colour.ts'
import { requireFilters } from '../../src/engines/ffmpeg/filters.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { findText } from '../../src/engines/vision/find-text.ts'
import { learnedSums } from '../../src/engines/vision/learned-models.ts'
import { requireTextDetection } from '../../src/engines/vision/require.ts'
import type { Marked } from '../../src/media/clean/masks.ts'
import { endOf } from '../../src/media/clean/rate.ts'
import type { FoundRegion, Region } from '../../src/media/clean/region.ts'
import { cleanVideo, footageOf } from './clean.ts'
import type { videoPurify } from './contract.ts'
import { listable, readDetection, writeDetection } from './detection.ts'
import { notesOf } from './notes.ts'
import {
  checkLength,
  checkTreated,
  checkVideo,
  expectedSeconds,
  isSearched,
  isTreated,
  type PurifyInput,
} from './plan.ts'
import { stepsIn } from './steps.ts'

/** Finds text, or takes what is listed, and treats it; or only finds it. */
export const run: RunOperation<typeof videoPurify> = async (input, context) => {
  const file = context.files.get(input.file_id)
  const phase = input.phase === undefined ? {} : { phase: input.phase }
  if (input.phase === 'detect') return { ...phase, ...(await detect(input, file, context)) }
  const { marked, found } = await markedOf(input, file, context)
  const told = found ? { regions_found: found.length } : {}
  if (marked.remove.length === 0) {
    const copy = await copied(file, context)
    return { ...phase, ...copy, ...told, unchanged: true, ...(found ? { notes: ['no text was found'] } : {}) }
  }
  const { video } = checkVideo(file)
  const footage = await footageOf(file, context.signal)
  // A header may tell less than there is.
  const seconds = footage.stream.lasts
  checkTreated(file.name, video, { seconds, input })
  await readyToTreat(input, file)
  const { path, kept } = await cleanVideo(
    {
      ...{ file, footage, marked },
      treatment: input.purify_func_type === 'raft' ? 'inpainting' : 'blur',
      timeoutMs: (10 * 60 + 60 * expectedSeconds(input, { video, seconds })) * 1000,
      onShare: (share) => context.progress(found ? searching + (99 - searching) * share : 99 * share),
    },
    context,
  )
  const notes = notesOf(file, footage, kept)
  return {
    ...phase,
    ...context.keep({ path, name: `${nameOf(file)}-clean${kept.extension}` }),
    ...told,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** Throws 6401 where ffmpeg, what finds text, what a set model needs, or for HDR what maps it to standard range is missing. */
export const ready: ReadyOperation<typeof videoPurify> = async (request) => {
  await locateFfmpeg()
  if (!request) return
  if (isSearched(request.input)) await requireTextDetection()
  // A list in a file may be empty.
  if (isTreated(request.input) && request.input.regions_file_id === undefined)
    await readyToTreat(request.input, request.files.get(request.input.file_id))
}

async function readyToTreat({ purify_func_type }: PurifyInput, { name, facts }: GivenFile): Promise<void> {
  if (purify_func_type === 'raft') await learnedSums()
  if (facts?.video?.hdr)
    await requireFilters(toneMapFilters, { because: `${name} is HDR`, instead: 'convert it to SDR first' })
}

/** Share of the work that finding text is, where what is found is treated too, percent. */
const searching = 30

async function detect(input: PurifyInput, file: StagedFile, context: RunContext) {
  const { video } = checkVideo(file)
  const found = await search(input, file, { ...context, progress: (percent) => context.progress(percent) })
  const path = join(context.scratch, 'regions.json')
  const listed = listable(found, video)
  await writeFile(path, writeDetection({ file_id: file.file_id, video }, listed))
  const { file_id, download_url } = context.keep({ path, name: `${nameOf(file)}-regions.json` })
  return { regions_file_id: file_id, regions_download_url: download_url, regions_found: listed.length }
}

/** What is treated: what was found, or what is listed. */
async function markedOf(
  input: PurifyInput,
  file: StagedFile,
  context: RunContext,
): Promise<{ readonly marked: Marked; readonly found?: readonly FoundRegion[] }> {
  const end = endOf(checkVideo(file).video)
  const protect = complete(input.protect_regions, end)
  if (isSearched(input)) {
    const found = await search(input, file, {
      ...context,
      progress: (percent) => context.progress((searching * percent) / 100),
    })
    return { marked: { remove: found, protect }, found }
  }
  if (input.regions_file_id === undefined) {
    return { marked: { remove: complete(input.regions ?? [], end), protect } }
  }
  const list = context.files.get(input.regions_file_id)
  const listed = await readDetection(list, { fileId: file.file_id, end })
  return {
    marked: {
      remove: complete(listed.regions, end),
      protect: [...protect, ...complete(listed.protect_regions, end)],
    },
  }
}

/** Regions with their times, by default the whole video. A header may tell an earlier end than there is. */
function complete(list: NonNullable<PurifyInput['regions']>, videoEnd: number): Region[] {
  return list.map(({ x, y, w, h, start = 0, end = Infinity }) => {
    return { x, y, w, h, start, end: end >= videoEnd ? wholeLength : end }
  })
}

/** Later than any video ends, s. */
const wholeLength = 1e6

/** Text is found once: what an earlier attempt found stays found. */
async function search(input: PurifyInput, file: StagedFile, context: RunContext): Promise<FoundRegion[]> {
  const { scratch: _, steps, threads, signal, progress } = context
  const { facts, path, file_id } = file
  if (!facts?.video) return []
  const { video } = facts
  const scope = input.phase === 'detect' ? input.detect_scope : input.purify_scope
  const rois =
    input.phase === 'detect' ? (input.detect_roi ? [{ ...input.detect_roi }] : []) : (input.rois ?? [])
  const within = scope === 'custom' ? complete(rois, endOf(video)) : undefined
  const wish = { ...(within && { within }), subtitles: scope === 'subtitle' }
  const finished = await stepsIn(steps)
  const found = await finished.text('found', { file_id, ...wish }, async () => {
    // A header may tell less than there is.
    checkLength(file.name, (await pictureStream(path, video, { signal })).lasts)
    return JSON.stringify(await findText(path, facts, { ...wish, threads, signal, onProgress: progress }))
  })
  return JSON.parse(found) as FoundRegion[]
}

async function copied(file: StagedFile, context: RunContext) {
  const { base, ext } = parse(file.name)
  const path = join(context.scratch, `copy${ext}`)
  await copyFile(file.path, path, constants.COPYFILE_FICLONE)
  return context.keep({ path, name: base })
}

/** Of a file's name what tells one from another. */
function nameOf({ name }: StagedFile): string {
  return [...parse(name).name].slice(0, 60).join('')
}
