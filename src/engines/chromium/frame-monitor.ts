import { loadLibrary, libraryFileName } from './libraries.ts'
import { animatedImageLine, animatedImageMessage } from './particle-source.ts'
import type { PageSession } from './page-session.ts'
import { blockedRequestMessage, isEmbeddedUrl } from './particle-document.ts'
import { truncateMessage, type ParticleProblem } from './particle.ts'

/** What a frame tried, as many as are told of it. */
const maxViolations = 20

/**
 * The frames within a page: answers what they ask for, and keeps what the browser saw each of them try. What frames
 * within them try counts as theirs.
 */
export class FrameMonitor {
  readonly #page: PageSession
  readonly #main: string
  /** Each frame's latest context for scripts. */
  readonly #contexts = new Map<string, number>()
  /** The frames within the page and what they lie in. */
  readonly #parents = new Map<string, string>()
  readonly #tried = new Map<string, string[]>()
  readonly #filled = new Set<string>()
  #newest = ''
  /** One request after another: a page may ask for thousands at once. */
  #answered = Promise.resolve()

  /** `main` is the page's own frame. */
  constructor(page: PageSession, main: string) {
    this.#page = page
    this.#main = main
    this.#listen()
  }

  /** The frame that was put into the page last. */
  get latestFrameId(): string {
    return this.#newest
  }

  /** Where scripts of a frame run; without one, those of the page itself. */
  contextId(frameId = this.#main): number | undefined {
    return this.#contexts.get(frameId)
  }

  /** What a frame tried since the last time. */
  takeViolations(frameId: string): ParticleProblem[] {
    const tried = this.#tried.get(frameId) ?? []
    this.#tried.delete(frameId)
    return tried.map((message) => ({ message }))
  }

  /** Of one that was taken out of the page. */
  forget(frameId: string): void {
    this.#tried.delete(frameId)
    this.#contexts.delete(frameId)
    this.#parents.delete(frameId)
    this.#filled.delete(frameId)
  }

  #listen(): void {
    const { pipe } = this.#page
    pipe.on('Runtime.executionContextCreated', ({ context: { id, auxData } }) => {
      if (auxData.isDefault) this.#contexts.set(auxData.frameId, id)
    })
    pipe.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      this.#parents.set(frameId, parentFrameId)
      if (parentFrameId === this.#main) this.#newest = frameId
      else this.#note(parentFrameId, 'holds a page of its own, whose time cannot be controlled')
    })
    pipe.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      // The first one puts the particle into its frame.
      if (this.#filled.has(frameId)) this.#note(frameId, `goes to ${url}; a particle stays where it is`)
      this.#filled.add(frameId)
    })
    // Images that a script puts together are in no source; and some requests end before they are paused.
    pipe.on('Network.requestWillBeSent', ({ frameId, request: { url } }) => {
      if (frameId === undefined) return
      if (animatedImageLine(url) !== undefined) this.#note(frameId, animatedImageMessage)
      else if (!isEmbeddedUrl(url) && libraryFileName(url) === undefined)
        this.#note(frameId, blockedRequestMessage(url))
    })
    pipe.on('Fetch.requestPaused', (request) => {
      this.#answered = this.#answered.then(() => this.#answer(request))
    })
  }

  async #answer({ requestId, frameId, request: { url } }: PausedRequest): Promise<void> {
    const call = (method: string, params: object) =>
      // The page may be gone by now; then nothing asks any more.
      this.#page.call(method, { requestId, ...params }).catch(() => undefined)
    if (isEmbeddedUrl(url)) return void (await call('Fetch.continueRequest', {}))
    const library = await loadLibrary(url).catch((error: unknown) => ({
      missing: `asks for ${url}, which cannot be read here (${String(error)})`,
    }))
    if (library && 'script' in library) {
      const responseHeaders = [
        { name: 'content-type', value: 'text/javascript' },
        { name: 'access-control-allow-origin', value: '*' },
      ]
      const body = library.script.toString('base64')
      return void (await call('Fetch.fulfillRequest', { responseCode: 200, responseHeaders, body }))
    }
    this.#note(frameId, library?.missing ?? blockedRequestMessage(url))
    await call('Fetch.failRequest', { errorReason: 'BlockedByClient' })
  }

  #note(frameId: string, what: string): void {
    let owner = frameId
    for (let parent = this.#parents.get(owner); parent !== undefined && parent !== this.#main;) {
      owner = parent
      parent = this.#parents.get(owner)
    }
    const notes = this.#tried.get(owner) ?? []
    this.#tried.set(owner, notes)
    const told = truncateMessage(what)
    if (notes.length < maxViolations && !notes.includes(told)) notes.push(told)
  }
}

interface PausedRequest {
  readonly requestId: string
  readonly frameId: string
  readonly request: { readonly url: string }
}
