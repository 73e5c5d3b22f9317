import { callSafely, replace, nextTask } from './natives.js'

/**
 * Makes image blobs, and URLs created from them, available without real-time delay.
 *
 * @param {(name: string, work: Promise<unknown>) => Promise<unknown>} track makes a frame wait for work
 */
export function makeBlobsSynchronous(track) {
  inlineImageBlobs()
  encodeCanvasesAtOnce(track)
}

/**
 * Returns data URLs for image blobs: styles and SVG then show them at once, where a frame could not wait for them.
 */
function inlineImageBlobs() {
  const { createObjectURL, revokeObjectURL } = URL
  replace(URL, {
    createObjectURL: (/** @type {unknown} */ source) => {
      if (!(source instanceof Blob) || !/^image\//i.test(source.type)) {
        return createObjectURL.call(URL, /** @type {Blob} */ (source))
      }
      // The prefix keeps a byte order mark at the beginning from changing the encoding.
      const address = createObjectURL.call(URL, new Blob(['.', source]))
      const bytes = bytesAt(address).slice(1)
      revokeObjectURL.call(URL, address)
      return `data:${source.type};base64,${btoa(bytes)}`
    },
  })
}

/** Type of an encoded canvas by default. */
const defaultImageType = 'image/png'

/**
 * Encodes canvases to blobs at once; the browser does it when idle, which may take a second. Callbacks still run in a
 * later task.
 *
 * @param {(name: string, work: Promise<unknown>) => Promise<unknown>} track
 */
function encodeCanvasesAtOnce(track) {
  const { toDataURL } = HTMLCanvasElement.prototype
  /** @param {HTMLCanvasElement} canvas @param {string} [type] @param {number} [quality] */
  const blobOf = (canvas, type = defaultImageType, quality) => {
    const [head = '', body = ''] = toDataURL.call(canvas, type, quality).split(',')
    const bytes = Uint8Array.from(atob(body), (one) => one.charCodeAt(0))
    return bytes.length === 0
      ? null
      : new Blob([bytes], { type: /^data:([^;]*)/.exec(head)?.[1] ?? defaultImageType })
  }
  replace(HTMLCanvasElement.prototype, {
    /** @this {HTMLCanvasElement} @param {BlobCallback} call @param {string} [type] @param {number} [quality] */
    toBlob(call, type, quality) {
      const blob = blobOf(this, type, quality)
      void track('toBlob()', nextTask()).then(() => callSafely(() => call(blob)))
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

/** Reads a URL as a string with one character per byte. @param {string} address */
function bytesAt(address) {
  const request = new XMLHttpRequest()
  request.open('GET', address, false)
  request.overrideMimeType('text/plain; charset=x-user-defined')
  request.send()
  return request.responseText.replaceAll(/[^\0-\xff]/g, (one) =>
    String.fromCharCode(one.charCodeAt(0) & 0xff),
  )
}
