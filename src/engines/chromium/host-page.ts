import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { backdropUsesSchema, backdropWarnings } from './backdrop-warning.ts'
import { BrowserFailure, type BrowserLimits } from './browser-failure.ts'
import type { Browser } from './browser.ts'
import { ProtocolError } from './cdp-pipe.ts'
import { FrameMonitor } from './frame-monitor.ts'
import { watchForHang } from './hang-watch.ts'
import { PageSession, preparePage } from './page-session.ts'
import { type CaptureMethod, createPainter, type Painter } from './painter.ts'
import { addFrameFunction, frameStyle, particleDocument } from './particle-document.ts'
import { findSourceProblem } from './particle-source.ts'
import {
  type CaptureParticle,
  noTimelineWarning,
  particleError,
  type ParticleProblem,
  truncateMessage,
} from './particle.ts'

/** Result of playing a particle through some frames. */
interface AdvanceResult {
  /** Number of times played. */
  readonly done: number
  /** The page must be drawn before the next time is played. */
  readonly needsDraw: boolean
  /** The picture no longer changes: no timer, script or animation is active. */
  readonly still: boolean
  readonly problems: readonly ParticleProblem[]
}

/** State of a particle after loading or drawing. */
interface SettleResult {
  /** The page must be drawn now, because drawing may trigger more events. */
  readonly needsDraw: boolean
  readonly problems: readonly ParticleProblem[]
}

const tamperedMessage = 'its script replaces built-in objects of the language or of the page'

const problemSchema = z
  .object({ message: z.string(), line: z.int().positive().optional() })
  .transform(({ message, line }) => ({
    message: truncateMessage(message),
    ...(line !== undefined && { line }),
  }))
const problemsSchema = z.array(problemSchema).max(100)
const settleSchema = z.object({ needsDraw: z.boolean(), problems: problemsSchema })
const readySchema = settleSchema.extend({ hasTimeline: z.boolean(), uses: backdropUsesSchema })
const advanceSchema = z.object({
  done: z.int().positive(),
  needsDraw: z.boolean(),
  still: z.boolean(),
  uses: backdropUsesSchema,
  problems: problemsSchema,
})

/** Parses the result of a player. Throws `ProtocolError` if it is invalid, as when the page replaced built-in objects. */
function parseResult<T>(schema: z.ZodType<T>, result: unknown): T {
  const read = schema.safeParse(result)
  if (!read.success) throw new ProtocolError(tamperedMessage)
  return read.data
}

/** Parses the result of playing `times` times, of which at least one was played. Throws like `parseResult`. */
function parseAdvanceResult(result: unknown, times: number): z.infer<typeof advanceSchema> {
  const read = parseResult(advanceSchema, result)
  if (read.done > times) throw new ProtocolError(tamperedMessage)
  return read
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
  /** Id of its iframe element. */
  readonly elementId: string
  readonly frameId: string
  /** DevTools object id of its player. */
  readonly playerObjectId: string
}

/** Most particles load faster; slower ones may be waiting for a drawn frame. */
const loadPatienceMs = 200

/**
 * The page that contains the particles, each in a frame with its own opaque origin. The engine calls each particle's
 * player directly through the DevTools protocol, not by page messages, so no particle can respond for another.
 */
export class HostPage {
  readonly #page: PageSession
  readonly #monitor: FrameMonitor
  readonly #painter: Painter
  readonly #options: HostPageOptions
  /** Global name of the player in each particle's frame. */
  readonly #playerName = `player-${randomUUID()}`
  #loadCount = 0

  private constructor(page: PageSession, main: string, options: HostPageOptions) {
    this.#page = page
    this.#monitor = new FrameMonitor(page, main)
    this.#painter = createPainter(options.method, page)
    this.#options = options
  }

