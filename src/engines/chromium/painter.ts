import { BrowserFailure } from './browser-failure.ts'
import type { PageSession } from './page-session.ts'

/** Controls when a page draws, and captures pictures of it. */
export interface Painter {
  /**
   * Pauses automatic drawing for some seconds, so that only `draw` triggers drawing events. Returns false if the page
   * may have drawn automatically since the last call.
   */
  pause(): Promise<boolean>
  /** Draws the page once without a picture, which delivers drawing events. Returns the same as `pause`. */
  draw(): Promise<boolean>
  /** Captures the page as 8-bit PNG, with alpha unless every pixel is opaque. */
  capture(): Promise<Buffer>
}

export type CaptureMethod = 'begin-frame' | 'screenshot'

/** Creates the painter of a capture method. */
export function createPainter(method: CaptureMethod, page: PageSession): Painter {
  return method === 'begin-frame' ? beginFramePainter(page) : screenshotPainter(page)
}

/** Attempts per picture: the first frames of a new page may return none. */
const maxAttempts = 20

/** Time between two frames as reported to the compositor, ms; particles cannot observe it. */
const frameIntervalMs = 1000 / 60

/** Sets the page's background to black with an alpha of 0 or 1. */
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
    // A begin-frame browser draws only on request.
    pause: async () => true,
    draw: async () => {
      await frame({ noDisplayUpdates: true })
      return true
    },
    capture: async () => {
      // When an element with its own layer shrinks, its edges are first clipped to the previous size; a second draw is
      // right. Chromium redraws only if something visible changes, so the background is changed too.
      await setBackground(page, 1)
      await frame({})
      await setBackground(page, 0)
      for (let tries = 0; tries < maxAttempts; tries += 1) {
        const { screenshotData } = await frame({ screenshot })
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64')
      }
      throw new BrowserFailure('slow')
    },
  }
}

/** A pause older than this, in ms, is renewed before playing, because Chromium ends it after 4 s. */
const pauseRenewalMs = 1000

/** Script: draws the page once and pauses drawing. Resolves to whether drawing was paused until now. */
const drawAndPause = `new Promise((drawn) => {
  const wasPaused = window.isPaused
  window.paused?.skipTransition()
  requestAnimationFrame(() => {
    window.paused = document.startViewTransition(() => {
      drawn(wasPaused)
      return new Promise(() => {})
    })
    window.isPaused = true
    window.paused.ready.catch(() => (window.isPaused = false))
  })
})`

/** Script: resumes drawing and waits until the page has drawn. */
const resumeDrawing = `new Promise((drawn) => {
  window.paused?.skipTransition()
  requestAnimationFrame(() => requestAnimationFrame(() => drawn()))
})`

/**
 * A browser without begin-frame control draws at any time. A view transition suppresses rendering until the new state is
 * ready (css-view-transitions, rendering suppression), so a transition that never becomes ready pauses drawing.
 */
function screenshotPainter(page: PageSession): Painter {
  let pausedAt = -Infinity
  const evaluate = async (expression: string) =>
    (await page.call('Runtime.evaluate', { expression, awaitPromise: true })).result.value
  const draw = async () => {
    const wasPaused = await evaluate(drawAndPause)
    pausedAt = performance.now()
    return wasPaused === true
  }
  return {
    pause: async () => performance.now() - pausedAt < pauseRenewalMs || (await draw()),
    draw,
    capture: async () => {
      // A paused page cannot be captured.
      await evaluate(resumeDrawing)
      const params = { format: 'png', optimizeForSpeed: true, captureBeyondViewport: false }
      const { data } = await page.call('Page.captureScreenshot', params)
      await draw()
      return Buffer.from(data, 'base64')
    },
  }
}
