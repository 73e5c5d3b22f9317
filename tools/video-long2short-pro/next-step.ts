import { summarizeList } from '../../src/contract/format.ts'
import type { NextStepContext } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'

/** Parts of a result that the next step describes. */
interface FinishedClips {
  readonly clips: readonly { readonly title: string; readonly file: ResultFile }[]
  readonly errors: Readonly<Record<string, string | undefined>>
}

/** Most files that are named; the result lists all. */
const maxNamed = 3

/** Returns the instruction after clips were finished: what was left out, and which files to look at. */
export function describeFinishedClips(
  { clips, errors }: FinishedClips,
  { nameFile }: NextStepContext,
): string {
  const count = clips.length === 1 ? '1 clip' : `${clips.length} clips`
  const lengths = clips.map(({ file }) => Math.round(file.duration ?? 0))
  const range = [...new Set([Math.min(...lengths), Math.max(...lengths)])].join(' to ')
  const { selection, ...polish } = errors
  const failed = Object.entries(polish).flatMap(([step, reason]) =>
    reason === undefined ? [] : [`${step}: ${reason}`],
  )
  const files = clips.map(({ file }) => JSON.stringify(nameFile(file.file_id)))
  return [
    `${count} of ${range} s.`,
    ...(selection === undefined
      ? []
      : [`Not selected by a language model (${selection}): look at each clip, and write titles that fit.`]),
    ...(failed.length > 0 ? [`Left out or done in a simpler way: ${failed.join('. ')}.`] : []),
    `Look at each clip: call inspect_file with preview contact_sheet and file ${summarizeList(files, maxNamed, ', ')}.`,
    'Tell the user the titles and the paths.',
  ].join(' ')
}
