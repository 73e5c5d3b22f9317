/**
 * @import { TaskListItem } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { element, facts } from './dom.js'
import { resultIds, showResults } from './results.js'
import { credits, moment } from './format.js'

/** Files of a task that are shown: one page of the list. */
const mostFiles = 100

/**
 * Details of a task: its input files, results, cost and times.
 *
 * @param {Api} api
 * @param {TaskListItem} item
 */
export async function showDetails(api, item) {
  const [[subject], { status, output_result }, { list: ledger }, { list: files }] = await Promise.all([
    api.subjects([item.id]),
    api.task(item.task_type_key, item.id),
    api.ledger({ task_id: item.id }),
    api.files({ task_id: item.id, page_size: mostFiles }),
  ])
  const ids = resultIds(output_result)
  const results = ids.flatMap((id) => files.find(({ file_id }) => file_id === id) ?? [])
  const inputs = subject?.files ?? []
  // A request may name a file several times.
  const distinct = new Map(inputs.map(({ file_id, name }) => [file_id, name]))
  const about = facts([...[...distinct.values()].map(inputFact), ...describe(item, ledger)])
  if (status !== 'completed' || !output_result) return about
  return element('div', {}, await showResults(api, { files: results, inputs }, output_result), about)
}

/**
 * @param {string} name of the file
 * @param {number} index
 * @returns {[string, string]}
 */
function inputFact(name, index) {
  return [index === 0 ? 'Input' : '', name]
}

/**
 * @param {TaskListItem} task
 * @param {Awaited<ReturnType<Api['ledger']>>['list']} ledger
 */
function describe({ id, task_type_key, priority, process_start_time, finish_time }, ledger) {
  const spent = ledger.reduce((sum, { amount }) => sum - amount, 0)
  const isRefunded = ledger.some(({ kind }) => kind === 'refund')
  /** @type {[string, string | Node][]} */
  const rows = [
    ['Task', element('code', {}, id)],
    ['Type', element('code', {}, task_type_key)],
    ['Priority', priority],
    ['Cost', isRefunded ? 'none: credits refunded' : credits(spent)],
  ]
  if (process_start_time) rows.push(['Started', moment(process_start_time)])
  if (finish_time) rows.push(['Ended', moment(finish_time)])
  return rows
}
