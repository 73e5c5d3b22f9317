import { tameBlobs } from './blobs.js'
import { surround, wrap } from './natives.js'
import { isPromise, listen } from './pristine.js'
import { makeUnderWay } from './under-way.js'

/** Natives that answer once the browser has done what they ask for, in real time, by where they are. */
const answering = {
  window: ['createImageBitmap', 'fetch'],
  Blob: ['arrayBuffer', 'bytes', 'text'],
  FontFaceSet: ['load'],
  FontFace: ['load'],
  HTMLImageElement: ['decode'],
  WebAssembly: ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'],
  BaseAudioContext: ['decodeAudioData'],
}

/** The same where one may wait for another that was begun later: of streams, and of sound that halts on its way. */
const streaming = {
  OfflineAudioContext: ['startRendering'],
  ReadableStream: ['pipeTo'],
  ReadableStreamDefaultReader: ['read'],
  ReadableStreamBYOBReader: ['read'],
  Request: ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'],
  Response: ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'],
}

/** Natives that tell by events, the last of which is `loadend`. */
const telling = {
  FileReader: ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText'],
  XMLHttpRequest: ['send'],
}

/**
 * Counts what the browser does in real time for this particle, so that a frame can wait until nothing is under way.
 * Who asks for several things at once learns of them in the order in which they were asked for, whichever takes
 * longer: so every run is the same.
 *
 * @param {number} mostMs real time that a frame waits
 */
export function makePending(mostMs) {
  const { add, follow, rest } = makeUnderWay(mostMs)
  followNatives(follow)
  tameBlobs(follow)
  return {
    /**
     * Waits for an image as well, wherever it is.
     *
     * @param {HTMLImageElement} image
     */
    meet(image) {
      // Far from what is seen it would never load.
      if (image.loading === 'lazy') image.loading = 'eager'
      if (!image.complete) add({ name: 'an image', isOver: () => image.complete })
    },
    /** Waits for fonts as well, which are only asked for once something is laid out with them. */
    meetFonts() {
      if (document.fonts.size === 0) return
      document.documentElement.getBoundingClientRect()
      if (document.fonts.status === 'loading') void follow('a font', document.fonts.ready)
    },
    rest,
  }
}

/**
 * Puts itself between the natives and the particle.
 *
 * @param {(name: string, answer: Promise<unknown>, before?: Promise<void>) => Promise<unknown>} follow
 */
function followNatives(follow) {
  let last = Promise.resolve()
  const inTurn = async (/** @type {string} */ name, /** @type {Promise<unknown>} */ answer) => {
    const before = last
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers()
    last = promise
    try {
      return await follow(name, answer, before)
    } finally {
      resolve()
    }
  }
  const following =
    (/** @type {typeof inTurn} */ waiting) => (/** @type {Function} */ native, /** @type {string} */ name) =>
      /** @this {unknown} @param {unknown[]} given */
      function (...given) {
        const answer = /** @type {unknown} */ (Reflect.apply(native, this, given))
        return isPromise(answer) ? waiting(`${name}()`, answer) : answer
      }
  surround(answering, following(inTurn))
  surround(streaming, following(follow))
  // What reads a stream in a loop; it has no name of its own.
  const loop = /** @type {object} */ (Object.getPrototypeOf(new ReadableStream().values()))
  wrap(loop, ['next'], following(follow))
  surround(
    telling,
    (native, name) =>
      /** @this {EventTarget} @param {unknown[]} given */
      function (...given) {
        /** @type {PromiseWithResolvers<unknown>} */
        const { promise, resolve } = Promise.withResolvers()
        listen.call(this, 'loadend', resolve, { once: true })
        Reflect.apply(native, this, given)
        void follow(`${name}()`, promise)
      },
  )
}
