import { button, element, failure } from './dom.js'
import { onceMore } from './turn.js'

/**
 * A row that stays as it is while the list around it changes.
 *
 * @template Item
 * @typedef {object} Row
 * @property {HTMLElement} node
 * @property {(item: Item) => void} [update] tells what the item is by now
 */

/**
 * What a list shows.
 *
 * @template Item
 * @template {Row<Item>} Shown
 * @typedef {object} Source
 * @property {string} label for screen readers
 * @property {(page: number) => Promise<{ list: Item[], total: number, page_size: number }>} load
 * @property {(item: Item) => string} idOf
 * @property {(item: Item, refresh: () => Promise<void>) => Shown} makeRow
 * @property {string} empty told where there is nothing
 * @property {() => void} [shown] called when what was loaded is shown
 */

/**
 * A list by pages. Loaded anew, it touches only what changed: what plays goes on, what is open stays
 * open, and the focus stays where it is.
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
  #place = element('span')
  #newer = button('Newer', () => this.turnTo(this.#page - 1))
  #older = button('Older', () => this.turnTo(this.#page + 1))

  /** @param {Source<Item, Shown>} source */
  constructor(source) {
    this.#source = source
    const ariaLabel = source.label
    this.#items = element('ol', { className: 'rows', ariaLabel })
    this.#pages = element('nav', { className: 'pages', ariaLabel: `Pages of ${ariaLabel}`, hidden: true })
    this.#pages.append(this.#newer, this.#place, this.#older)
    this.node = element('div', {}, this.#note, this.#items, this.#pages)
    /** Shows what the page holds by now. */
    this.refresh = onceMore(() => this.#load())
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
      const answer = await this.#source.load(this.#page)
      // What was on the last page may have gone.
      const last = Math.max(1, Math.ceil(answer.total / answer.page_size))
      if (this.#page <= last) return this.#show(answer)
      this.#page = last
      void this.refresh()
    } catch (error) {
      this.#note.replaceChildren(failure(/** @type {Error} */ (error)))
    }
  }

  /** @param {{ list: Item[], total: number, page_size: number }} answer */
  #show({ list, total, page_size }) {
    const { idOf, makeRow, empty } = this.#source
    const known = this.#rows
    const rows = list.map((item) => known.get(idOf(item)) ?? makeRow(item, this.refresh))
    this.#rows = new Map(list.map((item, index) => [idOf(item), /** @type {Shown} */ (rows[index])]))
    for (const [id, { node }] of known) if (!this.#rows.has(id)) node.remove()
    for (const [index, { node }] of rows.entries()) {
      const there = this.#items.children[index] ?? null
      // One that is at its place is not moved: that would take the focus out of it.
      if (there !== node) this.#items.insertBefore(node, there)
    }
    for (const item of list) this.#rows.get(idOf(item))?.update?.(item)
    this.#note.replaceChildren(...(total === 0 ? [element('p', { className: 'notice' }, empty)] : []))
    const first = (this.#page - 1) * page_size + 1
    this.#place.textContent = `${first} to ${first + list.length - 1} of ${total}`
    this.#pages.hidden = total <= page_size
    this.#newer.hidden = this.#page === 1
    this.#older.hidden = this.#page * page_size >= total
    this.#source.shown?.()
  }
}