  /** Opens the host page. Call once per browser. */
  static async open(browser: Browser, options: HostPageOptions): Promise<HostPage> {
    const page = await PageSession.open(browser, { ...options, beginFrame: options.method === 'begin-frame' })
    await browser.call('Browser.setDownloadBehavior', { behavior: 'deny' })
    const { frameTree } = await page.call('Page.getFrameTree', {})
    const main = frameTree.frame.id
    const host = new HostPage(page, main, options)
    await preparePage(page, main, { ...options, playerName: host.#playerName })
    return host
  }

  /** Adds a particle to the page and waits until it can be played; `loaded` is undefined if it cannot be. */
  async load(particle: CaptureParticle): Promise<SettleResult & { readonly loaded?: LoadedParticle }> {
    const document = particleDocument(particle.html)
    if (document === undefined)
      return {
        needsDraw: false,
        problems: [{ message: 'has no <template>, which must contain the particle' }],
      }
    const problem = findSourceProblem(particle.html)
    if (problem) return { needsDraw: false, problems: [problem] }
    const { name } = particle
    const id = `particle-${++this.#loadCount}`
    await this.#forParticle(name, '', async () => {
      await this.#painter.pause()
      await this.#drawUntil(
        this.#callInHost(addFrameFunction, [id, name, document, frameStyle(particle, this.#options)]),
      )
    })
    const frameId = this.#monitor.latestFrameId
    return await this.#forParticle(name, frameId, async () => {
      const { result } = await this.#page.call('Runtime.evaluate', {
        expression: `window[${JSON.stringify(this.#playerName)}]`,
        contextId: this.#monitor.contextId(frameId),
      })
      if (result.objectId === undefined) throw new ProtocolError('its frame has no player')
      const loaded = { particle, elementId: id, frameId, playerObjectId: result.objectId }
      const ready = await this.#callPlayer(loaded, 'function () { return this.ready() }')
      const { needsDraw, hasTimeline, uses, problems } = parseResult(readySchema, ready)
      if (!(await this.#painter.pause()) && needsDraw) throw new BrowserFailure('late')
      const warnings = [
        ...(hasTimeline ? [] : [noTimelineWarning(particle)]),
        ...backdropWarnings(particle, uses),
      ]
      return { loaded, needsDraw, problems: [...this.#withViolations(frameId, problems), ...warnings] }
    })
  }

  /** Draws until work ends: some resources, such as external SVG images, load only while frames are drawn. */
  async #drawUntil(work: Promise<unknown>): Promise<void> {
    const ended = work.then(() => true)
    while (!(await Promise.race([ended, delay(loadPatienceMs, false)]))) await this.#painter.draw()
  }

  /** Plays a particle through times in seconds from its start. Stops when the page must be drawn. */
  async advance(loaded: LoadedParticle, times: readonly number[]): Promise<AdvanceResult> {
    const { particle, frameId } = loaded
    return await this.#forParticle(particle.name, frameId, async () => {
      await this.#painter.pause()
      const result = await this.#callPlayer(loaded, 'function (times) { return this.advance(times) }', [
        times,
      ])
      const { uses, problems, ...played } = parseAdvanceResult(result, times.length)
      const warnings = backdropWarnings(particle, uses)
      return { ...played, problems: [...this.#withViolations(frameId, problems), ...warnings] }
    })
  }

  /** Waits for the work that drawing started in a particle. */
  async settle(loaded: LoadedParticle): Promise<SettleResult> {
    const { particle, frameId } = loaded
    return await this.#forParticle(particle.name, frameId, async () => {
      const drawn = await this.#callPlayer(loaded, 'function () { return this.drawn() }')
      const { needsDraw, problems } = parseResult(settleSchema, drawn)
      return { needsDraw, problems: this.#withViolations(frameId, problems) }
    })
  }

  /** Draws the page once, which delivers a particle's drawing events. */
  async draw({ particle, frameId }: LoadedParticle): Promise<void> {
    await this.#forParticle(particle.name, frameId, async () => {
      // Other draws delivered events at times of the real clock; a second attempt may be faster.
      if (!(await this.#painter.draw())) throw new BrowserFailure('late')
    })
  }

  /** Captures the page with its particles as PNG. */
  async capture(shown: readonly LoadedParticle[]): Promise<Buffer> {
    const names = shown.map(({ particle }) => particle.name).join(' or ')
    // Without particles no one can be named in an error.
    if (shown.length === 0) return await this.#painter.capture()
    return await this.#forParticle(names, '', () => this.#painter.capture())
  }

  /** Removes a particle from the page. */
  async remove({ particle, elementId: id, playerObjectId: player, frameId }: LoadedParticle): Promise<void> {
    await this.#forParticle(particle.name, frameId, async () => {
      // Before the frame is removed, because the player disappears with it.
      await this.#page.call('Runtime.releaseObject', { objectId: player })
      await this.#callInHost('function (id) { document.getElementById(id).remove() }', [id])
    })
    this.#monitor.forget(frameId)
  }

  /** Calls a function in the host page itself. */
  async #callInHost(source: string, args: readonly unknown[]): Promise<unknown> {
    return await this.#page.callFunction(source, args, { executionContextId: this.#monitor.contextId() })
  }

  /** Calls a method of a particle's player. */
  async #callPlayer(
    { playerObjectId: player }: LoadedParticle,
    source: string,
    args: readonly unknown[] = [],
  ): Promise<unknown> {
    return await this.#page.callFunction(source, args, { objectId: player })
  }

  #withViolations(frameId: string, reported: readonly ParticleProblem[]): ParticleProblem[] {
    // Blocked attempts come first: they cause later failures.
    return [...this.#monitor.takeViolations(frameId), ...reported]
  }

  /** Calls a function, which must not hang, and adds the particle's name to its errors. */
  async #forParticle<T>(name: string, frameId: string, call: () => Promise<T>): Promise<T> {
    try {
      return await watchForHang(this.#page, this.#options.limits, call)
    } catch (error) {
      if (error instanceof BrowserFailure) throw error.withParticle(name)
      if (!(error instanceof ProtocolError)) throw error
      throw particleError(
        name,
        this.#withViolations(frameId, [
          { message: truncateMessage(`it cannot be played (${error.message})`) },
        ]),
      )
    }
  }
}
