/** Drives the animation elements of SVG drawings. */
export function makeDrawings() {
  const kinds = ['animate', 'animateTransform', 'animateMotion', 'set'].map((name) =>
    document.getElementsByTagNameNS('http://www.w3.org/2000/svg', name),
  )
  /** @type {WeakMap<SVGSVGElement, number>} */
  const times = new WeakMap()
  return {
    /** @param {number} ms */
    move(ms) {
      const drawings = new Set(
        kinds.flatMap((elements) => [...elements].flatMap((one) => outermost(one) ?? [])),
      )
      for (const drawing of drawings) {
        const before = times.get(drawing)
        const at = before === undefined ? 0 : before + ms
        drawing.pauseAnimations()
        drawing.setCurrentTime(at / 1000)
        times.set(drawing, at)
      }
      return drawings.size > 0
    },
  }
}

/** @param {Element} element */
function outermost(element) {
  let found
  for (let at = element.closest('svg'); at; at = at.parentElement?.closest('svg') ?? null) found = at
  return found
}
