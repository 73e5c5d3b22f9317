/**
 * @import { ListedMaterial } from '../contract/library-routes.ts'
 * @import { Api } from './api.js'
 */
import { addressOf } from './api.js'
import { card, mediaFacts } from './cards.js'
import { element } from './dom.js'
import { size } from './format.js'
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
    empty: () =>
      scope.value === '' && words.value.trim() === ''
        ? 'The library is empty. The operator of the service imports licensed material with: ' +
          'reelwright library add <folder> --licence <text> --attribution <text>'
        : 'Nothing matches. Try other words or another kind.',
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
  const { name, title = name, author, tags, licence, attribution, scope } = material
  const [picture, preview] = [material.cover_url ?? material.thumb_url, material.preview_url].map(
    (path) => path && addressOf(path).href,
  )
  return card({
    ...{ title, author, tags, picture },
    facts: [...mediaFacts(material), size(material.size)],
    rights: [licence, attribution].filter((text) => text !== '').join(' · '),
    preview:
      preview === undefined ? undefined : { url: preview, kind: scope === 'audio' ? 'audio' : 'video' },
  })
}
