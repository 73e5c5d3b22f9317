import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { BrowserFailure, type BrowserLimits } from './browser-failure.ts'
import type { Browser } from './browser.ts'
import { ProtocolError } from './cdp-pipe.ts'
import { FrameMonitor } from './frame-monitor.ts'
import { PageSession, preparePage } from './page-session.ts'
import { type CaptureMethod, createPainter, type Painter } from './painter.ts'
import { addFrameFunction, frameStyle, particleDocument } from './particle-document.ts'
import { findSourceProblem } from './particle-source.ts'
import { type CaptureParticle, particleError, type ParticleProblem, truncateMessage } from './particle.ts'

/** How far a particle was played. */
interface AdvanceResult {
  /** Times played. */
  readonly done: number
  /** A frame must be drawn before it goes on. */
  readonly turn: boolean
  /** Nothing of it changes any more, as no clock, script or animation goes on. */
  readonly still: boolean
  readonly problems: readonly ParticleProblem[]
}

/** What came of a particle that has loaded, or was drawn. */
interface SettleResult {
  /** It must be drawn now, as more may be told of it. */
  readonly again: boolean
  readonly problems: readonly ParticleProblem[]
}

const tamperedMessage = 'its script changes what the language or the page consists of'

const problemSchema = z
  .object({ message: z.string(), line: z.int().positive().optional() })
  .transform(({ message, line }) => ({
    message: truncateMessage(message),
    ...(line !== undefined && { line }),
  }))
const problemsSchema = z.array(problemSchema).max(100)
const settleSchema = z.object({ again: z.boolean(), problems: problemsSchema })
const advanceSchema = z.object({
  done: z.int().positive(),
  turn: z.boolean(),
  still: z.boolean(),
  problems: problemsSchema,
})

/** What a player tells of itself. Throws `ProtocolError` where its page has changed what the player stands on. */
function parseSettleResult(answer: unknown): SettleResult {
  const read = settleSchema.safeParse(answer)
  if (!read.success) throw new ProtocolError(tamperedMessage)
  return read.data
}

/** How far a player came with so many times: one at least. Throws `ProtocolError` as `parseSettleResult` does. */
function parseAdvanceResult(answer: unknown, times: number): AdvanceResult {
  const read = advanceSchema.safeParse(answer)
  if (!read.success || read.data.done > times) throw new ProtocolError(tamperedMessage)
  return read.data
}

interface HostPageOptions {
  readonly width: number
  readonly height: number
  readonly method: CaptureMethod
  readonly limits: BrowserLimits
}

/** A particle in its frame of the page. */
export interface LoadedParticle {
  readonly particle: CaptureParticle
  /** Of its element in the page. */
  readonly elementId: string
  readonly frameId: string
  /** The browser's name of its player. */
  readonly playerObjectId: string
}

/** As long as most particles take to load; then it may be that they wait for a frame. */
const loadPatienceMs = 200

/**
 * The page that holds the particles, each in a frame of an origin of its own. The engine speaks to each
 * particle's player directly, through the debugging protocol: no message of the page's own takes part, so that
 * no particle can answer for another.
 */
export class HostPage {
  readonly #page: PageSession
  readonly #frames: FrameMonitor
  readonly #painter: Painter
  readonly #size: HostPageOptions
  /** The name that the player is put under in each frame. */
  readonly #token = `player-${randomUUID()}`
  #added = 0

  private constructor(page: PageSession, main: string, size: HostPageOptions) {
    this.#page = page
    this.#frames = new FrameMonitor(page, main)
    this.#painter = createPainter(size.method, page)
    this.#size = size
  }

