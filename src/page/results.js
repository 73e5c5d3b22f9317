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
 * Ids of the files a task created, in the order of the output, outer ones first: each `<role>_file_id` with a
 * `<role>_download_url` or `<role>_file_download_url`, and `file_id` with `download_url`. An id without a URL is an
 * input. An empty id means that the file was not created.
 *
 * @param {unknown} output
 * @returns {string[]}
 */
export function resultIds(output) {
  if (typeof output !== 'object' || output === null) return []
  const fields = new Map(Object.entries(output))
  const direct = [...fields].flatMap(([name, id]) => {
    if (!/(?:^|_)file_id$/.test(name) || typeof id !== 'string' || id === '') return []
    const addresses = [/file_id$/, /id$/].map((end) => fields.get(name.replace(end, 'download_url')))
    return addresses.some((address) => typeof address === 'string') ? [id] : []
  })
  return [...new Set([...direct, ...[...fields.values()].flatMap(resultIds)])]
}

/**
 * The remarks on a result, a paragraph each.
 *
 * @param {Readonly<Record<string, unknown>>} output
 */
function remarks({ notes }) {
  const lines = Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : []
  return lines.map((line) => element('p', {}, line))
}

/**
 * Result of a completed task: its files that still exist, its remarks, cards of what it found or described, and the complete output.
 *
 * @param {Api} api
 * @param {{ readonly files: readonly FileRecord[], readonly inputs: TaskSubject['files'] }} files of the result, and of the request
 * @param {Readonly<Record<string, unknown>>} output
 */
export async function showResults(api, { files, inputs }, output) {
  const preload = files.length > loadedAtOnce ? 'none' : 'metadata'
  /** @type {HTMLElement[]} */
  const shown = await Promise.all(files.map((file) => result(api, file, preload)))
  shown.push(...remarks(output), ...(await resultCards(api, output, inputs)))
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
