import type { Protocol } from 'devtools-protocol'
import type { Method } from './cdp-pipe.ts'
import { loadLibrary, libraryFileName } from './libraries.ts'
import { animatedImageLine, animatedImageMessage } from './particle-source.ts'
import type { PageSession } from './page-session.ts'
import { blockedRequestMessage, isEmbeddedUrl } from './particle-document.ts'
import { truncateMessage, type ParticleProblem } from './particle.ts'

/** Violations reported per frame. */
const maxViolations = 20

/**
 * Monitors the frames of a page: responds to their requests and records violations, such as blocked requests.
 * Violations of nested frames are attributed to the particle's frame.
 */
export class FrameMonitor {
  readonly #page: PageSession
  readonly #main: string
  /** Latest script execution context of each frame. */
  readonly #contexts = new Map<string, number>()
  /** Parent of each frame within the page. */
  readonly #parents = new Map<string, string>()
  readonly #violations = new Map<string, string[]>()
  readonly #navigated = new Set<string>()
  #latest = ''
  /** Requests are processed one at a time, because a page may send thousands at once. */
  #responses = Promise.resolve()

  /** main: id of the page's own frame. */
  constructor(page: PageSession, main: string) {
    this.#page = page
    this.#main = main
    this.#listen()
  }

  /** The frame that was added to the page last. */
  get latestFrameId(): string {
    return this.#latest
  }

  /** Returns the script context of a frame, by default of the page's own frame. */
  contextId(frameId = this.#main): number | undefined {
    return this.#contexts.get(frameId)
  }

  /** Returns and clears the recorded violations of a frame. */
  takeViolations(frameId: string): ParticleProblem[] {
    const violations = this.#violations.get(frameId) ?? []
    this.#violations.delete(frameId)
    return violations.map((message) => ({ message }))
  }

  /** Forgets a frame that was removed from the page. */
  forget(frameId: string): void {
    this.#violations.delete(frameId)
    this.#contexts.delete(frameId)
    this.#parents.delete(frameId)
    this.#navigated.delete(frameId)
  }

  #listen(): void {
    const { pipe } = this.#page
    pipe.on('Runtime.executionContextCreated', ({ context: { id, auxData } }) => {
      if (auxData.isDefault) this.#contexts.set(auxData.frameId, id)
    })
    pipe.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      this.#parents.set(frameId, parentFrameId)
      if (parentFrameId === this.#main) this.#latest = frameId
      else this.#record(parentFrameId, 'contains a nested frame, whose time cannot be controlled')
    })
    pipe.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      // The first navigation loads the particle itself.
      if (this.#navigated.has(frameId))
        this.#record(frameId, `navigates to ${url}; a particle must not navigate`)
      this.#navigated.add(frameId)
    })
    // Checked here too: scripts can create image URLs, and some requests end before they are paused.
    pipe.on('Network.requestWillBeSent', ({ frameId, request: { url } }) => {
      if (frameId === undefined) return
      if (animatedImageLine(url) !== undefined) this.#record(frameId, animatedImageMessage)
      else if (!isEmbeddedUrl(url) && libraryFileName(url) === undefined)
        this.#record(frameId, blockedRequestMessage(url))
    })
    pipe.on('Fetch.requestPaused', (request) => {
      this.#responses = this.#responses.then(() => this.#respond(request))
    })
  }

  async #respond({ requestId, frameId, request: { url } }: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const call = (method: Method, params: object) =>
      // The page may be closed by now; then no response is needed.
      this.#page.call(method, { requestId, ...params }).catch(() => undefined)
    if (isEmbeddedUrl(url)) return void (await call('Fetch.continueRequest', {}))
    const library = await loadLibrary(url).catch((error: unknown) => ({
      missing: `requests ${url}, which cannot be read (${String(error)})`,
    }))
    if (library && 'script' in library) {
      const responseHeaders = [
        { name: 'content-type', value: 'text/javascript' },
        { name: 'access-control-allow-origin', value: '*' },
      ]
      const body = library.script.toString('base64')
      return void (await call('Fetch.fulfillRequest', { responseCode: 200, responseHeaders, body }))
    }
    this.#record(frameId, library?.missing ?? blockedRequestMessage(url))
    await call('Fetch.failRequest', { errorReason: 'BlockedByClient' })
  }

  #record(frameId: string, violation: string): void {
    let owner = frameId
    for (let parent = this.#parents.get(owner); parent !== undefined && parent !== this.#main;) {
      owner = parent
      parent = this.#parents.get(owner)
    }
    const recorded = this.#violations.get(owner) ?? []
    this.#violations.set(owner, recorded)
    const message = truncateMessage(violation)
    if (recorded.length < maxViolations && !recorded.includes(message)) recorded.push(message)
  }
}
