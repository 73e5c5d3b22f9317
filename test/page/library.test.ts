import { rm } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeTestLibrary } from '../material-search/filled-library.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { isBrowserMissing, openPage, startBrowser } from './browser.ts'

describe.skipIf(isBrowserMissing)('the library on the page (Debian package chromium-headless-shell)', () => {
  let browser: Browser
  let service: TestService
  let library: Awaited<ReturnType<typeof writeTestLibrary>>

  beforeAll(async () => {
    library = await writeTestLibrary()
    ;[browser, service] = await Promise.all([startBrowser(), startTestService({ dataDir: library.data })])
  })
  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
    await rm(library.root, { recursive: true, force: true })
  })

  test('shows materials with their rights in a grid, and words and kinds narrow it', async () => {
    const { page, violations } = await openPage(browser, await service.account(5))
    await page.getByRole('link', { name: 'Library' }).click()
    const cards = page.getByRole('list', { name: 'Materials' }).getByRole('listitem')
    await cards.filter({ hasText: 'Calm piano' }).waitFor()
    expect(await cards.count()).toBe(4)
    for (const card of await cards.all())
      expect(await card.textContent()).toContain('CC BY 4.0 · Example Films')
    const picture = cards.filter({ hasText: 'sunset.png' }).locator('img')
    await picture.scrollIntoViewIfNeeded()
    await expect
      .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
      .toBeGreaterThan(0)

    await page.getByLabel('Words').fill('日落')
    await cards.filter({ hasText: 'Calm piano' }).waitFor({ state: 'detached' })
    expect(await cards.count()).toBe(1)
    await page.getByLabel('Kind').selectOption({ label: 'Audio' })
    await page.getByText('Nothing here.').waitFor()
    await page.getByLabel('Words').fill('')
    const calm = cards.filter({ hasText: 'Calm piano' })
    await calm.waitFor()
    await calm.getByRole('button', { name: /^Show preview/ }).click()
    const sound = calm.locator('audio')
    await expect.poll(() => sound.evaluate((one: { duration: number }) => one.duration)).toBeGreaterThan(0.9)
    expect(violations).toEqual([])
  })

  test('is no wider than a phone', async () => {
    const { page } = await openPage(browser, await service.account(5))
    await page.setViewportSize({ width: 360, height: 640 })
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByText('Calm piano').waitFor()
    const [wanted, shown] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = (
        globalThis as unknown as {
          document: { documentElement: { scrollWidth: number; clientWidth: number } }
        }
      ).document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(wanted).toBe(shown)
  })
})
