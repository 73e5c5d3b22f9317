import { replace, surround } from './natives.js'

/** Why something is refused that plays by real time. */
export const realTimed = 'whose time cannot be controlled'

/** Why something is refused that asks others. */
export const noNetwork = 'a particle has no network'

/** Classes that cannot be used, and why. */
const refusedClasses = {
  AudioContext: realTimed,
  webkitAudioContext: realTimed,
  MediaRecorder: realTimed,
  BroadcastChannel: realTimed,
  PerformanceObserver: realTimed,
  RTCPeerConnection: `but ${noNetwork}`,
  webkitRTCPeerConnection: `but ${noNetwork}`,
  WebTransport: `but ${noNetwork}`,
}

/** Natives that play by real time, by where they are. */
const refusedMethods = {
  Atomics: ['waitAsync'],
  HTMLCanvasElement: ['captureStream'],
  SpeechSynthesis: ['speak'],
  Document: ['startViewTransition'],
  Element: ['startViewTransition'],
}

/**
 * Refuses by name what a script could use that leaves this frame or cannot be played frame by frame.
 *
 * @param {(message: string) => void} tell
 */
export function refuse(tell) {
  const refused = (/** @type {string} */ what) =>
    function Refused() {
      tell(what)
      throw new Error(what)
    }
  for (const [name, why] of Object.entries(refusedClasses)) {
    if (name in window) replace(window, { [name]: refused(`uses ${name}, ${why}`) })
  }
  // Who first asks what it could observe finds nothing.
  replace(PerformanceObserver, { supportedEntryTypes: Object.freeze([]) })
  surround(refusedMethods, (_, name) => refused(`uses ${name}, ${realTimed}`))
  replace(window, {
    open: (/** @type {unknown} */ address) => {
      tell(`opens a window (${String(address)})`)
      return null
    },
  })
  const hidden = 'has a shadow tree, which cannot be looked into; put its elements into the page'
  replace(Element.prototype, { attachShadow: refused(hidden), setHTMLUnsafe: refused(hidden) })
  refuseMessages()
  refuseRewriting(refused('writes its page anew (document.open or document.write after it was read)'))
}

/** Only this frame may speak to itself: a message of another would move it. */
function refuseMessages() {
  addEventListener(
    'message',
    (event) => {
      if (event.source !== window) event.stopImmediatePropagation()
    },
    true,
  )
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