  /** Opens the page in a browser, which has one. */
  static async open(browser: Browser, size: HostPageOptions): Promise<HostPage> {
    const page = await PageSession.open(browser, { ...size, beginFrame: size.method === 'begin-frame' })
    await browser.call('Browser.setDownloadBehavior', { behavior: 'deny' })
    const { frameTree } = await page.call('Page.getFrameTree', {})
    const main = frameTree.frame.id
    const host = new HostPage(page, main, size)
    await preparePage(page, main, { ...size, playerName: host.#token })
    return host
  }

  /** Puts a particle into the page and waits until it can be played; without one where it cannot be. */
  async load(particle: CaptureParticle): Promise<SettleResult & { readonly loaded?: LoadedParticle }> {
    const document = particleDocument(particle.html)
    if (document === undefined)
      return { again: false, problems: [{ message: 'has no <template>, which holds what plays' }] }
    const problem = findSourceProblem(particle.html)
    if (problem) return { again: false, problems: [problem] }
    const { name } = particle
    const id = `particle-${++this.#added}`
    await this.#concerning(name, '', async () => {
      await this.#painter.pause()
      await this.#drawingUntil(
        this.#callHere(addFrameFunction, [id, name, document, frameStyle(particle, this.#size)]),
      )
    })
    const frameId = this.#frames.latestFrameId
    return await this.#concerning(name, frameId, async () => {
      const { result } = await this.#page.call('Runtime.evaluate', {
        expression: `window[${JSON.stringify(this.#token)}]`,
        contextId: this.#frames.contextId(frameId),
      })
      if (result.objectId === undefined) throw new ProtocolError('it has no player')
      const loaded = { particle, id, frameId, player: result.objectId }
      const settled = await this.#askSettled(loaded, 'function () { return this.ready() }')
      if (!(await this.#painter.pause()) && settled.again) throw new BrowserFailure('late')
      return { loaded, ...settled }
    })
  }

  /** Some of what a page loads, such as drawings of SVG from elsewhere, goes on only as a frame is drawn. */
  async #drawingUntil(work: Promise<unknown>): Promise<void> {
    const ended = work.then(() => true)
    while (!(await Promise.race([ended, setTimeout(loadPatienceMs, false)]))) await this.#painter.draw()
  }

  /** Plays a particle through times of its own, s; stops where a frame must be drawn. */
  async advance(loaded: LoadedParticle, times: readonly number[]): Promise<AdvanceResult> {
    const { particle, frameId } = loaded
    return await this.#concerning(particle.name, frameId, async () => {
      await this.#painter.pause()
      const answer = await this.#ask(loaded, 'function (times) { return this.advance(times) }', [times])
      const played = parseAdvanceResult(answer, times.length)
      return { ...played, problems: this.#problemsOf(frameId, played.problems) }
    })
  }

  /** Lets what a drawn frame began in a particle come to its end. */
  async settle(loaded: LoadedParticle): Promise<SettleResult> {
    return await this.#concerning(loaded.particle.name, loaded.frameId, () =>
      this.#askSettled(loaded, 'function () { return this.drawn() }'),
    )
  }

  /** Lets the page draw once for a particle, whose events are told then. */
  async draw({ particle, frameId }: LoadedParticle): Promise<void> {
    await this.#concerning(particle.name, frameId, async () => {
      // What was told of other drawings came at moments of real time: another try may be faster.
      if (!(await this.#painter.draw())) throw new BrowserFailure('late')
    })
  }

  /** A picture of the page with the particles that are in it. */
  async capture(shown: readonly LoadedParticle[]): Promise<Buffer> {
    const names = shown.map(({ particle }) => particle.name).join(' or ')
    // Nobody is to blame for an empty page, which is drawn before a first frame.
    if (shown.length === 0) return await this.#painter.capture()
    return await this.#concerning(names, '', () => this.#painter.capture())
  }

  /** Takes a particle out of the page. */
  async remove({ particle, elementId: id, playerObjectId: player, frameId }: LoadedParticle): Promise<void> {
    await this.#concerning(particle.name, frameId, async () => {
      // First, as the player is gone with its frame.
      await this.#page.call('Runtime.releaseObject', { objectId: player })
      await this.#callHere('function (id) { document.getElementById(id).remove() }', [id])
    })
    this.#frames.forget(frameId)
  }

  /** Calls a function in the page itself. */
  async #callHere(source: string, given: readonly unknown[]): Promise<unknown> {
    return await this.#page.callFunction(source, given, { executionContextId: this.#frames.contextId() })
  }

  /** What a particle's player answers of itself. */
  async #askSettled(loaded: LoadedParticle, source: string): Promise<SettleResult> {
    const { again, problems } = parseSettleResult(await this.#ask(loaded, source))
    return { again, problems: this.#problemsOf(loaded.frameId, problems) }
  }

  /** What a particle's player answers. */
  async #ask(
    { playerObjectId: player }: LoadedParticle,
    source: string,
    given: readonly unknown[] = [],
  ): Promise<unknown> {
    return await this.#page.callFunction(source, given, { objectId: player })
  }

  #problemsOf(frameId: string, told: readonly ParticleProblem[]): ParticleProblem[] {
    // What was tried is the cause of what then failed.
    return [...this.#frames.takeViolations(frameId), ...told]
  }

  /** Names the particle in what goes wrong while it is asked. */
  async #concerning<T>(name: string, frameId: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof BrowserFailure) throw error.withParticle(name)
      if (!(error instanceof ProtocolError)) throw error
      throw particleError(
        name,
        this.#problemsOf(frameId, [{ message: truncateMessage(`it cannot be played (${error.message})`) }]),
      )
    }
  }
}
