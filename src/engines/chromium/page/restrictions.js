import { replace, wrapNatives } from './natives.js'

/** Reason for rejecting what plays by real time. */
export const uncontrolledTime = 'whose time cannot be controlled'

/** Reason for rejecting network access. */
export const noNetwork = 'a particle has no network access'

/** Forbidden classes and the reasons. */
const refusedClasses = {
  AudioContext: uncontrolledTime,
  webkitAudioContext: uncontrolledTime,
  MediaRecorder: uncontrolledTime,
  BroadcastChannel: uncontrolledTime,
  PerformanceObserver: uncontrolledTime,
  RTCPeerConnection: `but ${noNetwork}`,
  webkitRTCPeerConnection: `but ${noNetwork}`,
  WebTransport: `but ${noNetwork}`,
}

/** Forbidden methods that play by real time, by class. */
const refusedMethods = {
  Atomics: ['waitAsync'],
  HTMLCanvasElement: ['captureStream'],
  SpeechSynthesis: ['speak'],
  Document: ['startViewTransition'],
  Element: ['startViewTransition'],
}

/**
 * Rejects APIs that leave this frame or cannot be played frame by frame.
 *
 * @param {(message: string) => void} report
 */
export function restrictApis(report) {
  const refused = (/** @type {string} */ message) =>
    function Refused() {
      report(message)
      throw new Error(message)
    }
  for (const [name, why] of Object.entries(refusedClasses)) {
    if (name in window) replace(window, { [name]: refused(`uses ${name}, ${why}`) })
  }
  // Feature detection then finds no supported entry types.
  replace(PerformanceObserver, { supportedEntryTypes: Object.freeze([]) })
  wrapNatives(refusedMethods, (_, name) => refused(`uses ${name}, ${uncontrolledTime}`))
  replace(window, {
    open: (/** @type {unknown} */ address) => {
      report(`opens a window (${String(address)})`)
      return null
    },
  })
  const shadowMessage = 'has a shadow tree, which cannot be inspected; put its elements into the page'
  replace(Element.prototype, { attachShadow: refused(shadowMessage), setHTMLUnsafe: refused(shadowMessage) })
  blockForeignMessages()
  forbidRewriting(refused('rewrites its page (document.open or document.write after loading)'))
}

/** Blocks messages of other frames, which would change this one. */
function blockForeignMessages() {
  addEventListener(
    'message',
    (event) => {
      if (event.source !== window) event.stopImmediatePropagation()
    },
    true,
  )
}

/**
 * Forbids replacing the page, which would remove the player. Scripts may write while the page loads.
 *
 * @param {() => never} refuse
 */
function forbidRewriting(refuse) {
  const { write, writeln } = Document.prototype
  const whileLoading = (/** @type {typeof write} */ native) =>
    /** @this {Document} @param {string[]} args */
    function (...args) {
      if (document.currentScript === null) refuse()
      native.apply(this, args)
    }
  replace(Document.prototype, { open: refuse, write: whileLoading(write), writeln: whileLoading(writeln) })
}

/** Names of elements that play by their own clock. */
const uncontrolled = new Set(['video', 'audio', 'iframe', 'frame', 'object', 'embed', 'marquee'])

/** Captured, because a form field may hide the method of its form. */
const { querySelectorAll } = Element.prototype

/**
 * Visits every element added from now on, and again when one of these attributes changes.
 *
 * @param {readonly string[]} attributes
 * @param {(element: Element) => void} visit
 */
export function observeElements(attributes, visit) {
  new MutationObserver((records) => {
    for (const { addedNodes, target, type } of records) {
      if (type === 'attributes' && target instanceof Element) visit(target)
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue
        visit(node)
        for (const inside of querySelectorAll.call(node, '*')) visit(inside)
      }
    }
  }).observe(document, { attributeFilter: [...attributes], childList: true, subtree: true })
}

/**
 * Inspects every element added from now on.
 *
 * @param {(message: string) => void} report
 * @param {(image: HTMLImageElement) => void} visit
 */
export function inspectElements(report, visit) {
  observeElements(['href', 'rel', 'src', 'srcset'], (node) => {
    const name = node.localName
    if (uncontrolled.has(name)) report(`has <${name}>, ${uncontrolledTime}`)
    if (node instanceof HTMLProgressElement && node.position < 0) {
      report(`has <progress> without a value, ${uncontrolledTime}`)
    }
    if (node instanceof HTMLImageElement) visit(node)
    if (node instanceof HTMLLinkElement && node.href) report(`requests ${node.href}; ${noNetwork}`)
    if (node instanceof HTMLMetaElement && node.httpEquiv.toLowerCase() === 'refresh') {
      report(`navigates elsewhere (${node.content}); a particle must not navigate`)
    }
    if (node instanceof HTMLScriptElement && node.type === 'speculationrules') report('has speculation rules')
  })
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src')
  Object.defineProperty(HTMLImageElement.prototype, 'src', {
    ...source,
    /** @this {HTMLImageElement} @param {string} value */
    set(value) {
      source?.set?.call(this, value)
      visit(this)
    },
  })
}
