import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endService } from '../pack/connect.ts'
import { isFocused, openPage, type BrowserAndService } from './browser.ts'

const root = dirname(dirname(import.meta.dirname))

export const signInSuite = (started: BrowserAndService) =>
  describe('signing in', () => {
    test('`page` prints an address that signs in once', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-page-'))
      onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
      const args = [join(root, 'src', 'main.ts'), 'page', '--data-dir', dataDir]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      onTestFinished(() => endService(dataDir))
      expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]{43}\n$/)
      const [baseUrl = '', view = ''] = stdout.trim().split('/#')
      const { page, violations } = await openPage(started.browser, { baseUrl }, { view })
      await page.getByRole('heading', { name: 'Tasks' }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      expect(page.url()).toBe(`${baseUrl}/`)
      await page.getByRole('link', { name: 'Service' }).click()
      await page.getByText('video_split_screen').waitFor()
      expect(violations).toEqual([])
      // After a reload the tab still has its key. Another tab has none, and the ticket is used up.
      await page.reload()
      await page.getByRole('heading', { name: 'Service' }).waitFor()
      const other = await openPage(started.browser, { baseUrl }, { view })
      await other.page.getByText('this link was already used or has expired').waitFor()
      await page.context().close()
    })

    test('a key can be entered in the form; signing out removes it', async () => {
      const account = await started.service.account(100)
      const { page } = await openPage(started.browser, { baseUrl: account.baseUrl })
      const key = page.getByLabel('API key')
      await key.fill('wrong')
      await key.press('Enter')
      await page.getByRole('alert').getByText('the API key is unknown').waitFor()
      await key.fill(account.apiKey)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('No tasks here').waitFor()
      expect(await page.context().cookies()).toEqual([])
      await page.getByRole('button', { name: 'Sign out' }).click()
      expect(await isFocused(key)).toBe(true)
      await page.reload()
      await key.waitFor()
      expect(await page.getByRole('navigation').isVisible()).toBe(false)
    })

    test('a late rejection of an old key does not sign out the new one', async () => {
      const account = await started.service.account(100)
      const { page } = await openPage(started.browser, { baseUrl: account.baseUrl })
      const release = Promise.withResolvers<void>()
      const late = page.waitForResponse(
        (response) => response.status() === 401 && response.url().endsWith('/ticket'),
      )
      await page.route('**/task/events/ticket', async (route) => {
        if (route.request().headers()['authorization'] === 'wrong') await release.promise
        await route.continue()
      })
      const key = page.getByLabel('API key')
      await key.fill('wrong')
      await key.press('Enter')
      await page.getByRole('alert').getByText('the API key is unknown').waitFor()
      await key.fill(account.apiKey)
      await key.press('Enter')
      await page.getByText('Live', { exact: true }).waitFor()
      release.resolve()
      await (await late).finished()
      await page.getByRole('link', { name: 'Credits' }).click()
      await page.getByText('100 credits', { exact: true }).waitFor()
      expect(await key.count()).toBe(0)
    })
  })
