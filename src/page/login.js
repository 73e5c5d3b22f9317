/** @import { Failure } from './api.js' */
import { element, failure } from './dom.js'

/**
 * Form that asks for an API key.
 *
 * @param {(key: string) => void} entered
 * @param {Failure} [problem] why the key is asked for again
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
    element(
      'p',
      {},
      'On the machine that runs the service, this command prints an address that signs you in:',
    ),
    element('pre', {}, 'reelwright page'),
    element('p', {}, 'For a service on another machine, enter a key:'),
    element('label', { htmlFor: key.id }, 'API key'),
    key,
    element('button', { type: 'submit' }, 'Sign in'),
    element('p', { className: 'aside' }, 'The key is stored in this tab only, until the tab is closed.'),
  )
  if (problem) form.prepend(failure(problem))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    entered(key.value.trim())
  })
  return form
}
