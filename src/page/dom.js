/**
 * Makes an element with properties and children. Texts become text nodes: nothing in this page reads
 * markup, and its policy lets nothing do so.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  Object.assign(made, properties)
  made.append(...children)
  return made
}

/**
 * A button that is off while what it does is under way; what went wrong is told below it.
 *
 * @param {string} label
 * @param {() => Promise<unknown>} act
 * @param {{ className?: string, about?: string }} [options] `about` tells screen readers what it acts on
 */
export function button(label, act, { className = '', about } = {}) {
  const made = element('button', { type: 'button', className }, label)
  if (about !== undefined) made.ariaLabel = `${label}: ${about}`
  /** @type {HTMLElement | undefined} */
  let told
  made.addEventListener('click', () => {
    if (made.ariaDisabled) return
    told?.remove()
    // Really off, it would lose the focus.
    made.ariaDisabled = 'true'
    act()
      .catch((error) => made.parentElement?.after((told = failure(error))))
      .finally(() => (made.ariaDisabled = null))
  })
  return made
}

/**
 * A list of names and what they are; a value without a name goes with the one before.
 *
 * @param {readonly (readonly [string, string | Node])[]} rows
 */
export function facts(rows) {
  return element(
    'dl',
    {},
    ...rows.flatMap(([name, value]) => [
      ...(name === '' ? [] : [element('dt', {}, name)]),
      element('dd', {}, value),
    ]),
  )
}

/**
 * What went wrong and how to fix it.
 *
 * @param {{ message: string, hint?: string | undefined, code?: number | undefined }} error
 */
export function failure({ message, hint, code }) {
  const told = element('div', { className: 'failure', role: 'alert' }, element('p', {}, message))
  if (hint !== undefined) told.append(element('p', {}, element('strong', {}, 'Fix: '), hint))
  if (code) told.append(element('p', { className: 'aside' }, `Code ${code}`))
  return told
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id)
  if (!found) throw new TypeError(`the page has no #${id}`)
  return found
}
