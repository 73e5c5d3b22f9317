import { constants, copyFile, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { maxRegions } from '../../src/contract/regions.ts'
import type { RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { cleanVideo } from '../../src/engines/clean/clean-video.ts'
import type { videoPurify } from './contract.ts'
import { writeDetection } from './detection.ts'
import { resolveMarkedRegions, maxTreatedRegions, searchText, searchPercent } from './marked-regions.ts'
import { omittedRegionsNote, describeChanges } from './notes.ts'
import { checkLimits, checkPricedLength, checkTreated, checkVideo } from './plan.ts'
import { treatmentRequirements } from './requirements.ts'
import { wholePicture } from '../../src/engines/clean/parts.ts'
import { purifySeconds, searchesText, type PurifyInput } from './estimate.ts'

/** Detects text or reads listed regions, and treats them; with phase detect only detects. */
export const run: RunOperation<typeof videoPurify> = async (input, context) => {
  const file = context.files.get(input.file_id)
  const { video, seconds: priced } = checkVideo(file)
  // Read the list first: it may be invalid, and reading the whole video takes minutes.
  const listed = searchesText(input) ? undefined : await resolveMarkedRegions(input, file, context)
  if (listed && listed.marked.remove.length > 0) checkTreated(file.name, video, { seconds: priced, input })
  const footage = await wholePicture(file, context.signal)
  // The video may be longer than its header states.
  const seconds = footage.stream.durationSeconds
  checkLimits(input, file, { video, seconds })
  checkPricedLength(file.name, priced, seconds)
  const phase = input.phase === undefined ? {} : { phase: input.phase }
  if (input.phase === 'detect') return { ...phase, ...(await runDetection(input, file, context)) }
  const { marked, found } = listed ?? (await resolveMarkedRegions(input, file, context))
  const counts = found ? { regions_found: found.regions.length + found.dropped } : {}
  const omitted = omittedRegionsNote(
    found?.dropped ?? 0,
    `one task treats at most ${maxTreatedRegions}. Clean area by area with purify_scope custom`,
  )
  if (marked.remove.length === 0) {
    const notes = found && omitted.length === 0 ? ['no text was found'] : omitted
    const copy = await keepCopy(file, context)
    return { ...phase, ...copy, ...counts, unchanged: true, ...(notes.length > 0 ? { notes } : {}) }
  }
  checkTreated(file.name, video, { seconds, input })
  await requireAll(treatmentRequirements(input, file))
  const { path, ...cleaned } = await cleanVideo(
    {
      ...{ file, footage, marked },
      treatment: input.purify_func_type === 'raft' ? 'inpainting' : 'blur',
      timeoutMs: (10 * 60 + 60 * purifySeconds(input, { video, seconds })) * 1000,
      onShare: (share) => context.progress(found ? searchPercent + (99 - searchPercent) * share : 99 * share),
    },
    context,
  )
  const { size } = await stat(path)
  const notes = [...omitted, ...describeChanges(file, footage, { ...cleaned, size })]
  return {
    ...phase,
    ...context.keep({ path, name: `${shortStem(file)}-clean${cleaned.kept.extension}` }),
    ...counts,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

async function runDetection(input: PurifyInput, file: StagedFile, context: RunContext) {
  const { video } = checkVideo(file)
  const { regions, dropped: omitted } = await searchText(input, file, {
    ...context,
    progress: (percent) => context.progress(percent),
  })
  const path = join(context.scratch, 'regions.json')
  await writeFile(path, writeDetection({ file_id: file.file_id, video }, regions))
  const { file_id, download_url } = context.keep({ path, name: `${shortStem(file)}-regions.json` })
  const wayOut = 'Clean in one request with purify_scope, or detect area by area with detect_scope custom'
  const notes = omittedRegionsNote(omitted, `a list holds at most ${maxRegions}. ${wayOut}`)
  return {
    ...{ regions_file_id: file_id, regions_download_url: download_url, regions_found: regions.length },
    ...(notes.length > 0 ? { notes } : {}),
  }
}

async function keepCopy(file: StagedFile, context: RunContext) {
  const { base, ext } = parse(file.name)
  const path = join(context.scratch, `copy${ext}`)
  await copyFile(file.path, path, constants.COPYFILE_FICLONE)
  return context.keep({ path, name: base })
}

/** Returns the start of a file's name, without its extension. */
function shortStem({ name }: StagedFile): string {
  return [...parse(name).name].slice(0, 60).join('')
}
