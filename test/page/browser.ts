import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { findChromium } from '../../src/engines/chromium/locate.ts'
import { splitSearchPath } from '../../src/platform/environment.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

const executablePath = findChromium(splitSearchPath(process.env['PATH']))

/** Whether Chromium is missing, which skips the tests that use it. In CI they run and fail instead. */
export const isBrowserMissing = executablePath === undefined && !process.env['CI']

/** Starts headless Chromium with a fresh profile, without background network requests, and with further flags. */
export async function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error('Chromium is missing; install the Debian package chromium-headless-shell')
  return await chromium.launch({
    executablePath,
    // The sandbox does not start for root, as in CI. The tests show only pages of this project.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync', ...flags],
  })
}

/** Name that a rebinding name server would resolve to the service. */
export const reboundHost = 'rebound.test'

/** A browser, and a service with the test operation. */
export interface BrowserAndService {
  readonly browser: Browser
  readonly service: TestService
}

/** Starts a browser and a service for the tests of a suite. Its fields are set before the first test. */
export function browserAndService(options: Parameters<typeof startTestService>[0] = {}): BrowserAndService {
  const started = {} as { browser: Browser; service: TestService }
  beforeAll(async () => {
    const resolve = `--host-resolver-rules=MAP ${reboundHost} 127.0.0.1`
    const [browser, service] = await Promise.all([startBrowser([resolve]), startTestService(options)])
    Object.assign(started, { browser, service })
  })
  afterAll(async () => {
    await started.browser.close()
    await started.service[Symbol.asyncDispose]()
  })
  return started
}

/** A browser tab in a context of its own, closed when the test ends. */
export interface Tab {
  readonly page: Page
  /** Script errors, content security policy violations, dialogs, and requests to other hosts than the service. */
  readonly violations: string[]
}

/** Opens the page of a service, signed in if `apiKey` is set. */
export async function openPage(
  browser: Browser,
  { baseUrl, apiKey }: { baseUrl: string; apiKey?: string },
  { view = '', ...options }: BrowserContextOptions & { view?: string } = {},
): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  // Runs before the context closes, which fails a request that a route of the test is repeating.
  onTestFinished(async () => {
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  const violations: string[] = []
  page.on('pageerror', ({ message }) => violations.push(message))
  page.on('console', (message) => message.type() === 'error' && violations.push(message.text()))
  page.on('dialog', (dialog) => {
    violations.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) violations.push(`to ${request.url()}`)
  })
  if (apiKey !== undefined) {
    await page.addInitScript(`sessionStorage.setItem('reelwright.key', ${JSON.stringify(apiKey)})`)
  }
  await page.goto(`${baseUrl}/#${view}`)
  return { page, violations }
}

/** Whether the element has the keyboard focus. */
export async function isFocused(locator: Locator): Promise<boolean> {
  return await locator.evaluate((element: { matches(query: string): boolean }) => element.matches(':focus'))
}

/** Takes a screenshot for people who look at them, if PAGE_PICTURES names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PAGE_PICTURES']
  if (folder === undefined) return
  await page.screenshot({ path: `${folder}/${name}.png`, type: 'png', fullPage: true })
}
