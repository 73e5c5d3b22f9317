/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { TaskListItem } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { element, facts } from './dom.js'
import { resultIds, showResults } from './results.js'
import { credits, moment } from './words.js'

/** Files of a task that are told: as many as one page holds. */
const mostFiles = 100

/**
 * All about a task: what it was given and made, what it cost, and when.
 *
 * @param {Api} api
 * @param {TaskListItem} item
 */
export async function showDetails(api, item) {
  const [{ status, output_result }, { list: ledger }, { list: files }] = await Promise.all([
    api.task(item.task_type_key, item.id),
    api.ledger({ task_id: item.id }),
    api.files({ task_id: item.id, page_size: mostFiles }),
  ])
  const ids = resultIds(output_result)
  const made = ids.flatMap((id) => files.find(({ file_id }) => file_id === id) ?? [])
  const given = files.filter(({ file_id }) => !ids.includes(file_id)).toReversed()
  const about = facts([...given.map(nameOf), ...describe(item, ledger)])
  if (status !== 'completed' || !output_result) return about
  return element('div', {}, await showResults(api, made, output_result), about)
}

/**
 * @param {FileRecord} file
 * @param {number} index
 * @returns {[string, string]}
 */
function nameOf({ original_name }, index) {
  return [index === 0 ? 'Made from' : '', original_name]
}

/**
 * @param {TaskListItem} task
 * @param {Awaited<ReturnType<Api['ledger']>>['list']} ledger
 */
function describe({ id, task_type_key, priority, process_start_time, finish_time }, ledger) {
  const spent = ledger.reduce((sum, { amount }) => sum - amount, 0)
  const isReturned = ledger.some(({ kind }) => kind === 'refund')
  /** @type {[string, string | Node][]} */
  const rows = [
    ['Task', element('code', {}, id)],
    ['Type', element('code', {}, task_type_key)],
    ['Priority', priority],
    ['Cost', isReturned ? 'nothing: its credits came back' : credits(spent)],
  ]
  if (process_start_time) rows.push(['Started', moment(process_start_time)])
  if (finish_time) rows.push(['Ended', moment(finish_time)])
  return rows
}
