import { element } from './dom.js'

/**
 * Asks for confirmation of an action that cannot be undone. Resolves to false also on Escape.
 *
 * @param {{ question: string, consequence: string, yes: string }} wording
 * @returns {Promise<boolean>}
 */
export function confirmAction({ question, consequence, yes }) {
  const title = element('h2', { id: 'question' }, question)
  const stay = element('button', { type: 'button' }, 'Keep it')
  const go = element('button', { type: 'button', className: 'danger' }, yes)
  const dialog = element(
    'dialog',
    {},
    title,
    element('p', {}, consequence),
    element('div', { className: 'actions' }, stay, go),
  )
  dialog.setAttribute('aria-labelledby', title.id)
  document.body.append(dialog)
  stay.addEventListener('click', () => dialog.close())
  go.addEventListener('click', () => dialog.close('yes'))
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}
