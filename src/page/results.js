/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { Api } from './api.js'
 */
import { element } from './dom.js'
import { download, showFile } from './media.js'

/** Of more files than these nothing is loaded before one is played. */
const loadedAtOnce = 4

/**
 * Ids of the files a task made: each that comes with its `download_url`; one without is an input.
 *
 * @param {unknown} output
 * @returns {string[]}
 */
export function resultIds(output) {
  if (typeof output !== 'object' || output === null) return []
  const fields = new Map(Object.entries(output))
  const own = [...fields].flatMap(([name, value]) => {
    const id = fields.get(name.replace(/download_url$/, 'file_id'))
    return name.endsWith('download_url') && typeof value === 'string' && typeof id === 'string' ? [id] : []
  })
  return [...new Set([...own, ...[...fields.values()].flatMap(resultIds)])]
}

/**
 * What a completed task made: its files to play, as far as they are still there, and whatever else it tells.
 *
 * @param {Api} api
 * @param {readonly FileRecord[]} files
 * @param {Readonly<Record<string, unknown>>} output
 */
export async function showResults(api, files, output) {
  const preload = files.length > loadedAtOnce ? 'none' : 'metadata'
  const shown = await Promise.all(files.map((file) => result(api, file, preload)))
  if (files.length < resultIds(output).length) {
    shown.push(element('p', { className: 'aside' }, 'What is missing here was deleted, or has expired.'))
  }
  const whole = element(
    'details',
    {},
    element('summary', {}, 'All that the task answered'),
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
