import { noNetwork, realTimed } from './refuse.js'

/** What would play by a clock of its own, by name of its element. */
const uncontrolled = new Set(['video', 'audio', 'iframe', 'frame', 'object', 'embed', 'marquee'])

/** A field of a form stands for what the form has of its name. */
const { querySelectorAll } = Element.prototype

/**
 * Meets every element that the page holds from now on, and once more where one of these attributes changes.
 *
 * @param {readonly string[]} attributes
 * @param {(element: Element) => void} meet
 */
export function meetElements(attributes, meet) {
  new MutationObserver((records) => {
    for (const { addedNodes, target, type } of records) {
      if (type === 'attributes' && target instanceof Element) meet(target)
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue
        meet(node)
        for (const inside of querySelectorAll.call(node, '*')) meet(inside)
      }
    }
  }).observe(document, { attributeFilter: [...attributes], childList: true, subtree: true })
}

/**
 * Looks at every element that the page holds from now on.
 *
 * @param {(message: string) => void} tell
 * @param {(image: HTMLImageElement) => void} meet
 */
export function look(tell, meet) {
  meetElements(['href', 'rel', 'src', 'srcset'], (node) => {
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
