/**
 * @import { OpenQuestion } from '../contract/questions.ts'
 * @import { Api } from './api.js'
 */
import { answerField } from './answer-fields.js'
import { button, element } from './dom.js'
import { moment } from './format.js'

/**
 * A form of a question, which keeps what was entered.
 *
 * @typedef {{ readonly node: HTMLElement, readonly showProblems: (problems: readonly string[]) => void }} QuestionForm
 */

/**
 * A task that asks. `forms`: by question. `answered` is called after an answer was accepted, or is no longer asked.
 *
 * @typedef {{
 *   readonly id: string,
 *   readonly forms: Map<string, QuestionForm>,
 *   readonly answered: () => Promise<void>,
 * }} AskingTask
 */

/**
 * The open questions of a task to its agent, each with a form, so that a person can answer instead.
 *
 * @param {Api} api
 * @param {AskingTask} task
 */
export async function showQuestions(api, task) {
  const { questions, answer_before } = await api.questions(task.id)
  if (questions.length === 0) return document.createDocumentFragment()
  const about = element(
    'p',
    { className: 'aside' },
    'The agent that created this task answers these. You can answer instead: the first answer counts.',
    ...(answer_before ? [' The task fails on ', moment(answer_before), '.'] : []),
  )
  const forms = questions.map((question) => {
    const { question_id, problems = [] } = question
    const form = task.forms.get(question_id) ?? questionForm(api, question, task)
    task.forms.set(question_id, form)
    form.showProblems(problems)
    return form.node
  })
  return element('div', { className: 'questions' }, about, ...forms)
}

/**
 * @param {Api} api
 * @param {OpenQuestion} question
 * @param {AskingTask} task
 * @returns {QuestionForm}
 */
function questionForm(api, { question_id, instructions, input, answer_schema, images = [] }, task) {
  const fields = Object.entries(propertiesOf(answer_schema)).map(
    ([name, schema]) => /** @type {const} */ ([name, answerField(name, schema, input[name])]),
  )
  const shown = new Set(fields.flatMap(([name, { showsGiven }]) => (showsGiven ? [name] : [])))
  const rest = Object.entries(input).filter(([name]) => !shown.has(name))
  const problemList = element('ul', { className: 'problems' })
  /** @param {readonly string[]} problems */
  const showProblems = (problems) =>
    problemList.replaceChildren(...problems.map((one) => element('li', {}, one)))
  const send = button('Send answer', async () => {
    const answer = Object.fromEntries(fields.map(([name, { read }]) => [name, read()]))
    const { answers } = await api.answer(task.id, [{ question_id, answer }])
    const [{ outcome, problems = [] } = { outcome: 'ignored' }] = answers
    if (outcome === 'rejected') showProblems(problems)
    else await task.answered()
  })
  const node = element(
    'form',
    { className: 'question' },
    ...instructions.split('\n').map((line) => element('p', {}, line)),
    ...images.map(({ url }) => questionImage(api, url)),
    ...(rest.length === 0 ? [] : [givenData(Object.fromEntries(rest))]),
    ...fields.map(([, { node: field }]) => field),
    problemList,
    element('div', { className: 'actions' }, send),
  )
  // A key that submits forms would load the page again.
  node.addEventListener('submit', (event) => event.preventDefault())
  return { node, showProblems }
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
 * An image of a question. It is read with the key, and drawn: the page allows no images of other addresses.
 *
 * @param {Api} api
 * @param {string} url
 */
function questionImage(api, url) {
  const canvas = element('canvas', { className: 'asked', width: 0, height: 0, role: 'img' })
  canvas.ariaLabel = 'Image of the question'
  void drawImage(canvas, api.image(url))
  return canvas
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Promise<ImageBitmap | undefined>} loading
 */
async function drawImage(canvas, loading) {
  const image = await loading
  if (!image) return
  Object.assign(canvas, { width: image.width, height: image.height })
  canvas.getContext('2d')?.drawImage(image, 0, 0)
  image.close()
}
