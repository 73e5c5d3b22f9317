import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TaskEvent } from '../../src/contract/task.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestAccount } from '../service/in-process.ts'
import { isFocused, openPage, type BrowserAndService } from './browser.ts'

export const viewsSuite = (started: BrowserAndService) =>
  describe('the views of the page', () => {
    let account: TestAccount
    let calls: ReturnType<typeof api>

    const newAccount = async (credits = 100) => {
      account = await started.service.account(credits)
      calls = api(account)
    }
    const createTask = async (
      behaviour: string,
      name = 'a.txt',
      bytes: Uint8Array<ArrayBuffer> | string = 'bytes',
    ) => {
      const { data: file } = await calls.upload(name, bytes)
      const { cancel, create, stop } = calls
      const id = (await create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
      // A task that still waits, in the service that all suites share, would keep those of the next tests from running.
      if (behaviour === 'wait')
        onTestFinished(async () => {
          await cancel(id)
          await stop(id)
        })
      return id
    }
    /** The row of a task. */
    const taskRow = (page: Page, id: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('button', { name: id }) })

    test('the task list is live; a task is cancelled, another is stopped after confirmation', async () => {
      await newAccount()
      const { page, violations } = await openPage(started.browser, account)
      await page.getByText('Live', { exact: true }).waitFor()
      const [first, second, third] = [
        await createTask('wait'),
        await createTask('wait'),
        await createTask('wait'),
      ]
      await taskRow(page, first).getByText('Running').waitFor()
      await taskRow(page, first).getByRole('progressbar').and(page.locator('[value="10"]')).waitFor()
      await taskRow(page, third).getByText('Waiting').waitFor()
      const order = await page
        .getByRole('button', { name: /^Show details/ })
        .evaluateAll((buttons) =>
          buttons.map((button: { ariaLabel: string }) => button.ariaLabel.split(', ')[1]),
        )
      expect(order).toEqual([third, second, first])

      await taskRow(page, third)
        .getByRole('button', { name: /^Cancel/ })
        .click()
      await taskRow(page, third).getByText('Cancelled').waitFor()
      const stop = taskRow(page, first).getByRole('button', { name: /^Stop/ })
      await stop.press('Enter')
      await page.getByRole('dialog', { name: 'Stop this task?' }).waitFor()
      await page.keyboard.press('Escape')
      await taskRow(page, first).getByText('Running').waitFor()
      expect(await isFocused(stop)).toBe(true)
      await stop.press('Enter')
      await page.getByRole('button', { name: 'Stop it' }).click()
      await taskRow(page, first).getByText('Stopped', { exact: true }).waitFor()
      expect(await taskRow(page, first).getByRole('alert').count(), 'no error is shown').toBe(0)

      await taskRow(page, first)
        .getByRole('button', { name: /^Show details/ })
        .click()
      await taskRow(page, first).getByText('none: credits refunded').waitFor()
      await page.getByLabel('State').selectOption({ label: 'Running' })
      await taskRow(page, first).waitFor({ state: 'detached' })
      expect(await page.getByRole('list', { name: 'Tasks' }).getByRole('listitem').count()).toBe(1)
      expect(violations).toEqual([])
    })

    test('after the service restarts, the page reconnects and shows what changed', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-page-'))
      onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
      const first = await startTestService({ dataDir })
      const one = await first.account(10)
      const { page } = await openPage(started.browser, one)
      await page.getByText('Live', { exact: true }).waitFor()
      await first[Symbol.asyncDispose]()
      await page.getByText('Connecting').waitFor()
      await page.getByRole('alert').getByText('run `reelwright page` again').waitFor()
      await using second = await startTestService({ dataDir, port: Number(new URL(one.baseUrl).port) })
      expect(second.baseUrl).toBe(one.baseUrl)
      const { data: file } = await api(one).upload('a.txt', 'bytes')
      await api(one).create('test_copy', { file_id: file.file_id })
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('button', { name: /^Show result/ }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await page.context().close()
    })

    test('on a phone no view is wider than the screen', async () => {
      await newAccount()
      const long = `${'a_very_long_name_without_any_place_to_break_'.repeat(4)}.txt`
      const id = await createTask('copy', long, 'long')
      const { page } = await openPage(started.browser, account, {
        ...{ viewport: { width: 320, height: 600 }, colorScheme: 'dark', reducedMotion: 'reduce' },
      })
      await page.getByRole('button', { name: new RegExp(`^Show result.*${id}`) }).click()
      await page.getByText('Complete output').click()
      for (const view of ['Tasks', 'Files', 'Credits', 'Service']) {
        await page.getByRole('link', { name: view }).click()
        await page.getByRole('heading', { name: view, exact: true }).waitFor()
        expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 320])
      }
    })

    test('progress received while the list loads is not overwritten by the older list', async () => {
      await newAccount()
      const { page } = await openPage(started.browser, account)
      const [listRequested, progressSent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await page.routeWebSocket('**/task/events*', (socket) => {
        socket.connectToServer().onMessage(async (message) => {
          const event = JSON.parse(String(message)) as TaskEvent
          // Only the state `processing` reloads the list, and progress arrives during that load.
          if (event.event === 'status' && event.task.status !== 'processing') return
          if (event.event === 'progress') await listRequested.promise
          socket.send(message)
          if (event.event === 'progress') progressSent.resolve()
        })
      })
      let isDelayed = false
      await page.route('**/task/list*', async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as { data: { list: { status: string; progress: number }[] } }
        const running = body.data.list.find(({ status }) => status === 'processing')
        if (running && !isDelayed) {
          isDelayed = true
          running.progress = 0
          listRequested.resolve()
          await progressSent.promise
        }
        await route.fulfill({ json: body })
      })
      await page.reload()
      await page.getByText('Live', { exact: true }).waitFor()
      const id = await createTask('wait')
      await taskRow(page, id).getByRole('progressbar').and(page.locator('[value="10"]')).waitFor()
      expect(isDelayed).toBe(true)
    })

    test('a result plays in the list, keeps playing while the list changes, and is saved under its name', async () => {
      await newAccount()
      const clip = await generateMedia(join(await scratchFolder(), 'clip.mp4'), [...picture(8), ...h264])
      const bytes = await readFile(clip)
      const id = await createTask('copy', 'my clip.mp4', bytes)
      const { page, violations } = await openPage(started.browser, account)
      const resultButton = page.getByRole('button', { name: new RegExp(`^(Show|Hide) result.*${id}`) })
      await resultButton.press('Enter')
      const video = page.getByLabel('copy of my clip.mp4', { exact: true })
      interface VideoElement {
        paused: boolean
        muted: boolean
        currentTime: number
        play(): Promise<void>
      }
      const time = () =>
        video.evaluate((element: VideoElement) => (element.paused ? -1 : element.currentTime))
      await video.evaluate((element: VideoElement) => {
        element.muted = true
        return element.play()
      })
      await expect.poll(time).toBeGreaterThan(0)
      await page.getByText('8 s ·').waitFor()
      await page.getByRole('definition').getByText('my clip.mp4', { exact: true }).waitFor()
      const later = await createTask('copy')
      await taskRow(page, later).getByText('Done').waitFor()
      expect(await isFocused(resultButton)).toBe(true)
      const before = await time()
      await expect.poll(time).toBeGreaterThan(before)
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download' }).click()
      expect((await download).suggestedFilename()).toBe('copy of my clip.mp4')
      expect(bytes.equals(await readFile(await (await download).path()))).toBe(true)
      expect(violations).toEqual([])
    })

    test('names of files and texts of errors are never parsed as markup', async () => {
      await newAccount()
      const names = [
        `<img src=x onerror="alert(1)">.txt`,
        `"><svg onload=alert(2)><script>alert(3)<&#47;script>.txt`,
        `\${alert(4)}{{alert(5)}}.txt`,
        `javascript:alert(6).txt`,
      ]
      const copies: string[] = []
      for (const name of names) copies.push(await createTask('copy', name, name))
      const failed = await createTask('refuse', 'b.txt', 'b')
      const { db } = started.service.running.service
      const error = { code: 6017, message: names[0], hint: names[1], retryable: false }
      const { page, violations } = await openPage(started.browser, account)
      await taskRow(page, failed).getByText('this file is always rejected').waitFor()
      await db
        .updateTable('tasks')
        .set({ output: JSON.stringify({ error }) })
        .where('id', '=', failed)
        .execute()
      await page.reload()
      await taskRow(page, failed)
        .getByText(names[0] ?? '')
        .waitFor()
      await taskRow(page, failed)
        .getByText(names[1] ?? '')
        .waitFor()
      // Clicking waits for the button, because some tasks may still be running.
      for (const copy of copies)
        await taskRow(page, copy)
          .getByRole('button', { name: /^Show result/ })
          .click()
      for (const name of names) await page.getByText(`copy of ${name}`, { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Files' }).click()
      for (const name of names)
        await page.getByRole('heading', { name: `copy of ${name}`, exact: true }).waitFor()
      await page.getByRole('button', { name: `Delete: copy of ${names[0]}` }).click()
      await page
        .getByRole('dialog')
        .getByText(names[0] ?? '')
        .waitFor()
      expect(await page.locator('main img, main svg, main script, dialog img').count()).toBe(0)
      expect(violations).toEqual([])
      // Even an attempt is blocked by the browser.
      const attempt = page.evaluate(`document.body.innerHTML = '<img src=x onerror=alert(7)>'`)
      await expect(attempt).rejects.toThrow('TrustedHTML')
    })

    test('files are listed in pages and deleted after confirmation; a file in use is kept and the reason shown', async () => {
      await newAccount()
      for (let index = 1; index <= 21; index += 1) await calls.upload(`note ${index}.txt`, `note ${index}`)
      const { page } = await openPage(started.browser, account, { view: 'files' })
      await page.getByText('1 to 20 of 21').waitFor()
      await page.getByRole('button', { name: 'Older' }).click()
      await page.getByRole('heading', { name: 'note 1.txt' }).waitFor()
      await page.getByRole('button', { name: 'Delete: note 1.txt' }).click()
      await page.getByRole('button', { name: 'Delete it' }).click()
      await page.getByRole('heading', { name: 'note 21.txt' }).waitFor()
      expect(await page.getByRole('listitem').count()).toBe(20)
      await calls.upload('clip.mp4', 'no clip')
      await page.reload()
      await page.getByRole('button', { name: 'Show: clip.mp4' }).click()
      await page.getByText('The browser could not play this .mp4 file.').waitFor()
      expect(await page.getByRole('button', { name: 'Download: clip.mp4' }).count()).toBe(1)
      expect(await page.getByText('clip.mp4', { exact: true }).count()).toBe(1)
      await createTask('wait', 'note 21.txt', 'note 21')
      await page.getByRole('button', { name: 'Delete: note 21.txt' }).click()
      await page.getByRole('button', { name: 'Delete it' }).click()
      await page.getByRole('alert').getByText('Code 6008').waitFor()
      await page.getByRole('heading', { name: 'note 21.txt' }).waitFor()
    })

    test('the credits view shows balance and ledger; the service view shows what is missing and the fix', async () => {
      await newAccount(7)
      const { page, violations } = await openPage(started.browser, account, { view: 'credits' })
      await page.getByText('7 credits', { exact: true }).waitFor()
      const id = await createTask('wait')
      await page.getByText('6 credits', { exact: true }).waitFor()
      await page.getByRole('listitem').filter({ hasText: id }).getByText('−1 credit').waitFor()
      await calls.stop(id)
      await page.getByRole('listitem').filter({ hasText: id }).getByText('+1 credit').waitFor()
      await page.getByRole('link', { name: 'Service' }).click()
      await page.getByText('Operations ready: 1 of 2').waitFor()
      const blocked = page.getByRole('listitem').filter({ hasText: 'test_blocked' })
      await blocked.getByText(/language model.*Fix: Set /i).waitFor()
      expect(violations).toEqual([])
    })
  })
