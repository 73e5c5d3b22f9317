import { replace } from './natives.js'
import { attempt, turn } from './pristine.js'

/**
 * Has blobs of images, and what is made of them, take no real time.
 *
 * @param {(name: string, answer: Promise<unknown>) => Promise<unknown>} follow has a frame wait for work
 */
export function tameBlobs(follow) {
  inlineImages()
  hastenBlobs(follow)
}

/**
 * Gives an image that is a blob the address of its bytes: what styles and drawings show of it is then there at once,
 * where no frame could wait for it.
 */
function inlineImages() {
  const { createObjectURL, revokeObjectURL } = URL
  replace(URL, {
    createObjectURL: (/** @type {unknown} */ given) => {
      if (!(given instanceof Blob) || !/^image\//i.test(given.type)) {
        return createObjectURL.call(URL, /** @type {Blob} */ (given))
      }
      // A mark of byte order at its beginning would tell how to read it.
      const address = createObjectURL.call(URL, new Blob(['.', given]))
      const bytes = bytesAt(address).slice(1)
      revokeObjectURL.call(URL, address)
      return `data:${given.type};base64,${btoa(bytes)}`
    },
  })
}

/** How browsers write a canvas where nothing else is asked for. */
const usualType = 'image/png'

/**
 * Makes what is drawn on a canvas a blob at once: by itself the browser does it when it has nothing else to do, which
 * may take it a second. Who asked is told in a turn of its own all the same.
 *
 * @param {(name: string, answer: Promise<unknown>) => Promise<unknown>} follow
 */
function hastenBlobs(follow) {
  const { toDataURL } = HTMLCanvasElement.prototype
  /** @param {HTMLCanvasElement} canvas @param {string} [type] @param {number} [quality] */
  const blobOf = (canvas, type = usualType, quality) => {
    const [head = '', body = ''] = toDataURL.call(canvas, type, quality).split(',')
    const bytes = Uint8Array.from(atob(body), (one) => one.charCodeAt(0))
    return bytes.length === 0
      ? null
      : new Blob([bytes], { type: /^data:([^;]*)/.exec(head)?.[1] ?? usualType })
  }
  replace(HTMLCanvasElement.prototype, {
    /** @this {HTMLCanvasElement} @param {BlobCallback} call @param {string} [type] @param {number} [quality] */
    toBlob(call, type, quality) {
      const blob = blobOf(this, type, quality)
      void follow('toBlob()', turn()).then(() => attempt(() => call(blob)))
    },
  })
  if (!('OffscreenCanvas' in window)) return
  replace(OffscreenCanvas.prototype, {
    /** @this {OffscreenCanvas} @param {ImageEncodeOptions} [options] */
    async convertToBlob(options) {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: this.width, height: this.height })
      canvas.getContext('2d')?.drawImage(this, 0, 0)
      const blob = blobOf(canvas, options?.type, options?.quality)
      if (!blob) throw new DOMException('the canvas has no pixels', 'IndexSizeError')
      return blob
    },
  })
}

/** What lies at an address, each character of the answer one byte. @param {string} address */
function bytesAt(address) {
  const request = new XMLHttpRequest()
  request.open('GET', address, false)
  request.overrideMimeType('text/plain; charset=x-user-defined')
  request.send()
  return request.responseText.replaceAll(/[^\0-\xff]/g, (one) =>
    String.fromCharCode(one.charCodeAt(0) & 0xff),
  )
}
