import { replace } from './clock.js'

/** More than a picture needs; each frame would take seconds. */
const mostElements = 5000

/** Enough to correct a particle by. */
const mostProblems = 20

/** As long as a sentence may be. */
const mostCharacters = 300

/** What would play by a clock of its own, by name of its element. */
const uncontrolled = new Set(['video', 'audio', 'iframe', 'frame', 'object', 'embed'])

/** Ways of a page to go on by itself, which no clock drives, by where they are. */
const selfDriven = {
  Window: ['postMessage', 'createImageBitmap', 'fetch'],
  MessagePort: ['postMessage'],
  BroadcastChannel: ['postMessage'],
  FileReader: ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText'],
  HTMLCanvasElement: ['toBlob'],
  OffscreenCanvas: ['convertToBlob'],
  HTMLImageElement: ['decode'],
  Blob: ['text', 'arrayBuffer', 'stream'],
  FontFaceSet: ['load'],
  FontFace: ['load'],
  Document: ['startViewTransition'],
  ResizeObserver: ['observe'],
  IntersectionObserver: ['observe'],
  XMLHttpRequest: ['send'],
  HTMLScriptElement: [],
}

/**
 * Hears of all that goes wrong in this frame, and of what would leave it or cannot be played frame by frame.
 */
export function makeWatch() {
  /** @type {Map<string, number | undefined>} */
  const problems = new Map()
  const tell = (/** @type {string} */ text, /** @type {number} */ line = 0) => {
    const message = text.slice(0, mostCharacters)
    if (problems.size < mostProblems && !problems.has(message)) problems.set(message, line || undefined)
  }
  hearErrors(tell)
  refuse(tell)
  const elements = document.getElementsByTagName('*')
  const restless = hearSelfDriven()

  return {
    tell,
    /** Whether it may change without any clock. */
    isRestless: restless,
    /** What was told since the last time. */
    take() {
      if (elements.length > mostElements) {
        tell(`has ${elements.length} elements; at most ${mostElements} can be drawn`)
      }
      const taken = [...problems].map(([message, line]) => ({ message, line }))
      problems.clear()
      return taken
    },
  }
}

/** @param {(message: string, line?: number) => void} tell */
function hearErrors(tell) {
  const own = 'about:srcdoc'
  addEventListener(
    'error',
    (/** @type {Event} */ event) => {
      const { target } = event
      if (event instanceof ErrorEvent) tell(event.message, event.filename === own ? event.lineno : 0)
      else if (target instanceof HTMLImageElement && target.src.startsWith('data:')) {
        tell(`an image cannot be decoded: ${target.src.slice(0, 60)}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    const line = reason instanceof Error ? /about:srcdoc:(\d+)/.exec(reason.stack ?? '')?.[1] : undefined
    tell(`Uncaught (in promise) ${String(reason)}`, Number(line ?? 0))
  })
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, lineNumber }) => {
    tell(
      effectiveDirective === 'worker-src'
        ? 'starts a worker, whose time cannot be controlled'
        : `asks for ${blockedURI}; a particle has no network`,
      lineNumber,
    )
  })
  // Only this frame may speak to itself: a message of another would move it.
  addEventListener(
    'message',
    (event) => {
      if (event.source !== window) event.stopImmediatePropagation()
    },
    true,
  )
}

/** @param {(message: string) => void} tell */
function refuse(tell) {
  const refused = (/** @type {string} */ what) =>
    function Refused() {
      tell(what)
      throw new Error(what)
    }
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    if (name in window) replace(window, { [name]: refused(`opens a ${name}; a particle has no network`) })
  }
  replace(window, {
    open: (/** @type {unknown} */ address) => {
      tell(`opens a window (${String(address)})`)
      return null
    },
  })
  const hidden = 'has a shadow tree, which cannot be looked into; put its elements into the page'
  replace(Element.prototype, { attachShadow: refused(hidden), setHTMLUnsafe: refused(hidden) })
  refuseRewriting(refused('writes its page anew (document.open or document.write after it was read)'))

  /** @param {Node} node */
  const look = (node) => {
    if (!(node instanceof Element)) return
    const name = node.localName
    if (uncontrolled.has(name)) tell(`has <${name}>, whose time cannot be controlled`)
    if (node instanceof HTMLLinkElement && node.href) tell(`asks for ${node.href}; a particle has no network`)
    if (node instanceof HTMLMetaElement && node.httpEquiv.toLowerCase() === 'refresh') {
      tell(`goes elsewhere (${node.content}); a particle stays where it is`)
    }
    if (node instanceof HTMLScriptElement && node.type === 'speculationrules') tell('has speculation rules')
    for (const child of node.children) look(child)
  }
  new MutationObserver((records) => {
    for (const { addedNodes, target, type } of records) {
      if (type === 'attributes') look(target)
      for (const node of addedNodes) look(node)
    }
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['href', 'rel'] })
}

/**
 * Refuses what throws the page away, and with it all that watches: a script may write where it stands, as it is read.
 *
 * @param {() => never} refusing
 */
function refuseRewriting(refusing) {
  const { write, writeln } = Document.prototype
  const asItIsRead = (/** @type {typeof write} */ native) =>
    /** @this {Document} @param {string[]} given */
    function (...given) {
      if (document.currentScript === null) refusing()
      native.apply(this, given)
    }
  replace(Document.prototype, { open: refusing, write: asItIsRead(write), writeln: asItIsRead(writeln) })
}

/** Tells whether a way to go on by itself was ever used. */
function hearSelfDriven() {
  let used = false
  const hear = (/** @type {object} */ owner, /** @type {string} */ name) => {
    const native = /** @type {unknown} */ (Reflect.get(owner, name))
    if (typeof native !== 'function') return
    replace(owner, {
      /** @this {unknown} @param {unknown[]} given */
      [name](...given) {
        used = true
        return Reflect.apply(native, this, given)
      },
    })
  }
  for (const [owner, names] of Object.entries(selfDriven)) {
    const constructor = /** @type {unknown} */ (Reflect.get(window, owner))
    if (typeof constructor !== 'function') continue
    for (const name of names) hear(owner === 'Window' ? window : constructor.prototype, name)
  }
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src')
  Object.defineProperty(HTMLImageElement.prototype, 'src', {
    ...source,
    /** @this {HTMLImageElement} @param {string} value */
    set(value) {
      used = true
      source?.set?.call(this, value)
    },
  })
  return () => used
}
