/**
 * @import { TaskRecord } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { element } from './dom.js'
import { PagedList } from './list.js'
import { TaskRow } from './task-row.js'
import { stateNames } from './words.js'

const filters = /** @type {const} */ (['queued', 'processing', 'completed', 'failed', 'cancelled'])

/**
 * All tasks, newest first, as they change.
 *
 * @param {Api} api
 */
export function tasksView(api) {
  const filter = element(
    'select',
    { id: 'state' },
    element('option', { value: '' }, 'All'),
    ...filters.map((state) => element('option', { value: state }, stateNames[state])),
  )
  /** @type {Map<string, TaskRecord>} Progress told since the list was asked for: what it tells may be older. */
  const told = new Map()
  const tasks = new PagedList({
    label: 'Tasks',
    load: (page) => {
      told.clear()
      return api.tasks({ page, status: filter.value || undefined })
    },
    shown: () => {
      for (const task of told.values()) tasks.row(task.id)?.progressed(task)
    },
    idOf: ({ id }) => id,
    makeRow: (item, refresh) => new TaskRow(api, item, refresh),
    empty: 'No tasks here. What an agent starts shows up at once.',
  })
  filter.addEventListener('change', () => void tasks.turnTo(1))
  const state = element(
    'p',
    { className: 'filter' },
    element('label', { htmlFor: filter.id }, 'State '),
    filter,
  )
  return {
    title: 'Tasks',
    node: element('div', {}, state, tasks.node),
    refresh: tasks.refresh,
    /** @param {TaskRecord} task */
    progressed: (task) => {
      told.set(task.id, task)
      tasks.row(task.id)?.progressed(task)
    },
  }
}
