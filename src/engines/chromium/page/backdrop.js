import { observeElements } from './restrictions.js'

/** @typedef {'mix-blend-mode' | 'backdrop-filter'} BackdropProperty styles that read what is behind an element */

/** @typedef {{ property: BackdropProperty, value: string, element: string }} BackdropUse */

/** Most uses that are reported. */
const maxUses = 5

/** Elements that are searched for one that covers what is behind another one. */
const maxCovers = 500

/** Matches the names of these styles in CSS and in scripts. */
const backdropNames = /mix-?blend-?mode|backdrop-?filter/i

/** The element itself and its pseudo-elements. */
const boxes = [undefined, '::before', '::after']

/**
 * Finds elements whose style reads what is behind the page: the base video is not there, because particles are drawn on
 * transparency.
 */
export function createBackdropUses() {
  /** @type {Set<Element>} elements that appeared or whose style may have changed */
  const touched = new Set()
  /** @type {Map<Element, Omit<BackdropUse, 'element'>>} */
  const candidates = new Map()
  /** @type {Set<Element>} */
  const reported = new Set()
  /** @type {boolean | undefined} whether the page names such styles, once it has loaded */
  let namesThem
  observeElements(['class', 'style'], (element) => void touched.add(element))
  const inspect = () => {
    for (const element of touched) {
      const use = reported.has(element) ? undefined : backdropStyle(element)
      if (use) candidates.set(element, use)
      else candidates.delete(element)
    }
    touched.clear()
  }
  return {
    /** Returns the uses at this frame that were not returned before. Call first when the page has loaded. */
    take() {
      /** @type {BackdropUse[]} */
      const uses = []
      namesThem ??= backdropNames.test(document.documentElement.outerHTML)
      if (!namesThem || reported.size >= maxUses) {
        touched.clear()
        return uses
      }
      inspect()
      for (const [element, { property, value }] of candidates) {
        if (reported.size >= maxUses || !readsPage(element, property) || isCovered(element)) continue
        candidates.delete(element)
        reported.add(element)
        uses.push({ property, value, element: describeElement(element) })
      }
      return uses
    },
  }
}

/** @param {Element} element */
function backdropStyle(element) {
  for (const box of boxes) {
    const style = getComputedStyle(element, box)
    if (box !== undefined && ['none', 'normal'].includes(style.content)) continue
    const { mixBlendMode, backdropFilter } = style
    if (mixBlendMode !== 'normal')
      return { property: /** @type {const} */ ('mix-blend-mode'), value: mixBlendMode }
    if (backdropFilter !== 'none')
      return { property: /** @type {const} */ ('backdrop-filter'), value: backdropFilter }
  }
  return undefined
}

/**
 * Whether an element reads the page itself, not only an ancestor that is a group of its own.
 *
 * @param {Element} element
 * @param {BackdropProperty} property
 */
function readsPage(element, property) {
  if (!element.isConnected) return false
  for (let at = element.parentElement; at && at !== document.documentElement; at = at.parentElement) {
    const style = getComputedStyle(at)
    if (isBackdropRoot(style)) return false
    if (property === 'mix-blend-mode' && isStackingContext(style, at)) return false
  }
  return true
}

/**
 * Whether an element is what filters of its descendants read (filter-effects-2, backdrop root).
 *
 * @param {CSSStyleDeclaration} style
 */
function isBackdropRoot({ opacity, filter, backdropFilter, clipPath, maskImage, mixBlendMode }) {
  return (
    Number(opacity) < 1 ||
    mixBlendMode !== 'normal' ||
    [filter, backdropFilter, clipPath, maskImage].some((value) => value !== 'none')
  )
}

/**
 * Whether an element is a stacking context, which isolates blending (compositing-1, 2.1.1).
 *
 * @param {CSSStyleDeclaration} style
 * @param {Element} element
 */
function isStackingContext(style, element) {
  const { position, zIndex, isolation, transform, scale, rotate, translate, perspective, contain } = style
  const parent = element.parentElement
  const isPlaced = position !== 'static' || (parent && /flex|grid/.test(getComputedStyle(parent).display))
  return (
    isolation === 'isolate' ||
    ['fixed', 'sticky'].includes(position) ||
    (zIndex !== 'auto' && isPlaced) ||
    [transform, scale, rotate, translate, perspective].some((value) => value !== 'none') ||
    /layout|paint|strict|content/.test(contain)
  )
}

/**
 * Whether opaque content of the particle is behind an element, so that nothing else is visible there, or the element is
 * outside the picture.
 *
 * @param {Element} element
 */
function isCovered(element) {
  const box = visibleBox(element)
  if (box.right <= box.left || box.bottom <= box.top) return true
  let inspected = 0
  for (const other of document.querySelectorAll('*')) {
    inspected += 1
    if (other === element || inspected > maxCovers) return false
    if (isOpaque(other) && contains(visibleBox(other), box)) return true
  }
  return false
}

/** @param {Element} element */
function visibleBox(element) {
  // The background of these covers the page, however large they are.
  if (element === document.documentElement || element === document.body)
    return { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return {
    left: Math.max(0, left),
    top: Math.max(0, top),
    right: Math.min(innerWidth, right),
    bottom: Math.min(innerHeight, bottom),
  }
}

/** @typedef {ReturnType<typeof visibleBox>} Box */

/** @param {Box} outer @param {Box} inner */
function contains(outer, inner) {
  return (
    outer.left <= inner.left &&
    outer.top <= inner.top &&
    outer.right >= inner.right &&
    outer.bottom >= inner.bottom
  )
}

/**
 * Whether an element fills its box with an opaque colour.
 *
 * @param {Element} element
 */
function isOpaque(element) {
  const { backgroundColor, borderRadius, visibility, mixBlendMode, display } = getComputedStyle(element)
  if (!backgroundColor.startsWith('rgb(') || borderRadius !== '0px') return false
  if (visibility !== 'visible' || mixBlendMode !== 'normal' || display === 'none') return false
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
    const style = getComputedStyle(at)
    const isUpright = style.transform === 'none' || /^matrix\([^,]+, 0, 0, /.test(style.transform)
    if (isBackdropRoot(style) || !isUpright || style.rotate !== 'none') return false
  }
  return true
}

/** @param {Element} element */
function describeElement({ localName, id, classList }) {
  const [name] = classList
  return `<${localName}${id ? ` id="${id}"` : name === undefined ? '' : ` class="${name}"`}>`.slice(0, 60)
}
