/** @import { Failure } from './api.js' */
import { button, element, failure } from './dom.js'
import { coalesce } from './coalesce.js'

/** A collapsible part. Its content is created when shown and removed when hidden, which stops media in it. */
export class Disclosure {
  #about
  #fill
  #name = ''
  node = element('div', { className: 'details', hidden: true })
  toggle

  /**
   * @param {string} about the item it belongs to, for screen readers
   * @param {() => Promise<Node>} render
   */
  constructor(about, render) {
    this.#about = about
    this.#fill = coalesce(async () => {
      const content = await render().catch((/** @type {Failure} */ error) => failure(error))
      if (!this.node.hidden) this.node.replaceChildren(content)
    })
    this.toggle = button('', () => this.#toggleContent())
    this.#label()
  }

  /**
   * Sets the name of the content. A new name renders it again if it is shown; the same one leaves it unchanged.
   *
   * @param {string} name
   */
  async setName(name) {
    if (name === this.#name) return
    this.#name = name
    this.#label()
    await this.refill()
  }

  /** Renders the content again if it is shown. */
  async refill() {
    if (!this.node.hidden) await this.#fill()
  }

  /** Hides and removes the content. */
  hide() {
    this.node.hidden = true
    this.node.replaceChildren()
    this.#label()
  }

  async #toggleContent() {
    this.node.hidden = !this.node.hidden
    this.#label()
    if (this.node.hidden) this.node.replaceChildren()
    else await this.#fill()
  }

  #label() {
    const { hidden } = this.node
    this.toggle.textContent = `${hidden ? 'Show' : 'Hide'} ${this.#name}`.trim()
    this.toggle.ariaLabel = `${this.toggle.textContent}: ${this.#about}`
    this.toggle.ariaExpanded = String(!hidden)
  }
}
