/** Styles that follow what was drawn: what a script measures of them may be of the frame before. */
const drawnStyles = [
  ...['content-visibility', 'animation-timeline', 'animation-trigger'],
  ...['scroll-timeline', 'scroll-timeline-name', 'view-timeline', 'view-timeline-name'],
  ...['timeline-trigger', 'timeline-trigger-name', 'timeline-trigger-source'],
].join('|')
const inScripts = drawnStyles.replaceAll(/-([a-z])/g, (_, letter) => String(letter).toUpperCase())

/** In CSS, and as scripts name them, which may call something else of their own so. */
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

/** Whether the page names such styles: those of its elements, and what stands in its style sheets and scripts. */
export function namesDrawnStyles() {
  return drawnStyleNames.test(document.documentElement.outerHTML)
}
