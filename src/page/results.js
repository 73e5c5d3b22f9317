/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { TaskSubject } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { element } from './dom.js'
import { download, showFile } from './media.js'
import { resultCards } from './result-cards.js'

/** With more files than this, none is preloaded before it is played. */
const loadedAtOnce = 4

/**
 * Ids of the files a task created: those with a `download_url`. A file id without one is an input.
 *
 * @param {unknown} output
 * @returns {string[]}
 */
export function resultIds(output) {
  if (typeof output !== 'object' || output === null) return []
  const fields = new Map(Object.entries(output))
  const direct = [...fields].flatMap(([name, value]) => {
    const id = fields.get(name.replace(/download_url$/, 'file_id'))
    return name.endsWith('download_url') && typeof value === 'string' && typeof id === 'string' ? [id] : []
  })
  return [...new Set([...direct, ...[...fields.values()].flatMap(resultIds)])]
}

/**
 * Result of a completed task: its files that still exist, cards of what it found or described, and the complete output.
 *
 * @param {Api} api
 * @param {{ readonly files: readonly FileRecord[], readonly inputs: TaskSubject['files'] }} files of the result, and of the request
 * @param {Readonly<Record<string, unknown>>} output
 */
export async function showResults(api, { files, inputs }, output) {
  const preload = files.length > loadedAtOnce ? 'none' : 'metadata'
  /** @type {HTMLElement[]} */
  const shown = await Promise.all(files.map((file) => result(api, file, preload)))
  shown.push(...(await resultCards(api, output, inputs)))
  if (files.length < resultIds(output).length) {
    shown.push(element('p', { className: 'aside' }, 'Other result files were deleted or have expired.'))
  }
  const whole = element(
    'details',
    {},
    element('summary', {}, 'Complete output'),
    element('pre', {}, JSON.stringify(output, undefined, 2)),
  )
  return element('div', { className: 'results' }, ...shown, whole)
}

/**
 * @param {Api} api
 * @param {FileRecord} file
 * @param {'metadata' | 'none'} preload
 */
async function result(api, file, preload) {
  const shown = await showFile(api, file, { preload, isNamed: true })
  shown.append(element('div', { className: 'actions' }, download(api, file)))
  return shown
}
