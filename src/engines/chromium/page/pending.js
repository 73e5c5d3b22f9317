import { makeBlobsSynchronous } from './blobs.js'
import { isPromise, listen, realTime, wrapNatives, nextTask, waitAtMost, wrapMethods } from './natives.js'

/** Interval in ms for polling work that has no event. */
const pollMs = 10

/** @typedef {{ readonly name: string, readonly isOver: () => boolean }} Work */

/**
 * Tracks the work a frame waits for.
 *
 * @param {number} maxMs longest real time that a frame waits
 */
function createWorkTracker(maxMs) {
  /** @type {Set<Work>} */
  const activeWork = new Set()
  let wake = () => {}
  let waitMs = maxMs
  return {
    add: (/** @type {Work} */ work) => void activeWork.add(work),
    /** @param {string} name @param {Promise<unknown>} promise @param {Promise<void>} [before] */
    async track(name, promise, before) {
      let over = false
      activeWork.add({ name, isOver: () => over })
      try {
        await promise.catch(() => undefined)
        await before
        return await promise
      } finally {
        over = true
        wake()
      }
    },
    /**
     * Runs pending tasks until no work is active. Reports work that does not finish in time, once: the particle is then
     * rejected, so nothing is awaited any more.
     *
     * @param {(message: string) => void} report
     */
    async settle(report) {
      const latest = realTime() + waitMs
      await nextTask()
      while (activeWork.size > 0) {
        const [first] = activeWork
        if (first && realTime() > latest) {
          if (waitMs > 0) {
            report(`${first.name} did not finish within ${maxMs / 1000} s, the longest wait for a frame`)
          }
          waitMs = 0
          activeWork.clear()
          return
        }
        const over = [...activeWork].filter(({ isOver }) => isOver())
        for (const one of over) activeWork.delete(one)
        const change = new Promise((/** @type {(value?: undefined) => void} */ resolve) => (wake = resolve))
        if (over.length === 0) await waitAtMost(change, pollMs)
        await nextTask()
      }
    },
  }
}

/** Natives that return a promise for work in real time, by class. */
const promiseNatives = {
  window: ['createImageBitmap', 'fetch'],
  Blob: ['arrayBuffer', 'bytes', 'text'],
  FontFaceSet: ['load'],
  FontFace: ['load'],
  HTMLImageElement: ['decode'],
  WebAssembly: ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'],
  BaseAudioContext: ['decodeAudioData'],
}

/** The same for streams and offline audio, which may depend on work started later. */
const streamNatives = {
  OfflineAudioContext: ['startRendering'],
  ReadableStream: ['pipeTo'],
  ReadableStreamDefaultReader: ['read'],
  ReadableStreamBYOBReader: ['read'],
  Request: ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'],
  Response: ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'],
}

/** Natives that report by events, the last of which is `loadend`. */
const eventNatives = {
  FileReader: ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText'],
  XMLHttpRequest: ['send'],
}

/**
 * Tracks the particle's work in real time, so that a frame can wait for it. Promises resolve in the order of their
 * calls, whichever takes longer, so every run is the same.
 *
 * @param {number} maxMs longest real time that a frame waits
 */
export function createPendingWork(maxMs) {
  const { add, track, settle } = createWorkTracker(maxMs)
  trackNatives(track)
  makeBlobsSynchronous(track)
  return {
    /**
     * Waits also for this image.
     *
     * @param {HTMLImageElement} image
     */
    awaitImage(image) {
      // Outside the viewport a lazy image would never load.
      if (image.loading === 'lazy') image.loading = 'eager'
      if (!image.complete) add({ name: 'an image', isOver: () => image.complete })
    },
    /** Waits also for fonts, which load only when something is laid out with them. */
    awaitFonts() {
      if (document.fonts.size === 0) return
      document.documentElement.getBoundingClientRect()
      if (document.fonts.status === 'loading') void track('a font', document.fonts.ready)
    },
    settle,
  }
}

/**
 * Wraps the natives so that their work is tracked.
 *
 * @param {(name: string, work: Promise<unknown>, before?: Promise<void>) => Promise<unknown>} track
 */
function trackNatives(track) {
  let last = Promise.resolve()
  const inCallOrder = async (/** @type {string} */ name, /** @type {Promise<unknown>} */ promise) => {
    const before = last
    /** @type {PromiseWithResolvers<void>} */
    const { promise: finished, resolve } = Promise.withResolvers()
    last = finished
    try {
      return await track(name, promise, before)
    } finally {
      resolve()
    }
  }
  const trackPromise =
    (/** @type {typeof inCallOrder} */ tracker) =>
    (/** @type {Function} */ native, /** @type {string} */ name) =>
      /** @this {unknown} @param {unknown[]} args */
      function (...args) {
        const promise = /** @type {unknown} */ (Reflect.apply(native, this, args))
        return isPromise(promise) ? tracker(`${name}()`, promise) : promise
      }
  wrapNatives(promiseNatives, trackPromise(inCallOrder))
  wrapNatives(streamNatives, trackPromise(track))
  // The async iterator of streams, which has no global name.
  const loop = /** @type {object} */ (Object.getPrototypeOf(new ReadableStream().values()))
  wrapMethods(loop, ['next'], trackPromise(track))
  wrapNatives(
    eventNatives,
    (native, name) =>
      /** @this {EventTarget} @param {unknown[]} args */
      function (...args) {
        /** @type {PromiseWithResolvers<unknown>} */
        const { promise, resolve } = Promise.withResolvers()
        listen.call(this, 'loadend', resolve, { once: true })
        Reflect.apply(native, this, args)
        void track(`${name}()`, promise)
      },
  )
}
