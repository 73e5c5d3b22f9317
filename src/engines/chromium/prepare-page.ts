import type { BrowserLimits } from './breakdown.ts'
import type { PageSession } from './page-session.ts'
import { hostDocument } from './particle-document.ts'
import { playerScript } from './prelude.ts'

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
