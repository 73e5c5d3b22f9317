/**
 * @import { ListedMaterial } from '../contract/library-routes.ts'
 * @import { Api } from './api.js'
 */
import { addressOf } from './api.js'
import { Disclosure } from './disclosure.js'
import { element } from './dom.js'
import { duration, size } from './format.js'
import { PagedList } from './list.js'

/** Names of the kinds of material. */
const kinds = { '': 'All', clip: 'Video', image: 'Images', audio: 'Audio' }

/** Delay after the last key before words are searched, ms. */
const typingMs = 250

/**
 * View of the library: a grid of its materials with their licences, newest first or by words.
 *
 * @param {Api} api
 */
export function libraryView(api) {
  const scope = element(
    'select',
    { id: 'scope' },
    ...Object.entries(kinds).map(([value, name]) => element('option', { value }, name)),
  )
  const words = element('input', { id: 'words', type: 'search', maxLength: 200 })
  const materials = new PagedList({
    label: 'Materials',
    className: 'grid',
    load: (page) => api.materials({ page, scope: scope.value || undefined, words: words.value || undefined }),
    idOf: ({ id }) => String(id),
    makeRow: (material) => ({ node: materialCard(material) }),
    empty:
      'Nothing here. The operator of the service imports licensed material with: reelwright library add <folder>',
  })
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  words.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => void materials.turnTo(1), typingMs)
  })
  scope.addEventListener('change', () => void materials.turnTo(1))
  const filter = element(
    'div',
    { className: 'filters' },
    element('label', { htmlFor: 'words' }, 'Words'),
    words,
    element('label', { htmlFor: 'scope' }, 'Kind'),
    scope,
  )
  return {
    title: 'Library',
    node: element('div', {}, filter, materials.node),
    refresh: materials.refresh,
  }
}

/** @param {ListedMaterial} material */
function materialCard(material) {
  const { name, title = name, author, tags, licence, attribution } = material
  const picture = material.cover_url ?? material.thumb_url
  const preview = new Disclosure(title, async () => player(material))
  void preview.setName('preview')
  return element(
    'li',
    { className: 'row material' },
    ...(picture === undefined
      ? []
      : [element('img', { alt: '', loading: 'lazy', src: addressOf(picture).href })]),
    element('h2', {}, title),
    element('p', { className: 'aside' }, describe(material)),
    ...(author === undefined ? [] : [element('p', { className: 'aside' }, author)]),
    ...(tags.length === 0 ? [] : [element('p', {}, tags.join(', '))]),
    element('p', { className: 'rights' }, [licence, attribution].filter((text) => text !== '').join(' · ')),
    ...(material.preview_url === undefined
      ? []
      : [element('div', { className: 'actions' }, preview.toggle), preview.node]),
  )
}

/** @param {ListedMaterial} material */
function player({ name, scope, preview_url = '' }) {
  const kind = scope === 'audio' ? 'audio' : 'video'
  return element(kind, { controls: true, ariaLabel: name, src: addressOf(preview_url).href })
}

/** @param {ListedMaterial} material */
function describe({ duration: seconds, width, height, size: bytes }) {
  return [
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(width === undefined ? [] : [`${width} × ${height}`]),
    size(bytes),
  ].join(' · ')
}
