import { noNetwork, realTimed } from './refuse.js'

/**
 * Tells of all that fails in this frame: scripts, promises, images, and what its policy refuses.
 *
 * @param {(message: string, line?: number) => void} tell
 */
export function hearErrors(tell) {
  const own = 'about:srcdoc'
  addEventListener(
    'error',
    (/** @type {Event} */ event) => {
      const { target } = event
      if (event instanceof ErrorEvent) {
        // What a drawing leaves untold of sizes is told in the next, which follows at once.
        if (event.message.startsWith('ResizeObserver loop')) return
        tell(event.message, event.filename === own ? event.lineno : 0)
      } else if (target instanceof HTMLImageElement && target.src.startsWith('data:')) {
        tell(`an image cannot be decoded: ${target.src.slice(0, 60)}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    const line = reason instanceof Error ? /about:srcdoc:(\d+)/.exec(reason.stack ?? '')?.[1] : undefined
    tell(`Uncaught (in promise) ${String(reason)}`, Number(line ?? 0))
  })
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, lineNumber }) => {
    const asks = blockedURI.startsWith('blob')
      ? 'shows a blob that is no image: give it a type such as image/png'
      : `asks for ${blockedURI}; ${noNetwork}`
    tell(effectiveDirective === 'worker-src' ? `starts a worker, ${realTimed}` : asks, lineNumber)
  })
}
