import { element } from './dom.js'

/**
 * An input for one field of an answer, and its value. `showsGiven`: whether it shows what the question contains under
 * the same name.
 *
 * @typedef {{ readonly node: HTMLElement, readonly read: () => unknown, readonly showsGiven?: boolean }} Field
 */

/** @typedef {Readonly<Record<string, unknown>>} Schema a JSON Schema */

/** Empty rows of a list whose length the question leaves open. */
const emptyRows = 3

/**
 * Returns the input for a field of an answer: a table for a list of objects, with a row for each given one; one line per
 * item for a list of texts; JSON for anything deeper.
 *
 * @param {string} name
 * @param {Schema} schema
 * @param {unknown} given what the question contains under the same name
 * @returns {Field}
 */
export function answerField(name, schema, given) {
  const { type, items } = /** @type {{ type?: string, items?: Schema }} */ (schema)
  if (type === 'array' && items?.['type'] === 'object') return tableField(name, items, given)
  if (type === 'array' && items?.['type'] === 'string') {
    return textField(name, schema, (text) => text.split('\n').filter((line) => line.trim() !== ''))
  }
  if (type === 'string') return textField(name, schema, (text) => text)
  if (type === 'number' || type === 'integer' || type === 'boolean') return scalarField(name, schema)
  return textField(name, schema, (text) => (text.trim() === '' ? undefined : JSON.parse(text)))
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {(text: string) => unknown} parse
 * @returns {Field}
 */
function textField(name, schema, parse) {
  const area = element('textarea', { rows: 3, name })
  return { node: labelled(name, schema, area), read: () => parse(area.value) }
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @returns {Field}
 */
function scalarField(name, schema) {
  const { node, read } = cell(schema, undefined)
  return { node: labelled(name, schema, node), read }
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {HTMLElement} input
 */
function labelled(name, schema, input) {
  const description = descriptionOf(schema)
  const title = description === '' ? name : `${name}: ${description}`
  return element('label', { className: 'field' }, title, input)
}

/** @param {Schema} schema */
function descriptionOf({ description }) {
  return typeof description === 'string' ? description : ''
}

/**
 * Rows that repeat the given ones, whose shared fields are fixed and whose others are shown beside them.
 *
 * @param {string} name
 * @param {Schema} items
 * @param {unknown} given
 * @returns {Field}
 */
function tableField(name, items, given) {
  const columns = Object.entries(/** @type {Record<string, Schema>} */ (items['properties'] ?? {}))
  const isGiven = Array.isArray(given) && given.every((one) => typeof one === 'object' && one !== null)
  /** @type {readonly Record<string, unknown>[]} */
  const sources = isGiven ? given : Array.from({ length: emptyRows }, () => ({}))
  const rows = sources.map((source) => tableRow(columns, source))
  const head = element(
    'tr',
    {},
    ...(isGiven ? [element('th', { scope: 'col' }, 'Given')] : []),
    ...columns
      .filter(([column]) => !isFixed(column, sources[0]))
      .map(([column, schema]) => element('th', { scope: 'col', title: descriptionOf(schema) }, column)),
  )
  const table = element(
    'table',
    { ariaLabel: name },
    element('thead', {}, head),
    element('tbody', {}, ...rows.map(({ node }) => node)),
  )
  const read = () => rows.map((row) => row.read()).filter((row) => row !== undefined)
  return { node: table, read, showsGiven: isGiven }
}

/**
 * Whether a column repeats a number of the given row, such as its id.
 *
 * @param {string} column
 * @param {Readonly<Record<string, unknown>> | undefined} source
 */
function isFixed(column, source) {
  return typeof source?.[column] === 'number'
}

/**
 * @param {readonly (readonly [string, Schema])[]} columns
 * @param {Readonly<Record<string, unknown>>} source
 */
function tableRow(columns, source) {
  const shown = Object.values(source).map(String).join(' · ')
  const fixed = Object.fromEntries(
    columns.filter(([column]) => isFixed(column, source)).map(([column]) => [column, source[column]]),
  )
  const cells = columns
    .filter(([column]) => !isFixed(column, source))
    .map(
      ([column, schema]) =>
        /** @type {const} */ ([column, cell(schema, shown === '' ? column : `${column}: ${shown}`)]),
    )
  const node = element(
    'tr',
    {},
    ...(shown === '' ? [] : [element('td', {}, shown)]),
    ...cells.map(([, { node: input }]) => element('td', {}, input)),
  )
  /** The row; undefined if nothing was entered. */
  const read = () => {
    const values = cells.flatMap(([column, { read: value }]) => {
      const entered = value()
      return entered === undefined ? [] : [[column, entered]]
    })
    return values.length === 0 ? undefined : { ...fixed, ...Object.fromEntries(values) }
  }
  return { node, read }
}

/**
 * An input for a text, number or truth value; undefined while nothing is entered.
 *
 * @param {Schema} schema
 * @param {string | undefined} label for screen readers
 * @returns {Field}
 */
function cell({ type }, label) {
  const isNumber = type === 'number' || type === 'integer'
  const kind = isNumber ? 'number' : type === 'boolean' ? 'checkbox' : 'text'
  const node = element('input', { type: kind, ...(label !== undefined && { ariaLabel: label }) })
  if (type === 'number') node.step = 'any'
  return {
    node,
    read: () => {
      if (type === 'boolean') return node.checked
      if (node.value.trim() === '') return undefined
      return isNumber ? Number(node.value) : node.value
    },
  }
}
