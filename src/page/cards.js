import { Disclosure } from './disclosure.js'
import { element } from './dom.js'
import { duration } from './format.js'

/**
 * What a card of an image, a video or a sound shows. `picture` and `preview` are complete addresses. `notes` are paragraphs, `rights` the licence, `flags` what may make it unusable.
 *
 * @typedef {{
 *   readonly title: string,
 *   readonly facts: readonly string[],
 *   readonly tags: readonly string[],
 *   readonly picture?: string | undefined,
 *   readonly author?: string | undefined,
 *   readonly notes?: readonly string[],
 *   readonly rights?: string | undefined,
 *   readonly flags?: readonly string[],
 *   readonly preview?: { readonly url: string, readonly kind: 'audio' | 'video' } | undefined,
 * }} CardContent
 */

/**
 * A card for a list with the class `grid`.
 *
 * @param {CardContent} content
 */
export function card({ title, facts, tags, picture, author, notes = [], rights, flags = [], preview }) {
  const node = element('li', { className: 'row material' })
  if (picture !== undefined) node.append(element('img', { alt: '', loading: 'lazy', src: picture }))
  node.append(element('h2', {}, title))
  if (facts.length > 0) node.append(element('p', { className: 'aside' }, facts.join(' · ')))
  if (author !== undefined) node.append(element('p', { className: 'aside' }, author))
  node.append(...notes.map((note) => element('p', {}, note)))
  if (tags.length > 0) node.append(element('p', { className: 'aside' }, tags.join(', ')))
  if (flags.length > 0)
    node.append(
      element(
        'p',
        {},
        ...flags.flatMap((flag) => [element('span', { className: 'state failed' }, flag), ' ']),
      ),
    )
  if (rights !== undefined) node.append(element('p', { className: 'rights' }, rights))
  if (preview) {
    const shown = new Disclosure(title, async () =>
      element(preview.kind, { controls: true, ariaLabel: title, src: preview.url }),
    )
    void shown.setName('preview')
    node.append(element('div', { className: 'actions' }, shown.toggle), shown.node)
  }
  return node
}

/**
 * Duration and size in pixels, where they are known.
 *
 * @param {{ readonly duration?: number | undefined, readonly width?: number | undefined, readonly height?: number | undefined }} media
 */
export function mediaFacts({ duration: seconds, width, height }) {
  return [
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(width === undefined ? [] : [`${width} × ${height}`]),
  ]
}
