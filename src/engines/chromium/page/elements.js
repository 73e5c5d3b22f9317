import { noNetwork, realTimed } from './refuse.js'

/** What would play by a clock of its own, by name of its element. */
const uncontrolled = new Set(['video', 'audio', 'iframe', 'frame', 'object', 'embed', 'marquee'])

/**
 * Looks at every element that the page holds from now on.
 *
 * @param {(message: string) => void} tell
 * @param {(image: HTMLImageElement) => void} meet
 */
export function look(tell, meet) {
  /** @param {Node} node */
  const at = (node) => {
    if (!(node instanceof Element)) return
    const name = node.localName
    if (uncontrolled.has(name)) tell(`has <${name}>, ${realTimed}`)
    if (node instanceof HTMLProgressElement && node.position < 0) {
      tell(`has <progress> without a value, ${realTimed}`)
    }
    if (node instanceof HTMLImageElement) meet(node)
    if (node instanceof HTMLLinkElement && node.href) tell(`asks for ${node.href}; ${noNetwork}`)
    if (node instanceof HTMLMetaElement && node.httpEquiv.toLowerCase() === 'refresh') {
      tell(`goes elsewhere (${node.content}); a particle stays where it is`)
    }
    if (node instanceof HTMLScriptElement && node.type === 'speculationrules') tell('has speculation rules')
    for (const child of node.children) at(child)
  }
  new MutationObserver((records) => {
    for (const { addedNodes, target, type } of records) {
      if (type === 'attributes') at(target)
      for (const node of addedNodes) at(node)
    }
  }).observe(document, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['href', 'rel', 'src', 'srcset'],
  })
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src')
  Object.defineProperty(HTMLImageElement.prototype, 'src', {
    ...source,
    /** @this {HTMLImageElement} @param {string} value */
    set(value) {
      source?.set?.call(this, value)
      meet(this)
    },
  })
}
