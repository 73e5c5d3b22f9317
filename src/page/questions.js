/**
 * @import { OpenQuestion } from '../contract/questions.ts'
 * @import { Api } from './api.js'
 * @import { Field } from './answer-fields.js'
 */
import { answerField } from './answer-fields.js'
import { button, element } from './dom.js'
import { moment } from './format.js'

/**
 * The open questions of a task to its agent, each with a form, so that a person can answer instead.
 *
 * @typedef {{
 *   readonly id: string,
 *   readonly forms: Map<string, HTMLElement>,
 *   readonly refresh: () => Promise<void>,
 * }} AskingTask `forms` by question, which keep what was entered; `refresh` is called after an answer was accepted
 *
 * @param {Api} api
 * @param {AskingTask} task
 */
export async function showQuestions(api, task) {
  const { questions, answer_before } = await api.questions(task.id)
  if (questions.length === 0) return element('p', { className: 'aside' }, 'No open questions.')
  const about = element(
    'p',
    { className: 'aside' },
    'The agent that created this task answers these. You can answer instead: the first answer counts.',
    ...(answer_before ? [' The task fails on ', moment(answer_before), '.'] : []),
  )
  return element(
    'div',
    { className: 'questions' },
    about,
    ...questions.map((question) => {
      const form = task.forms.get(question.question_id) ?? questionForm(api, question, task)
      task.forms.set(question.question_id, form)
      return form
    }),
  )
}

/**
 * @param {Api} api
 * @param {OpenQuestion} question
 * @param {AskingTask} task
 */
function questionForm(api, question, { id, refresh }) {
  const { instructions, input, answer_schema, images = [], problems = [] } = question
  /** @type {[string, Field][]} */
  const fields = Object.entries(propertiesOf(answer_schema)).map(([name, schema]) => [
    name,
    answerField(name, schema, input[name]),
  ])
  // An input that an answer field shows beside its rows is not repeated.
  const rest = Object.entries(input).filter(([name]) => !fields.some(([field]) => field === name))
  const problemList = element(
    'ul',
    { className: 'problems' },
    ...problems.map((one) => element('li', {}, one)),
  )
  const send = button('Send answer', async () => {
    const answer = Object.fromEntries(fields.map(([name, { read }]) => [name, read()]))
    const { answers } = await api.answer(id, [{ question_id: question.question_id, answer }])
    const [{ outcome, problems: found = [] } = { outcome: 'ignored' }] = answers
    if (outcome === 'rejected') problemList.replaceChildren(...found.map((one) => element('li', {}, one)))
    else await refresh()
  })
  return element(
    'form',
    { className: 'question' },
    ...instructions.split('\n').map((line) => element('p', {}, line)),
    ...images.map(({ url }) => questionImage(api, url)),
    ...(rest.length === 0 ? [] : [givenData(Object.fromEntries(rest))]),
    ...fields.map(([, { node }]) => node),
    problemList,
    element('div', { className: 'actions' }, send),
  )
}

/**
 * @param {Readonly<Record<string, unknown>>} schema
 * @returns {Record<string, Record<string, unknown>>}
 */
function propertiesOf({ properties }) {
  return /** @type {Record<string, Record<string, unknown>>} */ (properties ?? {})
}

/** @param {object} data */
function givenData(data) {
  return element(
    'details',
    { open: true },
    element('summary', {}, 'Given'),
    element('pre', {}, JSON.stringify(data, undefined, 2)),
  )
}

/**
 * @param {Api} api
 * @param {string} url
 */
function questionImage(api, url) {
  const image = element('img', { alt: 'Image of the question', className: 'asked' })
  void showImage(image, api.image(url))
  return image
}

/**
 * Shows an image of this page's memory, and releases its address.
 *
 * @param {HTMLImageElement} image
 * @param {Promise<string>} source
 */
async function showImage(image, source) {
  image.src = await source
  await image.decode().catch(() => undefined)
  URL.revokeObjectURL(image.src)
}
