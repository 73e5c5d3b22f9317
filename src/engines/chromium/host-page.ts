import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Breakdown, type Limits } from './breakdown.ts'
import type { Browser } from './browser.ts'
import { Refused } from './cdp-pipe.ts'
import { answerLibrary, libraryFile } from './libraries.ts'
import { movingImageLine } from './moving-images.ts'
import { painterOf, type CaptureMethod, type Painter } from './painter.ts'
import { asksFor, hostDocument, isBroughtAlong, particleDocument } from './particle-document.ts'
import { prelude } from './prelude.ts'
import { playedAnswer, problemsAnswer, type Played } from './player-answers.ts'
import { movingImage, sourceProblem } from './source-problem.ts'
import { cut, refusal, type CaptureParticle, type ParticleProblem } from './particle.ts'
import { addFrame, styleOf } from './particle-frame.ts'

interface PageOptions {
  readonly width: number
  readonly height: number
  readonly method: CaptureMethod
  readonly limits: Limits
}

/** A particle in its frame of the page. */
export interface LoadedParticle {
  readonly particle: CaptureParticle
  /** Of its element in the page. */
  readonly id: string
  readonly frameId: string
  /** The browser's name of its player. */
  readonly player: string
}

/** As long as most particles take to load; then it may be that they wait for a frame. */
const impatientMs = 200

/** What a frame tried, as many as are told of it. */
const mostNotes = 20

/**
 * The page that holds the particles, each in a frame of an origin of its own. The engine speaks to each
 * particle's player directly, through the debugging protocol: no message of the page's own takes part, so that
 * no particle can answer for another.
 */
export class HostPage {
  readonly #painter: Painter
  readonly #browser: Browser
  readonly #session: string
  readonly #token: string
  readonly #size: PageOptions
  readonly #mainFrame: string
  /** Each frame's latest context for scripts. */
  readonly #contexts = new Map<string, number>()
  /** The frames within the page and what they lie in. */
  readonly #parents = new Map<string, string>()
  /** What the browser saw a frame try, by frame. */
  readonly #tried = new Map<string, string[]>()
  readonly #filled = new Set<string>()
  #newest = ''
  /** One request after another: a page may ask for thousands at once. */
  #answered = Promise.resolve()
  #added = 0

  private constructor(
    browser: Browser,
    session: string,
    page: { token: string; main: string; size: PageOptions },
  ) {
    this.#browser = browser
    this.#session = session
    this.#token = page.token
    this.#mainFrame = page.main
    this.#size = page.size
    this.#painter = painterOf(page.size.method, { browser, session })
    this.#listen()
  }

  /** Opens the page in a browser, which has one. */
  static async open(browser: Browser, size: PageOptions): Promise<HostPage> {
    const { width, height, method } = size
    const enableBeginFrameControl = method === 'begin-frame'
    const { targetId } = await browser.call('Target.createTarget', {
      url: 'about:blank',
      width,
      height,
      ...(enableBeginFrameControl && { enableBeginFrameControl }),
    })
    const { sessionId: session } = await browser.call('Target.attachToTarget', { targetId, flatten: true })
    await browser.call('Browser.setDownloadBehavior', { behavior: 'deny' })
    const { frameTree } = await browser.call('Page.getFrameTree', {}, { session })
    // The name that the player is put under in each frame.
    const token = `player-${randomUUID()}`
    const page = new HostPage(browser, session, { token, main: frameTree.frame.id, size })
    await page.#prepare()
    return page
  }

