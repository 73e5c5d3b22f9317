import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { findChromium } from '../../src/engines/chromium/locate.ts'
import { splitSearchPath } from '../../src/platform/environment.ts'

const found = findChromium(splitSearchPath(process.env['PATH']))

/** Without a Chromium its tests are skipped; where tests count, it must be there. */
export const lacksBrowser = found === undefined && !process.env['CI']

/** Starts Chromium without a screen, with a profile of its own, that asks nothing of anybody by itself. */
export async function startBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error('there is no Chromium; Debian package chromium-headless-shell')
  return await chromium.launch({
    executablePath: found,
    // Its sandbox does not start for root, as in CI; what it shows here is this project's own.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  })
}

/** A tab of its own, until the test ends. */
export interface Tab {
  readonly page: Page
  /** Errors, refusals of the page's policy, dialogs, and requests to other places than the service. */
  readonly wrong: string[]
}

/** Opens the page of a service, signed in where a key is given. */
export async function openPage(
  browser: Browser,
  { baseUrl, apiKey }: { baseUrl: string; apiKey?: string },
  { view = '', ...options }: BrowserContextOptions & { view?: string } = {},
): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', ({ message }) => wrong.push(message))
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) wrong.push(`to ${request.url()}`)
  })
  if (apiKey !== undefined) {
    await page.addInitScript(`sessionStorage.setItem('reelwright.key', ${JSON.stringify(apiKey)})`)
  }
  await page.goto(`${baseUrl}/#${view}`)
  return { page, wrong }
}

/** Whether what the keyboard does goes there. */
export async function isFocused(where: Locator): Promise<boolean> {
  return await where.evaluate((element: { matches(query: string): boolean }) => element.matches(':focus'))
}
