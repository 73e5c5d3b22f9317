/**
 * Creates an element with properties and children. Strings become text nodes: this page never parses
 * markup, and its content security policy forbids it.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  Object.assign(node, properties)
  node.append(...children)
  return node
}

/**
 * Creates a button that ignores clicks while its action runs. An error is shown below it.
 *
 * @param {string} label
 * @param {() => Promise<unknown>} act
 * @param {{ className?: string, about?: string }} [options] `about` names the affected item for screen readers
 */
export function button(label, act, { className = '', about } = {}) {
  const node = element('button', { type: 'button', className }, label)
  if (about !== undefined) node.ariaLabel = `${label}: ${about}`
  /** @type {HTMLElement | undefined} */
  let shownFailure
  node.addEventListener('click', () => {
    if (node.ariaDisabled) return
    shownFailure?.remove()
    // The `disabled` property would take the focus away.
    node.ariaDisabled = 'true'
    act()
      .catch((error) => node.parentElement?.after((shownFailure = failure(error))))
      .finally(() => (node.ariaDisabled = null))
  })
  return node
}

/** Whether no visible element has the focus, as after the focused one was hidden or removed. */
export function isFocusLost() {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body || !activeElement.checkVisibility()
}

/**
 * A description list. A row with an empty name adds another value to the previous name.
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
 * An error message with its fix.
 *
 * @param {{ message: string, hint?: string | undefined, code?: number | undefined }} error
 */
export function failure({ message, hint, code }) {
  // A name such as `jina-clip-v2`, which may be the first word, keeps its case.
  const text = message.replace(
    /^\p{Ll}+(?=[\s,.:;]|$)/u,
    (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`,
  )
  const node = element('div', { className: 'failure', role: 'alert' }, element('p', {}, text))
  if (hint !== undefined) node.append(element('p', {}, element('strong', {}, 'Fix: '), hint))
  if (code) node.append(element('p', { className: 'aside' }, `Code ${code}`))
  return node
}

/** @param {string} id */
export function byId(id) {
  const node = document.getElementById(id)
  if (!node) throw new TypeError(`the page has no #${id}`)
  return node
}
