/** @import { Failure } from './api.js' */
import { button, element, failure } from './dom.js'
import { onceMore } from './turn.js'

/** A part that is made when it is shown, and gone when it is hidden, with what plays in it. */
export class Disclosure {
  #about
  #fill
  #what = ''
  node = element('div', { className: 'details', hidden: true })
  toggle

  /**
   * @param {string} about what it belongs to, for screen readers
   * @param {() => Promise<Node>} make
   */
  constructor(about, make) {
    this.#about = about
    this.#fill = onceMore(async () => {
      const made = await make().catch((/** @type {Failure} */ error) => failure(error))
      if (!this.node.hidden) this.node.replaceChildren(made)
    })
    this.toggle = button('', () => this.#turn())
    this.#label()
  }

  /**
   * Names what it shows; what is shown is made anew.
   *
   * @param {string} what
   */
  async name(what) {
    this.#what = what
    this.#label()
    if (!this.node.hidden) await this.#fill()
  }

  async #turn() {
    this.node.hidden = !this.node.hidden
    this.#label()
    if (this.node.hidden) this.node.replaceChildren()
    else await this.#fill()
  }

  #label() {
    const { hidden } = this.node
    this.toggle.textContent = `${hidden ? 'Show' : 'Hide'} ${this.#what}`.trim()
    this.toggle.ariaLabel = `${this.toggle.textContent}: ${this.#about}`
    this.toggle.ariaExpanded = String(!hidden)
  }
}
