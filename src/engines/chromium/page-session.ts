import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserLimits } from './browser-failure.ts'
import type { Browser } from './browser.ts'
import { type MethodResult, type CdpPipe, type Method, type MethodParams, ProtocolError } from './cdp-pipe.ts'
import { hostDocument } from './particle-document.ts'

/** A page of a browser, controlled through the DevTools protocol. */
export class PageSession {
  readonly #browser: Browser
  readonly #id: string

  private constructor(browser: Browser, id: string) {
    this.#browser = browser
    this.#id = id
  }

  /** Opens an empty page. With `beginFrame` it draws only on request. */
  static async open(
    browser: Browser,
    { width, height, beginFrame }: { width: number; height: number; beginFrame: boolean },
  ): Promise<PageSession> {
    const { targetId } = await browser.call('Target.createTarget', {
      url: 'about:blank',
      // Full browsers apply a size only to new windows.
      newWindow: true,
      width,
      height,
      ...(beginFrame && { enableBeginFrameControl: true }),
    })
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true })
    return new PageSession(browser, sessionId)
  }

  /** Source of the page's events. */
  get pipe(): CdpPipe {
    return this.#browser.pipe
  }

  /** Calls a DevTools method for this page. */
  async call<M extends Method>(method: M, params: MethodParams): Promise<MethodResult<M>> {
    return await this.#browser.call(method, params, { session: this.#id })
  }

  /** Returns the processor time used so far by the browser and its processes, in ms. */
  async cpuTimeMs(): Promise<number> {
    return await this.#browser.cpuTimeMs()
  }

  /** Calls a JavaScript function in a context or on an object and awaits its result. Throws `ProtocolError` if it throws. */
  async callFunction(source: string, args: readonly unknown[], target: MethodParams): Promise<unknown> {
    const { result, exceptionDetails } = await this.call('Runtime.callFunctionOn', {
      functionDeclaration: source,
      arguments: args.map((value) => ({ value })),
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
  /** Size in pixels of the page and of its pictures. */
  readonly width: number
  readonly height: number
  readonly limits: BrowserLimits
  /** Global name of the player in each particle's frame. */
  readonly playerName: string
}

/**
 * Turns an empty page with the frame `main` into the host page of particles. From then on every request of the page is
 * paused until it is continued or failed.
 */
export async function preparePage(
  page: PageSession,
  main: string,
  { width, height, limits, playerName }: PreparePageOptions,
): Promise<void> {
  const calls: [Method, object][] = [
    ['Page.enable', {}],
    ['Inspector.enable', {}],
    ['Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }],
    ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }],
    ['Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }],
    ['Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } }],
    ['Page.addScriptToEvaluateOnNewDocument', { source: await playerScript(playerName, limits.settleMs) }],
    // Stops all animations; the player sets their times.
    ['Animation.enable', {}],
    ['Animation.setPlaybackRate', { playbackRate: 0 }],
    ['Page.setDocumentContent', { frameId: main, html: hostDocument }],
    ['Runtime.enable', {}],
  ]
  for (const [method, params] of calls) await page.call(method, { ...params })
}

/** Files of the player, each after those it imports. */
const playerModules = [
  'natives',
  'timestamps',
  'clock',
  'blobs',
  'pending',
  'animations',
  'timelines',
  'restrictions',
  'draw-events',
  'backdrop',
  'problems',
  'play',
]

/**
 * Returns the script that runs in every particle's frame before the particle's own scripts. It defines the player as a
 * read-only global of this name, and does nothing in the host page. settleMs: longest wait per frame for real-time work.
 */
async function playerScript(name: string, settleMs: number): Promise<string> {
  const parts = await Promise.all(
    playerModules.map((module) => readFile(join(import.meta.dirname, 'page', `${module}.js`), 'utf8')),
  )
  // A frame takes one script, so the modules are joined in one scope, without imports and exports.
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
