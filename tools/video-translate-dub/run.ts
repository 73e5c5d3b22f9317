import { MediaError } from '../../src/contract/errors.ts'
import type { RunOperation } from '../../src/contract/operation.ts'
import type { videoTranslateDub } from './contract.ts'
import { DerivedFailures, type DubJob } from './dub-job.ts'
import { hearSource } from './hear-source.ts'
import { keepFiles } from './keep-files.ts'
import { renderDub } from './render-dub.ts'
import { dubReport, silentLineNotes } from './report.ts'
import { speakDub } from './speak-dub.ts'

/** Progress at the end of each stage, percent. */
const stages = {
  ...{ separated: 20, heard: 40, prepared: 44, translated: 52, spoken: 78 },
  ...{ pictured: 88, laid: 91, mixed: 98 },
} as const

/** Recognises what is said, translates it, speaks it line by line, and writes the dub with its files. */
export const run: RunOperation<typeof videoTranslateDub> = async (input, context) => {
  const source = context.files.get(input.file_id)
  const { facts } = source
  if (!facts) throw new MediaError(6014, `file_id: ${source.name} has no sound`)
  const job: DubJob = {
    ...{ input, context, source: { ...source, facts }, notes: [] },
    ...{ failures: new DerivedFailures(context.signal), name: resultName(source.name, input.target_lang) },
  }
  const heard = await hearSource(job, stages)
  const spoken = await speakDub(heard, job, stages)
  const sound = input.keep_bgm ? heard.sound : undefined
  const rendered = await renderDub(spoken.lines, sound, { job, stages })
  const files = await keepFiles(rendered, spoken.lines, { job, sound })
  const notes = [...new Set([...job.notes, ...silentLineNotes(spoken.lines)])]
  return {
    ...files,
    report: dubReport({ heard, spoken, rendered }, job),
    errors: job.failures.errors,
    ...(notes.length > 0 && { notes }),
  }
}

/** Longest part of the name of a source in the names of results. */
const maxNameLength = 60

function resultName(source: string, language: string): string {
  const name = [...source.replace(/\.[^.]+$/u, '')].slice(0, maxNameLength).join('')
  return `${name}.${language}`
}
