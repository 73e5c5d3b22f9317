import { listen, replace, replaceGetter, wrapNatives } from './natives.js'
import { observeElements, uncontrolledTime } from './restrictions.js'

/** Methods whose calls cause drawing events, also for listeners added later. */
const drawEventMethods = {
  window: ['scroll', 'scrollTo', 'scrollBy'],
  Element: ['scroll', 'scrollTo', 'scrollBy', 'scrollIntoView', 'scrollIntoViewIfNeeded'],
  HTMLElement: ['focus'],
  SVGElement: ['focus'],
  MathMLElement: ['focus'],
  Animation: ['finish', 'cancel'],
  HTMLDialogElement: ['close', 'requestClose'],
  HTMLInputElement: ['select', 'setSelectionRange', 'setRangeText'],
  HTMLTextAreaElement: ['select', 'setSelectionRange', 'setRangeText'],
}

/**
 * Watches calls that cause drawing events, because listeners may be added after the call.
 *
 * @param {() => void} begin
 */
function watchCalls(begin) {
  wrapNatives(
    drawEventMethods,
    (native) =>
      /** @this {unknown} @param {unknown[]} args */
      function (...args) {
        begin()
        return /** @type {unknown} */ (Reflect.apply(native, this, args))
      },
  )
  for (const name of ['scrollTop', 'scrollLeft']) {
    const native = Object.getOwnPropertyDescriptor(Element.prototype, name)
    Object.defineProperty(Element.prototype, name, {
      ...native,
      /** @this {Element} @param {unknown} value */
      set(value) {
        begin()
        native?.set?.call(this, value)
      },
    })
  }
}

/** Styles that depend on the previous draw, so a script may measure the state of the previous frame. */
const drawnStyles = [
  ...['content-visibility', 'animation-timeline', 'animation-trigger'],
  ...['scroll-timeline', 'scroll-timeline-name', 'view-timeline', 'view-timeline-name'],
  ...['timeline-trigger', 'timeline-trigger-name', 'timeline-trigger-source'],
].join('|')
const inScripts = drawnStyles.replaceAll(/-([a-z])/g, (_, letter) => String(letter).toUpperCase())

/** Matches these styles in CSS and in scripts; may match a script's own names as well. */
const drawnStyleNames = new RegExp(
  [
    String.raw`(?<![\w.#-])(?:${drawnStyles})\s*:`,
    String.raw`['"\x60](?:${drawnStyles}|${inScripts})['"\x60]\s*[,\]:]`,
    String.raw`(?<!\bthis)\.(?:${inScripts})\b`,
    String.raw`\b(?:${inScripts})\s*:\s*['"\x60\[]`,
    String.raw`\bnew\s+(?:\w+\.)?(?:Scroll|View)Timeline\b`,
    String.raw`\bscroll-state\(`,
  ].join('|'),
)

/** Whether elements, style sheets or scripts of the page name such styles. */
function namesDrawnStyles() {
  return drawnStyleNames.test(document.documentElement.outerHTML)
}

/**
 * Events that the browser delivers while drawing a frame, by lower-case name. Other events arrive in tasks, for which
 * frames wait. Resize and media events are missing because a particle's size never changes.
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

/** Handler attributes and properties of these events. */
const drawnHandlers = [...drawnTypes.keys()].map((type) => `on${type}`)

const { getAttributeNames: attributesOf } = Element.prototype

/**
 * Tracks whether the particle observes drawing, and whether a draw delivered events. If it observes drawing, every frame
 * must be drawn until no more events arrive, so that capturing a frame delivers none.
 *
 * @param {(message: string) => void} report
 */
export function createDrawEvents(report) {
  let listens = false
  let delivered = false
  /** Draws in a row without events, and how many are enough. */
  const quiet = { drawings: 0, enough: 1 }
  const begin = () => void (listens = true)
  const recordDelivery = () => void (delivered = true)
  watchListeners((target, type) => {
    begin()
    // Registered first, because other listeners may stop the event.
    listen.call(target, type, recordDelivery, true)
  })
  watchPromises(begin, recordDelivery)
  watchObservers(begin, recordDelivery, report)
  watchCalls(begin)
  return {
    isListening: () => listens,
    /** Returns whether another draw is needed because this one delivered events. Call after each draw. */
    isUnsettled() {
      quiet.drawings = delivered ? 0 : quiet.drawings + 1
      delivered = false
      if (quiet.drawings < quiet.enough) return true
      quiet.drawings = 0
      return false
    },
    /** Checks for styles that depend on the previous draw. */
    checkStyles() {
      if (!namesDrawnStyles()) return
      begin()
      // Elements that become relevant in one draw appear in the next.
      quiet.enough = 2
    },
  }
}

/**
 * Watches listeners of these events, whether added by function, property or attribute.
 *
 * @param {(target: EventTarget, type: string) => void} onListener
 */
function watchListeners(onListener) {
  wrapNatives(
    { EventTarget: ['addEventListener'] },
    (native) =>
      /** @this {EventTarget | undefined} @param {unknown[]} args */
      function (...args) {
        const [type] = args
        if (typeof type === 'string' && drawnTypes.get(type.toLowerCase()) === type) {
          onListener(this ?? window, type)
        }
        return /** @type {unknown} */ (Reflect.apply(native, this, args))
      },
  )
  /** @param {EventTarget} target @param {string} handler */
  const handle = (target, handler) => {
    const type = drawnTypes.get(handler.slice('on'.length))
    // Handlers of the body belong to its window.
    if (type !== undefined) onListener(target instanceof HTMLBodyElement ? window : target, type)
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
  watchHandlerAttributes(handle)
}

/** @param {(target: EventTarget, handler: string) => void} handle */
function watchHandlerAttributes(handle) {
  observeElements(drawnHandlers, (element) => {
    for (const name of attributesOf.call(element)) if (drawnHandlers.includes(name)) handle(element, name)
  })
}

/**
 * Watches promises of animations: they become ready, and scroll-driven ones end, while a frame is drawn.
 *
 * @param {() => void} begin
 * @param {() => void} recordDelivery
 */
function watchPromises(begin, recordDelivery) {
  for (const name of ['ready', 'finished']) {
    const native = Object.getOwnPropertyDescriptor(Animation.prototype, name)
    replaceGetter(Animation.prototype, name, (one) => {
      if (name === 'ready') begin()
      const promise = /** @type {Promise<Animation>} */ (native?.get?.call(one))
      promise.then(recordDelivery, recordDelivery)
      return promise
    })
  }
}

/**
 * @param {() => void} begin
 * @param {() => void} recordDelivery
 * @param {(message: string) => void} report
 */
function watchObservers(begin, recordDelivery, report) {
  for (const native of [IntersectionObserver, ResizeObserver]) {
    const observer = new Proxy(native, {
      construct(target, [call, options], newTarget) {
        begin()
        if (options?.delay > 0) report(`uses ${native.name} with a delay, ${uncontrolledTime}`)
        /** @this {unknown} @param {unknown[]} entries */
        function recordingCall(...entries) {
          recordDelivery()
          Reflect.apply(call, this, entries)
        }
        // A value that is not a function is passed on, for the browser to reject.
        const callback = typeof call === 'function' ? recordingCall : call
        return Reflect.construct(target, [callback, options], newTarget)
      },
    })
    replace(window, { [native.name]: observer })
    replace(native.prototype, { constructor: observer })
  }
}
