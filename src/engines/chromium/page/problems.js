import { wrapNatives } from './natives.js'
import { inspectElements, noNetwork, uncontrolledTime, restrictApis } from './restrictions.js'

/**
 * Reports failures in this frame: scripts, promises, images, and violations of its policy.
 *
 * @param {(message: string, line?: number) => void} report
 */
function reportErrors(report) {
  const particleFile = 'about:srcdoc'
  addEventListener(
    'error',
    (/** @type {Event} */ event) => {
      const { target } = event
      if (event instanceof ErrorEvent) {
        // Undelivered size observations follow in the next draw, which comes at once.
        if (event.message.startsWith('ResizeObserver loop')) return
        report(event.message, event.filename === particleFile ? event.lineno : 0)
      } else if (target instanceof HTMLImageElement && target.src.startsWith('data:')) {
        report(`an image cannot be decoded: ${target.src.slice(0, 60)}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    const line = reason instanceof Error ? /about:srcdoc:(\d+)/.exec(reason.stack ?? '')?.[1] : undefined
    report(`Uncaught (in promise) ${String(reason)}`, Number(line ?? 0))
  })
  addEventListener(
    'securitypolicyviolation',
    ({ effectiveDirective, blockedURI, lineNumber, sourceFile }) => {
      const violation = blockedURI.startsWith('blob')
        ? 'shows a blob that is not an image: give it a type such as image/png'
        : `requests ${blockedURI}; ${noNetwork}`
      report(
        effectiveDirective === 'worker-src' ? `starts a worker, ${uncontrolledTime}` : violation,
        // Of about:srcdoc, the event has the scheme only; of the script that replaces natives, no file.
        sourceFile === 'about' ? lineNumber : 0,
      )
    },
  )
}

/** Most elements: with more, each frame takes seconds. */
const maxElements = 5000

/** Most problems reported at once. */
const maxProblems = 20

/** Characters of a message. */
const maxCharacters = 300

/** Natives with which a page can keep running without timers. */
const selfDrivenNatives = {
  window: ['postMessage'],
  MessagePort: ['postMessage'],
}

/**
 * Collects problems of this frame: errors, and uses of what leaves the frame or cannot be played frame by frame.
 *
 * @param {(image: HTMLImageElement) => void} awaitImage called with images that load
 */
export function createProblemLog(awaitImage) {
  /** @type {Map<string, number | undefined>} */
  const problems = new Map()
  const report = (/** @type {string} */ text, /** @type {number} */ line = 0) => {
    const message = text.slice(0, maxCharacters)
    if (problems.size < maxProblems && !problems.has(message)) problems.set(message, line || undefined)
  }
  reportErrors(report)
  restrictApis(report)
  inspectElements(report, awaitImage)
  const elements = document.getElementsByTagName('*')

  return {
    report,
    /** Returns whether the page may change without timers. */
    usesMessages: tracksUse(selfDrivenNatives),
    /** Returns and clears the problems. */
    take() {
      if (elements.length > maxElements) {
        report(`has ${elements.length} elements; at most ${maxElements} can be drawn`)
      }
      const list = [...problems].map(([message, line]) => ({ message, line }))
      problems.clear()
      return list
    },
  }
}

/**
 * Returns a function that reports whether any native of the table was called.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 */
function tracksUse(table) {
  let used = false
  wrapNatives(
    table,
    (native) =>
      /** @this {unknown} @param {unknown[]} args */
      function (...args) {
        used = true
        return /** @type {unknown} */ (Reflect.apply(native, this, args))
      },
  )
  return () => used
}
