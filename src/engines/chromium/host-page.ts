import { randomUUID } from 'node:crypto'
import { Breakdown } from './breakdown.ts'
import type { Browser } from './browser.ts'
import { Refused } from './cdp-pipe.ts'
import { answerLibrary } from './libraries.ts'
import { movingImageLine } from './moving-images.ts'
import { painterOf, type CaptureMethod, type Painter } from './painter.ts'
import { hostDocument, particleDocument } from './particle-document.ts'
import { prelude } from './prelude.ts'
import { refusal, type CaptureParticle, type ParticleProblem } from './particle.ts'

interface PageOptions {
  readonly width: number
  readonly height: number
  readonly method: CaptureMethod
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

/** How far a particle was played. */
export interface Played {
  /** Times played. */
  readonly done: number
  /** A frame must be drawn before it goes on. */
  readonly turn: boolean
  /** Nothing of it changes any more, as no clock, script or animation goes on. */
  readonly still: boolean
  readonly problems: readonly ParticleProblem[]
}

/**
 * The page that holds the particles, each in a frame of an origin of its own. The engine speaks to each
 * particle's player directly, through the debugging protocol: no message of the page's own takes part, so that
 * no particle can answer for another.
 */
export class HostPage {
  readonly painter: Painter
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
    this.painter = painterOf(page.size.method, { browser, session })
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
    const { width, height } = this.#size
    const all: [string, object][] = [
      ['Page.enable', {}],
      ['Inspector.enable', {}],
      ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }],
      ['Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }],
      ['Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } }],
      ['Page.addScriptToEvaluateOnNewDocument', { source: await prelude(this.#token) }],
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
    pipe.on('Fetch.requestPaused', (request) => void this.#answer(request))
  }

  async #answer({ requestId, frameId, request: { url } }: PausedRequest): Promise<void> {
    const call = (method: string, params: object) =>
      // The page may be gone by now; then nothing asks any more.
      this.#browser.call(method, { requestId, ...params }, { session: this.#session }).catch(() => undefined)
    if (/^(?:data|blob|about):/.test(url)) return void (await call('Fetch.continueRequest', {}))
    const library = await answerLibrary(url)
    if (library && 'script' in library) {
      const responseHeaders = [
        { name: 'content-type', value: 'text/javascript' },
        { name: 'access-control-allow-origin', value: '*' },
      ]
      const body = library.script.toString('base64')
      return void (await call('Fetch.fulfillRequest', { responseCode: 200, responseHeaders, body }))
    }
    this.#note(frameId, library?.missing ?? `asks for ${url}; a particle has no network`)
    await call('Fetch.failRequest', { errorReason: 'BlockedByClient' })
  }

  #note(frameId: string, what: string): void {
    let owner = frameId
    for (let parent = this.#parents.get(owner); parent !== undefined && parent !== this.#mainFrame;) {
      owner = parent
      parent = this.#parents.get(owner)
    }
    this.#tried.set(owner, [...(this.#tried.get(owner) ?? []), what])
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
    const line = movingImageLine(particle.html)
    if (line !== undefined) {
      return { problems: [{ message: 'has an animated image, whose time cannot be controlled', line }] }
    }
    const { name } = particle
    const id = `particle-${++this.#added}`
    const host = this.#contexts.get(this.#mainFrame)
    await this.#concerning(name, '', () =>
      this.#call(addFrame, [id, name, document, styleOf(particle, this.#size)], { executionContextId: host }),
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
      return { loaded, problems: this.#problemsOf(frameId, told as ParticleProblem[]) }
    })
  }

  /** Plays a particle through times of its own, s; stops where a frame must be drawn. */
  async advance({ particle, frameId, player }: LoadedParticle, times: readonly number[]): Promise<Played> {
    return await this.#concerning(particle.name, frameId, async () => {
      const source = 'function (times) { return this.advance(times) }'
      const played = (await this.#call(source, [times], { objectId: player })) as Played
      return { ...played, problems: this.#problemsOf(frameId, played.problems) }
    })
  }

  /** Lets what a drawn frame began in a particle come to its end. */
  async settle({ particle, frameId, player }: LoadedParticle): Promise<ParticleProblem[]> {
    return await this.#concerning(particle.name, frameId, async () => {
      const told = await this.#call('function () { return this.drawn() }', [], { objectId: player })
      return this.#problemsOf(frameId, told as ParticleProblem[])
    })
  }

  /** Takes a particle out of the page. */
  async remove({ id, player, frameId }: LoadedParticle): Promise<void> {
    const host = this.#contexts.get(this.#mainFrame)
    // First, as the player is gone with its frame.
    await this.#browser.call('Runtime.releaseObject', { objectId: player }, { session: this.#session })
    await this.#call('function (id) { document.getElementById(id).remove() }', [id], {
      executionContextId: host,
    })
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
      throw refusal(name, this.#problemsOf(frameId, [{ message: `it cannot be played (${error.message})` }]))
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

/**
 * Forms may be sent only so that the policy hears of it: it allows them no target. A sandbox of an origin of
 * its own, with scripts; without windows, dialogs, downloads, plugins, or a way to move the page above.
 */
const addFrame = `function (id, name, html, style) {
  const frame = document.createElement('iframe')
  const loaded = new Promise((resolve) => frame.addEventListener('load', () => resolve()))
  frame.sandbox = 'allow-scripts allow-forms'
  Object.assign(frame, { id, name })
  frame.style.cssText = style
  frame.srcdoc = html
  document.body.append(frame)
  return loaded
}`

/** Lays a particle's canvas over the frame: evenly scaled to cover it, in the middle. */
function styleOf({ width, height, zIndex, opaque }: CaptureParticle, frame: PageOptions): string {
  const scale = Math.max(frame.width / width, frame.height / height)
  const [left, top] = [(frame.width - width * scale) / 2, (frame.height - height * scale) / 2]
  return [
    `left:${left}px;top:${top}px;width:${width}px;height:${height}px;z-index:${zIndex}`,
    ...(scale === 1 ? [] : [`transform:scale(${scale})`]),
    ...(opaque ? ['background:#000'] : []),
  ].join(';')
}
