import { hearCalls } from './drawing-calls.js'
import { namesDrawnStyles } from './drawn-styles.js'
import { meetElements } from './elements.js'
import { replace, replaceGetter, surround } from './natives.js'
import { listen } from './pristine.js'
import { realTimed } from './refuse.js'

/**
 * Events that the browser tells as it draws a frame, by their names in lower case. All others come by tasks, for which
 * frames wait; sizes and media are not among them, as those of a particle never change.
 */
const drawnTypes = new Map(
  [
    ...['scroll', 'scrollend', 'scrollsnapchange', 'scrollsnapchanging'],
    ...['animationstart', 'animationiteration', 'animationend', 'animationcancel'],
    ...['webkitAnimationStart', 'webkitAnimationIteration', 'webkitAnimationEnd', 'webkitTransitionEnd'],
    ...['transitionrun', 'transitionstart', 'transitionend', 'transitioncancel'],
    // Of animations, dialogs and fields.
    ...['finish', 'cancel', 'remove', 'close', 'select', 'contentvisibilityautostatechange'],
    ...['fullscreenchange', 'fullscreenerror', 'webkitfullscreenchange', 'webkitfullscreenerror'],
  ].map((type) => [type.toLowerCase(), type]),
)

/** Attributes and properties that listen to them. */
const drawnHandlers = [...drawnTypes.keys()].map((type) => `on${type}`)

const { getAttributeNames: attributesOf } = Element.prototype

/**
 * Notes whether anything can be told of frames as they are drawn, and when it is: who hears of any has to have each
 * frame drawn, wherever that is captured, until nothing more is told. What a capture draws then tells nothing.
 *
 * @param {(message: string) => void} tell
 */
export function makeHearing(tell) {
  let hears = false
  let told = false
  /** Drawings in a row that told nothing, and how many of them are enough. */
  const quiet = { drawings: 0, enough: 1 }
  const begin = () => void (hears = true)
  const note = () => void (told = true)
  hearListeners((target, type) => {
    begin()
    // Before whoever asks, who may keep an event from others.
    listen.call(target, type, note, true)
  })
  hearPromises(begin, note)
  hearObservers(begin, note, tell)
  hearCalls(begin)
  return {
    isHearing: () => hears,
    /** After a drawing: whether it takes another one, as this one told something. */
    isUnsettled() {
      quiet.drawings = told ? 0 : quiet.drawings + 1
      told = false
      if (quiet.drawings < quiet.enough) return true
      quiet.drawings = 0
      return false
    },
    /** Looks for styles that follow what was drawn: of its elements, and by name in its style sheets and scripts. */
    meetStyles() {
      if (!namesDrawnStyles()) return
      begin()
      // What becomes relevant in one drawing is only there in the next.
      quiet.enough = 2
    },
  }
}

/**
 * Hears of whoever asks for one of these events, by a function, a property or an attribute.
 *
 * @param {(target: EventTarget, type: string) => void} attend
 */
function hearListeners(attend) {
  surround(
    { EventTarget: ['addEventListener'] },
    (native) =>
      /** @this {EventTarget | undefined} @param {unknown[]} given */
      function (...given) {
        const [type] = given
        if (typeof type === 'string' && drawnTypes.get(type.toLowerCase()) === type) {
          attend(this ?? window, type)
        }
        return /** @type {unknown} */ (Reflect.apply(native, this, given))
      },
  )
  /** @param {EventTarget} target @param {string} handler */
  const handle = (target, handler) => {
    const type = drawnTypes.get(handler.slice('on'.length))
    // What a body is given is its window's.
    if (type !== undefined) attend(target instanceof HTMLBodyElement ? window : target, type)
  }
  const classes = [Animation, Document, Element, HTMLElement, HTMLBodyElement, SVGElement, MathMLElement]
  for (const owner of [window, ...classes.map(({ prototype }) => prototype)]) {
    for (const handler of drawnHandlers) {
      const native = Object.getOwnPropertyDescriptor(owner, handler)
      if (!native?.set) continue
      Object.defineProperty(owner, handler, {
        ...native,
        /** @this {EventTarget | undefined} @param {unknown} value */
        set(value) {
          handle(this ?? window, handler)
          native.set?.call(this, value)
        },
      })
    }
  }
  meetHandlers(handle)
}

/** @param {(target: EventTarget, handler: string) => void} handle */
function meetHandlers(handle) {
  meetElements(drawnHandlers, (element) => {
    for (const name of attributesOf.call(element)) if (drawnHandlers.includes(name)) handle(element, name)
  })
}

/**
 * Animations become ready as a frame is drawn; those that follow what is scrolled end then.
 *
 * @param {() => void} begin
 * @param {() => void} note
 */
function hearPromises(begin, note) {
  for (const name of ['ready', 'finished']) {
    const native = Object.getOwnPropertyDescriptor(Animation.prototype, name)
    replaceGetter(Animation.prototype, name, (one) => {
      if (name === 'ready') begin()
      const promise = /** @type {Promise<Animation>} */ (native?.get?.call(one))
      promise.then(note, note)
      return promise
    })
  }
}

/**
 * @param {() => void} begin
 * @param {() => void} note
 * @param {(message: string) => void} tell
 */
function hearObservers(begin, note, tell) {
  for (const native of [IntersectionObserver, ResizeObserver]) {
    const observer = new Proxy(native, {
      construct(target, [call, options], made) {
        begin()
        if (options?.delay > 0) tell(`uses ${native.name} with a delay, ${realTimed}`)
        /** @this {unknown} @param {unknown[]} entries */
        function noting(...entries) {
          note()
          Reflect.apply(call, this, entries)
        }
        // What is no function is left so, for the browser to refuse.
        const given = typeof call === 'function' ? noting : call
        return Reflect.construct(target, [given, options], made)
      },
    })
    replace(window, { [native.name]: observer })
    replace(native.prototype, { constructor: observer })
  }
}
