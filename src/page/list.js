import { button, element, failure } from './dom.js'
import { coalesce } from './coalesce.js'

/**
 * A row, which is kept while the list around it changes.
 *
 * @template Item
 * @typedef {object} Row
 * @property {HTMLElement} node
 * @property {(item: Item) => void} [update] called with the current item
 */

/**
 * Content of a list.
 *
 * @template Item
 * @template {Row<Item>} Shown
 * @typedef {object} Source
 * @property {string} label for screen readers
 * @property {(page: number) => Promise<{ list: Item[], total: number, page_size: number }>} load
 * @property {(item: Item) => string} idOf
 * @property {(item: Item, refresh: () => Promise<void>) => Shown} makeRow
 * @property {string | (() => string)} empty text of an empty list
 * @property {string} [className] class of the list
 * @property {(items: readonly Item[]) => void} [shown] called after loaded items are shown
 */

/**
 * A paged list. A reload changes only the rows that differ: media keeps playing, details stay open, and
 * the focus does not move.
 *
 * @template Item
 * @template {Row<Item>} Shown
 */
export class PagedList {
  #source
  /** @type {Map<string, Shown>} */
  #rows = new Map()
  #page = 1
  #items
  #pages
  #note = element('div')
  #range = element('span')
  #newer = button('Newer', () => this.turnTo(this.#page - 1))
  #older = button('Older', () => this.turnTo(this.#page + 1))

  /** @param {Source<Item, Shown>} source */
  constructor(source) {
    this.#source = source
    const ariaLabel = source.label
    this.#items = element('ol', { className: `rows ${source.className ?? ''}`.trim(), ariaLabel })
    this.#pages = element('nav', { className: 'pages', ariaLabel: `Pages of ${ariaLabel}`, hidden: true })
    this.#pages.append(this.#newer, this.#range, this.#older)
    this.node = element('div', {}, this.#note, this.#items, this.#pages)
    /** Loads the current page again. */
    this.refresh = coalesce(() => this.#load())
  }

  /** @param {string} id */
  row(id) {
    return this.#rows.get(id)
  }

  /** @param {number} page from 1, the newest */
  async turnTo(page) {
    this.#page = page
    await this.refresh()
    this.#items.scrollIntoView({ block: 'nearest' })
  }

  async #load() {
    try {
      const loaded = await this.#source.load(this.#page)
      // The last page may have become empty.
      const last = Math.max(1, Math.ceil(loaded.total / loaded.page_size))
      if (this.#page <= last) return this.#show(loaded)
      this.#page = last
      void this.refresh()
    } catch (error) {
      this.#note.replaceChildren(failure(/** @type {Error} */ (error)))
    }
  }

  /** @param {{ list: Item[], total: number, page_size: number }} loaded */
  #show({ list, total, page_size }) {
    const { idOf, makeRow, empty } = this.#source
    const known = this.#rows
    const rows = list.map((item) => known.get(idOf(item)) ?? makeRow(item, this.refresh))
    this.#rows = new Map(list.map((item, index) => [idOf(item), /** @type {Shown} */ (rows[index])]))
    for (const [id, { node }] of known) if (!this.#rows.has(id)) node.remove()
    for (const [index, { node }] of rows.entries()) {
      const current = this.#items.children[index] ?? null
      // A row in the right position is not moved, because moving it takes its focus away.
      if (current !== node) this.#items.insertBefore(node, current)
    }
    for (const item of list) this.#rows.get(idOf(item))?.update?.(item)
    const text = typeof empty === 'string' ? empty : empty()
    this.#note.replaceChildren(...(total === 0 ? [element('p', { className: 'notice' }, text)] : []))
    const first = (this.#page - 1) * page_size + 1
    this.#range.textContent = `${first} to ${first + list.length - 1} of ${total}`
    this.#pages.hidden = total <= page_size
    this.#newer.hidden = this.#page === 1
    this.#older.hidden = this.#page * page_size >= total
    this.#source.shown?.(list)
  }
}