  async #prepare(): Promise<void> {
    const { width, height, limits } = this.#size
    const all: [string, object][] = [
      ['Page.enable', {}],
      ['Inspector.enable', {}],
      ['Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }],
      ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }],
      ['Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }],
      ['Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } }],
      ['Page.addScriptToEvaluateOnNewDocument', { source: await prelude(this.#token, limits.settleMs) }],
      ['Page.setDocumentContent', { frameId: this.#mainFrame, html: hostDocument }],
      ['Runtime.enable', {}],
    ]
    for (const [method, params] of all) {
      await this.#browser.call(method, { ...params }, { session: this.#session })
    }
  }

  #listen(): void {
    const { pipe } = this.#browser
    pipe.on('Runtime.executionContextCreated', ({ context: { id, auxData } }) => {
      if (auxData.isDefault) this.#contexts.set(auxData.frameId, id)
    })
    pipe.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      this.#parents.set(frameId, parentFrameId)
      if (parentFrameId === this.#mainFrame) this.#newest = frameId
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
      if (movingImageLine(url) !== undefined) this.#note(frameId, movingImage)
      else if (!isBroughtAlong(url) && libraryFile(url) === undefined) this.#note(frameId, asksFor(url))
    })
    pipe.on('Fetch.requestPaused', (request) => {
      this.#answered = this.#answered.then(() => this.#answer(request))
    })
  }

  async #answer({ requestId, frameId, request: { url } }: PausedRequest): Promise<void> {
    const call = (method: string, params: object) =>
      // The page may be gone by now; then nothing asks any more.
      this.#browser.call(method, { requestId, ...params }, { session: this.#session }).catch(() => undefined)
    if (isBroughtAlong(url)) return void (await call('Fetch.continueRequest', {}))
    const library = await answerLibrary(url).catch((error: unknown) => ({
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
    this.#note(frameId, library?.missing ?? asksFor(url))
    await call('Fetch.failRequest', { errorReason: 'BlockedByClient' })
  }

  #note(frameId: string, what: string): void {
    let owner = frameId
    for (let parent = this.#parents.get(owner); parent !== undefined && parent !== this.#mainFrame;) {
      owner = parent
      parent = this.#parents.get(owner)
    }
    const notes = this.#tried.get(owner) ?? []
    this.#tried.set(owner, notes)
    const told = cut(what)
    if (notes.length < mostNotes && !notes.includes(told)) notes.push(told)
  }

  #problemsOf(frameId: string, told: readonly ParticleProblem[]): ParticleProblem[] {
    const tried = (this.#tried.get(frameId) ?? []).map((message) => ({ message }))
    this.#tried.delete(frameId)
    // What was tried is the cause of what then failed.
    return [...tried, ...told]
  }

  /** Puts a particle into the page and waits until it can be played; without one where it cannot be. */
  async load(particle: CaptureParticle): Promise<{ loaded?: LoadedParticle; problems: ParticleProblem[] }> {
    const document = particleDocument(particle.html)
    if (document === undefined)
      return { problems: [{ message: 'has no <template>, which holds what plays' }] }
    const problem = sourceProblem(particle.html)
    if (problem) return { problems: [problem] }
    const { name } = particle
    const id = `particle-${++this.#added}`
    const host = this.#contexts.get(this.#mainFrame)
    await this.#concerning(name, '', () =>
      this.#drawingUntil(
        this.#call(addFrame, [id, name, document, styleOf(particle, this.#size)], {
          executionContextId: host,
        }),
      ),
    )
    const frameId = this.#newest
    return await this.#concerning(name, frameId, async () => {
      const { result } = await this.#browser.call(
        'Runtime.evaluate',
        { expression: `window[${JSON.stringify(this.#token)}]`, contextId: this.#contexts.get(frameId) },
        { session: this.#session },
      )
      if (result.objectId === undefined) throw new Refused('it has no player')
      const loaded = { particle, id, frameId, player: result.objectId }
      const told = await this.#call('function () { return this.ready() }', [], { objectId: loaded.player })
      return { loaded, problems: this.#problemsOf(frameId, problemsAnswer(told)) }
    })
  }

  /** Some of what a page loads, such as drawings of SVG from elsewhere, goes on only as a frame is drawn. */
  async #drawingUntil(work: Promise<unknown>): Promise<void> {
    const ended = work.then(() => true)
    while (!(await Promise.race([ended, setTimeout(impatientMs, false)]))) await this.#painter.draw()
  }

  /** Plays a particle through times of its own, s; stops where a frame must be drawn. */
  async advance({ particle, frameId, player }: LoadedParticle, times: readonly number[]): Promise<Played> {
    return await this.#concerning(particle.name, frameId, async () => {
      const source = 'function (times) { return this.advance(times) }'
      const played = playedAnswer(await this.#call(source, [times], { objectId: player }), times.length)
      return { ...played, problems: this.#problemsOf(frameId, played.problems) }
    })
  }

  /** Lets what a drawn frame began in a particle come to its end. */
  async settle({ particle, frameId, player }: LoadedParticle): Promise<ParticleProblem[]> {
    return await this.#concerning(particle.name, frameId, async () => {
      const told = await this.#call('function () { return this.drawn() }', [], { objectId: player })
      return this.#problemsOf(frameId, problemsAnswer(told))
    })
  }

  /** Lets the page draw once for a particle, whose events are told then. */
  async draw({ particle, frameId }: LoadedParticle): Promise<void> {
    await this.#concerning(particle.name, frameId, () => this.#painter.draw())
  }

  /** A picture of the page with the particles that are in it. */
  async capture(shown: readonly LoadedParticle[]): Promise<Buffer> {
    const names = shown.map(({ particle }) => particle.name).join(' or ')
    // Nobody is to blame for an empty page, which is drawn before a first frame.
    if (shown.length === 0) return await this.#painter.capture()
    return await this.#concerning(names, '', () => this.#painter.capture())
  }

  /** Takes a particle out of the page. */
  async remove({ particle, id, player, frameId }: LoadedParticle): Promise<void> {
    const host = this.#contexts.get(this.#mainFrame)
    await this.#concerning(particle.name, frameId, async () => {
      // First, as the player is gone with its frame.
      await this.#browser.call('Runtime.releaseObject', { objectId: player }, { session: this.#session })
      await this.#call('function (id) { document.getElementById(id).remove() }', [id], {
        executionContextId: host,
      })
    })
    this.#tried.delete(frameId)
    this.#contexts.delete(frameId)
    this.#parents.delete(frameId)
    this.#filled.delete(frameId)
  }

  /** Names the particle in what goes wrong while it is asked. */
  async #concerning<T>(name: string, frameId: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof Breakdown) throw error.of(name)
      if (!(error instanceof Refused)) throw error
      throw refusal(
        name,
        this.#problemsOf(frameId, [{ message: cut(`it cannot be played (${error.message})`) }]),
      )
    }
  }

  async #call(source: string, given: readonly unknown[], target: object): Promise<unknown> {
    const { result, exceptionDetails } = await this.#browser.call(
      'Runtime.callFunctionOn',
      {
        functionDeclaration: source,
        arguments: given.map((value) => ({ value })),
        awaitPromise: true,
        returnByValue: true,
        ...target,
      },
      { session: this.#session },
    )
    if (exceptionDetails) {
      throw new Refused(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }
    return result.value
  }
}

interface PausedRequest {
  readonly requestId: string
  readonly frameId: string
  readonly request: { readonly url: string }
}
