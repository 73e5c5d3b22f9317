import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserLimits } from './browser-failure.ts'
import type { Browser } from './browser.ts'
import { type AnswerOf, type CdpPipe, type Method, type Parameters, ProtocolError } from './cdp-pipe.ts'
import { hostDocument } from './particle-document.ts'

/** A new page of a browser, driven by the debugging protocol. */
export class PageSession {
  readonly #browser: Browser
  readonly #id: string

  private constructor(browser: Browser, id: string) {
    this.#browser = browser
    this.#id = id
  }

  /** Opens an empty page; one by begin-frame draws only when it is told. */
  static async open(
    browser: Browser,
    { width, height, beginFrame }: { width: number; height: number; beginFrame: boolean },
  ): Promise<PageSession> {
    const { targetId } = await browser.call('Target.createTarget', {
      url: 'about:blank',
      // Whole browsers give only these a size.
      newWindow: true,
      width,
      height,
      ...(beginFrame && { enableBeginFrameControl: true }),
    })
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true })
    return new PageSession(browser, sessionId)
  }

  /** Where the page's events are told. */
  get pipe(): CdpPipe {
    return this.#browser.pipe
  }

  /** Calls a method of the protocol for this page. */
  async call<M extends Method>(method: M, params: Parameters): Promise<AnswerOf<M>> {
    return await this.#browser.call(method, params, { session: this.#id })
  }

  /** Calls a function where `target` tells, and waits for what it promises. Throws `ProtocolError` with what it throws. */
  async callFunction(source: string, given: readonly unknown[], target: Parameters): Promise<unknown> {
    const { result, exceptionDetails } = await this.call('Runtime.callFunctionOn', {
      functionDeclaration: source,
      arguments: given.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
      ...target,
    })
    if (exceptionDetails) {
      throw new ProtocolError(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }
    return result.value
  }
}

interface PreparePageOptions {
  /** In pixels, as are pictures of it. */
  readonly width: number
  readonly height: number
  readonly limits: BrowserLimits
  /** The name that the player is put under in each frame within it. */
  readonly playerName: string
}

/**
 * Makes an empty page, whose own frame is `main`, the one that holds particles: each request of it has to be
 * answered.
 */
export async function preparePage(
  page: PageSession,
  main: string,
  { width, height, limits, playerName: token }: PreparePageOptions,
): Promise<void> {
  const all: [string, object][] = [
    ['Page.enable', {}],
    ['Inspector.enable', {}],
    ['Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }],
    ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }],
    ['Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }],
    ['Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } }],
    ['Page.addScriptToEvaluateOnNewDocument', { source: await playerScript(token, limits.settleMs) }],
    // No animation plays by itself while a frame waits or is drawn: the player moves it.
    ['Animation.enable', {}],
    ['Animation.setPlaybackRate', { playbackRate: 0 }],
    ['Page.setDocumentContent', { frameId: main, html: hostDocument }],
    ['Runtime.enable', {}],
  ]
  for (const [method, params] of all) await page.call(method, { ...params })
}

/** Each after those that it imports. */
const playerModules = [
  ...['pristine', 'natives', 'present', 'timings', 'timers', 'clock', 'chance'],
  ...['blobs', 'under-way', 'pending', 'drawings', 'motion', 'timelines'],
  ...['refuse', 'elements', 'drawing-calls', 'drawn-styles', 'hearing', 'errors', 'watch', 'play'],
]

/**
 * The script that runs in every particle's frame before its own: it puts a player under this name, which the
 * particle may find, but not change. In the host page it does nothing. A frame waits so many ms for what takes
 * real time.
 */
async function playerScript(name: string, settleMs: number): Promise<string> {
  const parts = await Promise.all(
    playerModules.map((module) => readFile(join(import.meta.dirname, 'page', `${module}.js`), 'utf8')),
  )
  // A frame takes one script: what the modules say to each other becomes the scope that they share.
  const body = parts
    .join('\n')
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '')
  return `(() => {
    'use strict'
    if (window === top) return
    ${body}
    Object.defineProperty(window, ${JSON.stringify(name)}, { value: Object.freeze(makePlayer(${settleMs})) })
  })()`
}
