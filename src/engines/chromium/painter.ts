import { Breakdown } from './breakdown.ts'
import type { Browser } from './browser.ts'

/** Takes pictures of a page. */
export interface Painter {
  /** Lets the page draw once without looking: what tells of animations is told then. */
  draw(): Promise<void>
  /** A picture of the page as it is: PNG of eight bits, with alpha unless it is opaque all over. */
  capture(): Promise<Buffer>
}

export type CaptureMethod = 'begin-frame' | 'screenshot'

interface Page {
  readonly browser: Browser
  readonly session: string
}

/** The painter of a method. */
export function painterOf(method: CaptureMethod, page: Page): Painter {
  return method === 'begin-frame' ? beginFramePainter(page) : screenshotPainter(page)
}

/** The first frames of a new page may be drawn before there is anything to take a picture of. */
const mostTries = 20

/** What the compositor believes to pass between two frames, ms; nothing of a particle follows it. */
const interval = 1000 / 60

function beginFramePainter({ browser, session }: Page): Painter {
  let ticks = 1000
  const frame = async (more: object) => {
    ticks += interval
    return await browser.call(
      'HeadlessExperimental.beginFrame',
      { frameTimeTicks: ticks, interval, ...more },
      { session },
    )
  }
  const screenshot = { format: 'png', optimizeForSpeed: true }
  return {
    draw: async () => {
      await frame({ noDisplayUpdates: true })
    },
    capture: async () => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const { screenshotData } = await frame({ screenshot })
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64')
      }
      throw new Breakdown('hang')
    },
  }
}

function screenshotPainter({ browser, session }: Page): Painter {
  const expression =
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))'
  const draw = async () => {
    await browser.call('Runtime.evaluate', { expression, awaitPromise: true }, { session })
  }
  return {
    draw,
    capture: async () => {
      await draw()
      const params = { format: 'png', optimizeForSpeed: true, captureBeyondViewport: false }
      const { data } = await browser.call('Page.captureScreenshot', params, { session })
      return Buffer.from(data, 'base64')
    },
  }
}
