/** @import { Failure } from './api.js' */
import { element, failure } from './dom.js'

/**
 * Asks for a key.
 *
 * @param {(key: string) => void} entered
 * @param {Failure} [problem] why it is asked for again
 */
export function loginView(entered, problem) {
  const key = element('input', {
    ...{
      id: 'key',
      type: 'password',
      required: true,
      pattern: ' *[!-~]+ *',
      autocomplete: 'off',
      spellcheck: false,
    },
  })
  const form = element(
    'form',
    { className: 'row login' },
    element('h1', {}, 'Sign in'),
    element('p', {}, 'On the machine of the service, this command prints an address that signs you in:'),
    element('pre', {}, 'reelwright page'),
    element('p', {}, 'With a key of a service elsewhere:'),
    element('label', { htmlFor: key.id }, 'API key'),
    key,
    element('button', { type: 'submit' }, 'Sign in'),
    element('p', { className: 'aside' }, 'The key stays in this tab, and is forgotten with it.'),
  )
  if (problem) form.prepend(failure(problem))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    entered(key.value.trim())
  })
  return form
}
