/**
 * @import { TaskError, TaskListItem, TaskRecord, TaskSubject } from '../contract/task.ts'
 * @import { Api } from './api.js'
 * @import { QuestionForm } from './questions.js'
 */
import { confirmAction } from './confirm.js'
import { Disclosure } from './disclosure.js'
import { button, element, failure, isFocusLost } from './dom.js'
import { showQuestions } from './questions.js'
import { showDetails } from './task-details.js'
import { asked, duration, moment, stateNames, stopped, wasStopped } from './format.js'

/** Most names of input files in the list. */
const namesShown = 3

/** A task in the list: its state, its progress, its error, and its details on request. */
export class TaskListRow {
  #api
  #refresh
  #item
  /** State for which the error and the details are shown; none at first. */
  #shownStatus = ''
  /** Failed because a user stopped it. */
  #isStopped = false
  #state = element('span')
  #times = element('span')
  #subject = element('p', { hidden: true })
  /** Whether the subject was not shown yet. */
  needsSubject = true
  #bar = element('progress', { max: 100 })
  #percent = element('span', { className: 'percent' })
  #progress = element('div', { className: 'progress' }, this.#bar, this.#percent)
  #problem = element('div')
  #details
  #questions
  /** @type {Map<string, QuestionForm>} Forms by question, with what was entered. */
  #forms = new Map()
  #cancel
  #stop

  /**
   * @param {Api} api
   * @param {TaskListItem} item
   * @param {() => Promise<void>} refresh loads the list again
   */
  constructor(api, item, refresh) {
    this.#api = api
    this.#refresh = refresh
    this.#item = item
    const { id, task_type_name, create_time } = item
    const about = `${task_type_name}, ${id}`
    this.#bar.ariaLabel = `Progress of ${about}`
    this.#details = new Disclosure(about, () => showDetails(api, this.#item))
    const answered = async () => {
      await refresh()
      await this.#questions.refill()
    }
    this.#questions = new Disclosure(about, () => showQuestions(api, { id, forms: this.#forms, answered }))
    this.#cancel = button('Cancel', () => this.#act(() => api.cancel(id)), { about })
    this.#stop = button('Stop', () => this.#askToStop(), { about, className: 'danger' })
    this.node = element(
      'li',
      { className: 'row' },
      element('div', { className: 'head' }, element('h2', {}, task_type_name), this.#state),
      this.#subject,
      element('p', { className: 'aside' }, moment(create_time), this.#times),
      this.#progress,
      this.#problem,
      element(
        'div',
        { className: 'actions' },
        ...[this.#questions.toggle, this.#details.toggle, this.#cancel, this.#stop],
      ),
      this.#questions.node,
      this.#details.node,
    )
    this.update(item)
  }

  /** @param {TaskListItem} item */
  update(item) {
    this.#item = item
    const { status } = item
    this.#showState()
    this.#times.textContent = timesOf(item)
    this.#progress.hidden = status !== 'processing'
    this.#showProgress(item.progress)
    this.#cancel.hidden = status !== 'queued' && status !== 'created'
    this.#stop.hidden = status !== 'processing'
    this.#showQuestions()
    if (status === this.#shownStatus) return
    this.#shownStatus = status
    this.#problem.replaceChildren()
    if (status === 'failed') void this.#showError()
    void this.#details.setName(status === 'completed' ? 'result' : 'details')
  }

  /**
   * Shows what the task works on: the text of a search, or the names of its files.
   *
   * @param {TaskSubject} subject
   */
  showSubject({ text, files }) {
    this.needsSubject = false
    const names = files.slice(0, namesShown).map(({ name }) => name)
    const more = files.length - names.length
    this.#subject.textContent = text ?? [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')
    this.#subject.hidden = this.#subject.textContent === ''
  }

  #showQuestions() {
    const { questions_open = 0, status } = this.#item
    this.#questions.toggle.hidden = questions_open === 0
    if (status !== 'queued' && status !== 'processing') this.#questions.hide()
    else void this.#questions.setName(questions_open === 1 ? 'question' : `${questions_open} questions`)
  }

  /** @param {TaskRecord} task */
  progressed({ status, progress }) {
    // A new state is shown when the list is loaded again.
    if (status === this.#item.status) this.#showProgress(progress)
  }

  #showState() {
    const { status, questions_open } = this.#item
    this.#state.textContent = this.#isStopped ? stopped : questions_open ? asked : stateNames[status]
    this.#state.className = this.#isStopped ? 'state' : `state ${status}`
  }

  /** @param {number} percent */
  #showProgress(percent) {
    this.#bar.value = percent
    this.#percent.textContent = `${percent} %`
  }

  async #showError() {
    const { task_type_key, id } = this.#item
    const task = await this.#api.task(task_type_key, id).catch(() => undefined)
    if (!task) return
    this.#isStopped = wasStopped(task)
    this.#showState()
    const error = /** @type {TaskError | undefined} */ (task.output_result?.['error'])
    if (error && !this.#isStopped) this.#problem.replaceChildren(failure(error))
  }

  async #askToStop() {
    const isSure = await confirmAction({
      question: 'Stop this task?',
      consequence: 'Its progress is lost. Its credits are refunded.',
      yes: 'Stop it',
    })
    if (isSure) await this.#act(() => this.#api.stop(this.#item.id))
  }

  /** @param {() => Promise<unknown>} action */
  async #act(action) {
    // A rejected request means that the shown state is out of date.
    try {
      await action()
    } finally {
      await this.#refresh()
      // The button that was pressed may be hidden now. Users may also have moved on meanwhile.
      if (isFocusLost()) this.#details.toggle.focus()
    }
  }
}

/** @param {TaskListItem} task */
function timesOf({
  status,
  questions_open,
  actual_duration,
  estimated_duration,
  estimated_queue_wait_duration,
}) {
  if (questions_open) return ''
  const [wait = '', work = ''] = [estimated_queue_wait_duration, estimated_duration].map((seconds) =>
    duration(Math.ceil(seconds)),
  )
  if (status === 'queued') return ` · starts in about ${wait}, takes about ${work}`
  if (status === 'processing') return ` · takes about ${work}`
  return actual_duration === null ? '' : ` · took ${duration(actual_duration)}`
}
