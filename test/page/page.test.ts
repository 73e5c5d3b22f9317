import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TaskEvent } from '../../src/contract/task.ts'
import { h264, make, picture, scratchFolder } from '../engines/ffmpeg/made.ts'
import { api } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { isFocused, lacksBrowser, openPage, startBrowser } from './browser.ts'

/** An operation whose engine is not there. */
const blockedModule = {
  ...fakeModule,
  operation: { ...fakeModule.operation, name: 'test_blocked', title: 'Test blocked' },
  requirements: async () => ({ requirements: () => [{ kind: 'language-model' } as const] }),
}

describe.skipIf(lacksBrowser)('the page in Chromium (Debian package chromium-headless-shell)', () => {
  let browser: Browser
  let service: TestService
  let account: TestAccount
  let calls: ReturnType<typeof api>

  beforeAll(async () => {
    ;[browser, service] = await Promise.all([
      startBrowser(),
      startTestService({ operations: [fakeModule, blockedModule] }),
    ])
  })
  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  const newAccount = async (credits = 100) => {
    account = await service.account(credits)
    calls = api(account)
  }
  const begin = async (
    behaviour: string,
    name = 'a.txt',
    bytes: Uint8Array<ArrayBuffer> | string = 'bytes',
  ) => {
    const { data: file } = await calls.upload(name, bytes)
    return (await calls.create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
  }
  /** The row of a task. */
  const rowOf = (page: Page, id: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name: id }) })

  test('tasks show up and move by themselves; one is cancelled, one stopped after a question', async () => {
    await newAccount()
    const { page, wrong } = await openPage(browser, account)
    await page.getByText('Live', { exact: true }).waitFor()
    const [first, second, third] = [await begin('wait'), await begin('wait'), await begin('wait')]
    await rowOf(page, first).getByText('Running').waitFor()
    await rowOf(page, first).getByRole('progressbar').and(page.locator('[value="10"]')).waitFor()
    await rowOf(page, third).getByText('Waiting').waitFor()
    const order = await page
      .getByRole('button', { name: /^Show details/ })
      .evaluateAll((buttons) => buttons.map((one: { ariaLabel: string }) => one.ariaLabel.split(', ')[1]))
    expect(order).toEqual([third, second, first])

    await rowOf(page, third)
      .getByRole('button', { name: /^Cancel/ })
      .click()
    await rowOf(page, third).getByText('Cancelled').waitFor()
    const stop = rowOf(page, first).getByRole('button', { name: /^Stop/ })
    await stop.press('Enter')
    await page.getByRole('dialog', { name: 'Stop this task?' }).waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, first).getByText('Running').waitFor()
    expect(await isFocused(stop)).toBe(true)
    await stop.press('Enter')
    await page.getByRole('button', { name: 'Stop it' }).click()
    await rowOf(page, first).getByText('Stopped', { exact: true }).waitFor()
    expect(await rowOf(page, first).getByRole('alert').count(), 'nothing is to be fixed').toBe(0)

    await rowOf(page, first)
      .getByRole('button', { name: /^Show details/ })
      .click()
    await rowOf(page, first).getByText('nothing: its credits came back').waitFor()
    await page.getByLabel('State').selectOption({ label: 'Running' })
    await rowOf(page, first).waitFor({ state: 'detached' })
    expect(await page.getByRole('list', { name: 'Tasks' }).getByRole('listitem').count()).toBe(1)
    expect(wrong).toEqual([])
    await calls.stop(second)
  })

  test('progress told while the list is loaded is shown, though the list was read before', async () => {
    await newAccount()
    const { page } = await openPage(browser, account)
    const [asked, progressTold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.routeWebSocket('**/task/events*', (socket) => {
      socket.connectToServer().onMessage(async (message) => {
        const told = JSON.parse(String(message)) as TaskEvent
        // One state alone has the list loaded, and progress is told while that goes on.
        if (told.event === 'status' && told.task.status !== 'processing') return
        if (told.event === 'progress') await asked.promise
        socket.send(message)
        if (told.event === 'progress') progressTold.resolve()
      })
    })
    let isHeld = false
    await page.route('**/task/list*', async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { data: { list: { status: string; progress: number }[] } }
      const running = answer.data.list.find(({ status }) => status === 'processing')
      if (running && !isHeld) {
        isHeld = true
        running.progress = 0
        asked.resolve()
        await progressTold.promise
      }
      await route.fulfill({ json: answer })
    })
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    const id = await begin('wait')
    await rowOf(page, id).getByRole('progressbar').and(page.locator('[value="10"]')).waitFor()
    expect(isHeld).toBe(true)
    await calls.stop(id)
  })

  test('a result plays in its place, goes on while the list changes, and is saved under its name', async () => {
    await newAccount()
    const clip = await make(join(await scratchFolder(), 'clip.mp4'), [...picture(8), ...h264])
    const bytes = await readFile(clip)
    const id = await begin('copy', 'my clip.mp4', bytes)
    const { page, wrong } = await openPage(browser, account)
    const toggle = page.getByRole('button', { name: new RegExp(`^(Show|Hide) result.*${id}`) })
    await toggle.press('Enter')
    const video = page.getByLabel('copy of my clip.mp4', { exact: true })
    interface Video {
      paused: boolean
      muted: boolean
      currentTime: number
      play(): Promise<void>
    }
    const time = () => video.evaluate((one: Video) => (one.paused ? -1 : one.currentTime))
    await video.evaluate((one: Video) => {
      one.muted = true
      return one.play()
    })
    await expect.poll(time).toBeGreaterThan(0)
    await page.getByText('8 s ·').waitFor()
    await page.getByRole('definition').getByText('my clip.mp4', { exact: true }).waitFor()
    const later = await begin('copy')
    await rowOf(page, later).getByText('Done').waitFor()
    expect(await isFocused(toggle)).toBe(true)
    const before = await time()
    await expect.poll(time).toBeGreaterThan(before)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('copy of my clip.mp4')
    expect(bytes.equals(await readFile(await (await download).path()))).toBe(true)
    expect(wrong).toEqual([])
  })

  test('whatever a file or an error is called is text', async () => {
    await newAccount()
    const names = [
      `<img src=x onerror="alert(1)">.txt`,
      `"><svg onload=alert(2)><script>alert(3)<&#47;script>.txt`,
      `\${alert(4)}{{alert(5)}}.txt`,
      `javascript:alert(6).txt`,
    ]
    const copies: string[] = []
    for (const name of names) copies.push(await begin('copy', name, name))
    const failed = await begin('refuse', 'b.txt', 'b')
    const { db } = service.running.service
    const error = { code: 6017, message: names[0], hint: names[1], retryable: false }
    const { page, wrong } = await openPage(browser, account)
    await rowOf(page, failed).getByText('this file will never do').waitFor()
    await db
      .updateTable('tasks')
      .set({ output: JSON.stringify({ error }) })
      .where('id', '=', failed)
      .execute()
    await page.reload()
    await rowOf(page, failed)
      .getByText(names[0] ?? '')
      .waitFor()
    await rowOf(page, failed)
      .getByText(names[1] ?? '')
      .waitFor()
    // Each is clicked once it is there: some may still be worked on.
    for (const copy of copies)
      await rowOf(page, copy)
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
    expect(wrong).toEqual([])
    // Were it tried all the same, the browser itself would refuse.
    const tried = page.evaluate(`document.body.innerHTML = '<img src=x onerror=alert(7)>'`)
    await expect(tried).rejects.toThrow('TrustedHTML')
  })

  test('after the service was away, what happened meanwhile is there', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-page-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const first = await startTestService({ dataDir })
    const one = await first.account(10)
    const { page } = await openPage(browser, one)
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

  test('files are listed by pages and deleted after a question; one in use stays, with the reason', async () => {
    await newAccount()
    for (let index = 1; index <= 21; index += 1) await calls.upload(`note ${index}.txt`, `note ${index}`)
    const { page } = await openPage(browser, account, { view: 'files' })
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
    const id = await begin('wait', 'note 21.txt', 'note 21')
    await page.getByRole('button', { name: 'Delete: note 21.txt' }).click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByRole('alert').getByText('Code 6008').waitFor()
    await page.getByRole('heading', { name: 'note 21.txt' }).waitFor()
    await calls.stop(id)
  })

  test('credits tell the balance and what came and went; the service what is missing and its fix', async () => {
    await newAccount(7)
    const { page, wrong } = await openPage(browser, account, { view: 'credits' })
    await page.getByText('7 credits', { exact: true }).waitFor()
    const id = await begin('wait')
    await page.getByText('6 credits', { exact: true }).waitFor()
    await page.getByRole('listitem').filter({ hasText: id }).getByText('−1 credit').waitFor()
    await calls.stop(id)
    await page.getByRole('listitem').filter({ hasText: id }).getByText('+1 credit').waitFor()
    await page.getByRole('link', { name: 'Service' }).click()
    await page.getByText('Operations ready: 1 of 2').waitFor()
    const blocked = page.getByRole('listitem').filter({ hasText: 'test_blocked' })
    await blocked.getByText(/language model.*Fix: Set /i).waitFor()
    expect(wrong).toEqual([])
  })

  test('on a phone nothing is wider than the screen', async () => {
    await newAccount()
    const long = `${'a_very_long_name_without_any_place_to_break_'.repeat(4)}.txt`
    const id = await begin('copy', long, 'long')
    const { page } = await openPage(browser, account, {
      ...{ viewport: { width: 320, height: 600 }, colorScheme: 'dark', reducedMotion: 'reduce' },
    })
    await page.getByRole('button', { name: new RegExp(`^Show result.*${id}`) }).click()
    await page.getByText('All that the task answered').click()
    for (const view of ['Tasks', 'Files', 'Credits', 'Service']) {
      await page.getByRole('link', { name: view }).click()
      await page.getByRole('heading', { name: view, exact: true }).waitFor()
      expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 320])
    }
  })
})
