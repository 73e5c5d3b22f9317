/**
 * @import { TaskListItem, TaskRecord } from '../contract/task.ts'
 * @import { Api } from './api.js'
 */
import { element } from './dom.js'
import { PagedList } from './list.js'
import { TaskListRow } from './task-row.js'
import { stateNames } from './format.js'

const filters = /** @type {const} */ (['queued', 'processing', 'completed', 'failed', 'cancelled'])

/**
 * Live view of all tasks, newest first.
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
  /** @type {Map<string, TaskRecord>} Progress events since the list was requested, whose items may be older. */
  const progressEvents = new Map()
  const tasks = new PagedList({
    label: 'Tasks',
    load: (page) => {
      progressEvents.clear()
      return api.tasks({ page, status: filter.value || undefined })
    },
    shown: (items) => {
      void showSubjects(items)
      for (const task of progressEvents.values()) tasks.row(task.id)?.progressed(task)
    },
    idOf: ({ id }) => id,
    makeRow: (item, refresh) => new TaskListRow(api, item, refresh),
    empty: 'No tasks here. New tasks appear at once.',
  })
  /**
   * Shows the subjects of rows that do not show theirs yet. Without a response nothing is shown.
   *
   * @param {readonly TaskListItem[]} items
   */
  const showSubjects = async (items) => {
    const ids = items.map(({ id }) => id).filter((id) => tasks.row(id)?.needsSubject)
    if (ids.length === 0) return
    for (const subject of await api.subjects(ids).catch(() => []))
      tasks.row(subject.task_id)?.showSubject(subject)
  }
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
      progressEvents.set(task.id, task)
      tasks.row(task.id)?.progressed(task)
    },
  }
}
