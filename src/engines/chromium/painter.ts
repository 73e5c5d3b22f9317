import { Breakdown } from './breakdown.ts'
import type { PageSession } from './page-session.ts'

/** Takes pictures of a page. */
export interface Painter {
  /** Lets the page draw once without looking: what tells of animations is told then. */
  draw(): Promise<void>
  /** A picture of the page as it is: PNG of eight bits, with alpha unless it is opaque all over. */
  capture(): Promise<Buffer>
}

export type CaptureMethod = 'begin-frame' | 'screenshot'

/** The painter of a method. */
export function painterOf(method: CaptureMethod, page: PageSession): Painter {
  return method === 'begin-frame' ? beginFramePainter(page) : screenshotPainter(page)
}

/** The first frames of a new page may be drawn before there is anything to take a picture of. */
const mostTries = 20

/** What the compositor believes to pass between two frames, ms; nothing of a particle follows it. */
const interval = 1000 / 60

/** Makes what lies behind the page black, of so much alpha. */
async function setBackground(page: PageSession, a: 0 | 1): Promise<void> {
  await page.call('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a } })
}

function beginFramePainter(page: PageSession): Painter {
  let ticks = 1000
  const frame = async (more: object) => {
    ticks += interval
    return await page.call('HeadlessExperimental.beginFrame', { frameTimeTicks: ticks, interval, ...more })
  }
  const screenshot = { format: 'png', optimizeForSpeed: true }
  return {
    draw: async () => {
      await frame({ noDisplayUpdates: true })
    },
    capture: async () => {
      // Where an element in a layer of its own becomes smaller, its edges are first cut by its size in the frame
      // before; drawn once more they are right. Chromium draws again only where something seen has changed.
      await setBackground(page, 1)
      await frame({})
      await setBackground(page, 0)
      for (let tries = 0; tries < mostTries; tries += 1) {
        const { screenshotData } = await frame({ screenshot })
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64')
      }
      throw new Breakdown('hang')
    },
  }
}

function screenshotPainter(page: PageSession): Painter {
  const expression =
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))'
  const draw = async () => {
    await page.call('Runtime.evaluate', { expression, awaitPromise: true })
  }
  return {
    draw,
    capture: async () => {
      await draw()
      const params = { format: 'png', optimizeForSpeed: true, captureBeyondViewport: false }
      const { data } = await page.call('Page.captureScreenshot', params)
      return Buffer.from(data, 'base64')
    },
  }
}
