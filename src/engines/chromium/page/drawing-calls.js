import { surround } from './natives.js'

/** What tells of drawn frames once it was called, also those who listen only later. */
const toldByDrawing = {
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
 * What scrolls is told by the next drawing alone: that is where nobody listens yet, too.
 *
 * @param {() => void} begin
 */
export function hearCalls(begin) {
  surround(
    toldByDrawing,
    (native) =>
      /** @this {unknown} @param {unknown[]} given */
      function (...given) {
        begin()
        return /** @type {unknown} */ (Reflect.apply(native, this, given))
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
