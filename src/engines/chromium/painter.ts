import { BrowserFailure } from './browser-failure.ts'
import type { PageSession } from './page-session.ts'

/** Takes pictures of a page. */
export interface Painter {
  /**
   * Keeps the page from drawing by itself, for some seconds: what is told of drawings is told by `draw` alone. Answers
   * whether it drew nothing since it was last told to.
   */
  pause(): Promise<boolean>
  /**
   * Lets the page draw once without looking: what tells of animations is told then. Answers as `pause`.
   */
  draw(): Promise<boolean>
  /** A picture of the page as it is: PNG of eight bits, with alpha unless it is opaque all over. */
  capture(): Promise<Buffer>
}

export type CaptureMethod = 'begin-frame' | 'screenshot'

/** The painter of a method. */
export function createPainter(method: CaptureMethod, page: PageSession): Painter {
  return method === 'begin-frame' ? beginFramePainter(page) : screenshotPainter(page)
}

/** The first frames of a new page may be drawn before there is anything to take a picture of. */
const maxAttempts = 20

/** What the compositor believes to pass between two frames, ms; nothing of a particle follows it. */
const frameIntervalMs = 1000 / 60

/** Makes what lies behind the page black, of so much alpha. */
async function setBackground(page: PageSession, a: 0 | 1): Promise<void> {
  await page.call('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a } })
}

function beginFramePainter(page: PageSession): Painter {
  let ticks = 1000
  const frame = async (more: object) => {
    ticks += frameIntervalMs
    return await page.call('HeadlessExperimental.beginFrame', {
      frameTimeTicks: ticks,
      interval: frameIntervalMs,
      ...more,
    })
  }
  const screenshot = { format: 'png', optimizeForSpeed: true }
  return {
    // It draws only when it is told to.
    pause: async () => true,
    draw: async () => {
      await frame({ noDisplayUpdates: true })
      return true
    },
    capture: async () => {
      // Where an element in a layer of its own becomes smaller, its edges are first cut by its size in the frame
      // before; drawn once more they are right. Chromium draws again only where something seen has changed.
      await setBackground(page, 1)
      await frame({})
      await setBackground(page, 0)
      for (let tries = 0; tries < maxAttempts; tries += 1) {
        const { screenshotData } = await frame({ screenshot })
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64')
      }
      throw new BrowserFailure('hang')
    },
  }
}

/** A page that is held for longer, ms, is drawn and held anew before it plays: Chromium lets go of it after 4 s. */
const pauseRenewalMs = 1000

/** In the page: lets it draw once, and holds it as it is then. Answers whether it was held until now. */
const drawAndPause = `new Promise((drawn) => {
  const wasHeld = window.isHeld
  window.held?.skipTransition()
  requestAnimationFrame(() => {
    window.held = document.startViewTransition(() => {
      drawn(wasHeld)
      return new Promise(() => {})
    })
    window.isHeld = true
    window.held.ready.catch(() => (window.isHeld = false))
  })
})`

/** In the page: lets it draw on by itself, and waits until it has done so. */
const resumeDrawing = `new Promise((drawn) => {
  window.held?.skipTransition()
  requestAnimationFrame(() => requestAnimationFrame(() => drawn()))
})`

/**
 * Such a browser draws by itself, at any moment. While a page's view is in transition it draws nothing until what it is
 * to show next is there (css-view-transitions, rendering suppression): so it is held in a transition to nothing.
 */
function screenshotPainter(page: PageSession): Painter {
  let heldAt = -Infinity
  const evaluate = async (expression: string) =>
    (await page.call('Runtime.evaluate', { expression, awaitPromise: true })).result.value
  const draw = async () => {
    const wasHeld = await evaluate(drawAndPause)
    heldAt = performance.now()
    return wasHeld === true
  }
  return {
    pause: async () => performance.now() - heldAt < pauseRenewalMs || (await draw()),
    draw,
    capture: async () => {
      // No picture is taken of a page that is held.
      await evaluate(resumeDrawing)
      const params = { format: 'png', optimizeForSpeed: true, captureBeyondViewport: false }
      const { data } = await page.call('Page.captureScreenshot', params)
      await draw()
      return Buffer.from(data, 'base64')
    },
  }
}
