import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { api } from '../service/api.ts'
import { isFocused, openPage, type BrowserAndService } from './browser.ts'

export const focusSuite = (started: BrowserAndService) =>
  describe('the focus on the page', () => {
    /** Holds the response of an action, as on a slow network, until `release` is called. */
    async function holdResponse(page: Page, pattern: string): Promise<{ release: () => void }> {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route(pattern, async (route) => {
        if (route.request().method() === 'GET') return route.continue()
        const response = await route.fetch()
        await released
        await route.fulfill({ response })
      })
      return { release }
    }

    test('the end of a cancellation moves a lost focus to the task, and no other', async () => {
      const account = await started.service.account(10)
      const { create, stop, upload } = api(account)
      const { data: file } = await upload('a.txt', 'bytes')
      const createTask = async () =>
        (await create('test_copy', { file_id: file.file_id, behaviour: 'wait' })).data.task_id
      const [first, second, third, fourth] = [
        await createTask(),
        await createTask(),
        await createTask(),
        await createTask(),
      ]
      const { page, violations } = await openPage(started.browser, account)
      const button = (name: string, id: string) =>
        page.getByRole('button', { name: new RegExp(`^${name}.*${id}`), includeHidden: true })
      const cancel = async (id: string, meanwhile: () => Promise<void>) => {
        const { release } = await holdResponse(page, '**/task/*/cancel')
        await button('Cancel', id).press('Enter')
        await page
          .getByRole('listitem')
          .filter({ has: button('Show details', id) })
          .getByText('Cancelled')
          .waitFor()
        await meanwhile()
        release()
        await expect.poll(() => button('Cancel', id).getAttribute('aria-disabled')).toBe(null)
      }

      await cancel(third, async () => {})
      expect(await isFocused(button('Show details', third))).toBe(true)
      await cancel(fourth, () => button('Stop', first).focus())
      expect(await isFocused(button('Stop', first))).toBe(true)
      expect(violations).toEqual([])
      await stop(first)
      await stop(second)
    })

    test('the end of a deletion moves a lost focus to the view, and no other', async () => {
      const account = await started.service.account(10)
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await api(account).upload(name, name)
      const { page, violations } = await openPage(started.browser, account, { view: 'files' })
      const button = (name: string) => page.getByRole('button', { name: `Delete: ${name}` })
      const remove = async (name: string, meanwhile: () => Promise<void>) => {
        const { release } = await holdResponse(page, '**/base/file/*')
        await button(name).press('Enter')
        await page.getByRole('button', { name: 'Delete it' }).press('Enter')
        await meanwhile()
        release()
        await button(name).waitFor({ state: 'detached' })
      }

      await remove('a.txt', async () => {})
      await expect.poll(() => isFocused(page.locator('main'))).toBe(true)
      await remove('b.txt', () => button('c.txt').focus())
      expect(await isFocused(button('c.txt'))).toBe(true)
      expect(violations).toEqual([])
    })
  })
