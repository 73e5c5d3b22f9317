import { replace, surround } from './natives.js'

/** More than a picture needs; each frame would take seconds. */
const mostElements = 5000

/** Enough to correct a particle by. */
const mostProblems = 20

/** As long as a sentence may be. */
const mostCharacters = 300

/** What would play by a clock of its own, by name of its element. */
const uncontrolled = new Set(['video', 'audio', 'iframe', 'frame', 'object', 'embed', 'marquee'])

const realTimed = 'whose time cannot be controlled'
const noNetwork = 'a particle has no network'

/** Classes that cannot be used, and why. */
const refusedClasses = {
  AudioContext: realTimed,
  webkitAudioContext: realTimed,
  MediaRecorder: realTimed,
  BroadcastChannel: realTimed,
  RTCPeerConnection: `but ${noNetwork}`,
  webkitRTCPeerConnection: `but ${noNetwork}`,
  WebTransport: `but ${noNetwork}`,
}

/** Natives that play by real time, by where they are. */
const refusedMethods = {
  HTMLCanvasElement: ['captureStream'],
  SpeechSynthesis: ['speak'],
  Document: ['startViewTransition'],
  Element: ['startViewTransition'],
}

/** Ways of a page to go on by itself, which no clock drives. */
const selfDriven = {
  window: ['postMessage'],
  MessagePort: ['postMessage'],
}

/** Ways to hear of frames as they are drawn. */
const observing = {
  ResizeObserver: ['observe'],
  IntersectionObserver: ['observe'],
}

/**
 * Hears of all that goes wrong in this frame, and of what would leave it or cannot be played frame by frame.
 *
 * @param {(image: HTMLImageElement) => void} meet hears of images that load
 */
export function makeWatch(meet) {
  /** @type {Map<string, number | undefined>} */
  const problems = new Map()
  const tell = (/** @type {string} */ text, /** @type {number} */ line = 0) => {
    const message = text.slice(0, mostCharacters)
    if (problems.size < mostProblems && !problems.has(message)) problems.set(message, line || undefined)
  }
  hearErrors(tell)
  refuse(tell)
  look(tell, meet)
  const elements = document.getElementsByTagName('*')
  const isRestless = uses(selfDriven)
  const isObserving = uses(observing)

  return {
    tell,
    /** Whether it may change without any clock. */
    isRestless: () => isRestless() || isObserving(),
    /** Whether it hears of frames as they are drawn. */
    isObserving,
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
    const asks = blockedURI.startsWith('blob')
      ? 'shows a blob that is no image: give it a type such as image/png'
      : `asks for ${blockedURI}; ${noNetwork}`
    tell(effectiveDirective === 'worker-src' ? `starts a worker, ${realTimed}` : asks, lineNumber)
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
  for (const [name, why] of Object.entries(refusedClasses)) {
    if (name in window) replace(window, { [name]: refused(`uses ${name}, ${why}`) })
  }
  surround(refusedMethods, (_, name) => refused(`uses ${name}, ${realTimed}`))
  replace(window, {
    open: (/** @type {unknown} */ address) => {
      tell(`opens a window (${String(address)})`)
      return null
    },
  })
  const hidden = 'has a shadow tree, which cannot be looked into; put its elements into the page'
  replace(Element.prototype, { attachShadow: refused(hidden), setHTMLUnsafe: refused(hidden) })
  refuseRewriting(refused('writes its page anew (document.open or document.write after it was read)'))
}

/**
 * Looks at every element that the page holds from now on.
 *
 * @param {(message: string) => void} tell
 * @param {(image: HTMLImageElement) => void} meet
 */
function look(tell, meet) {
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

/**
 * Tells whether a native of a table was ever used.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 */
function uses(table) {
  let used = false
  surround(
    table,
    (native) =>
      /** @this {unknown} @param {unknown[]} given */
      function (...given) {
        used = true
        return /** @type {unknown} */ (Reflect.apply(native, this, given))
      },
  )
  return () => used
}
