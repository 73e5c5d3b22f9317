import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { askingClient } from '../questions/asking-client.ts'
import { api } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { manyFilesModule } from '../service/many-files-operation.ts'
import { srtOf } from '../subtitle-translate/translation-service.ts'
import { fakeChinese } from '../subtitle-translate/translator.ts'
import { isFocused, openPage, takePicture, type BrowserAndService } from './browser.ts'

export const taskDetailsSuite = (started: Pick<BrowserAndService, 'browser'>) =>
  describe('questions and results of tasks on the page', () => {
    let service: TestService
    let account: TestAccount
    let client: ReturnType<typeof askingClient>

    beforeAll(async () => {
      const asking = operations.filter(({ operation }) => operation.name === 'subtitle_translate')
      service = await startTestService({ operations: [fakeModule, manyFilesModule, ...asking] })
      account = await service.account(100)
      client = askingClient(account)
    })
    afterAll(() => service[Symbol.asyncDispose]())

    /** Creates a task and returns its row once it asks. */
    async function askOnPage(page: Page, type: string, body: object) {
      const { data } = await client.create(type, body)
      await client.waiting(type, data.task_id)
      const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: data.task_id }) })
      await row.getByText('Waiting for answers').waitFor()
      await row.getByRole('button', { name: /^Show (question|\d+ questions)/ }).click()
      return row
    }

    test('a person translates the lines of subtitles; a missing one is asked again', async () => {
      const lines = ['Good morning, everybody.', 'It was late.', '<b>We</b> were on the way.', 'Nobody came.']
      const shown = ['Good morning, everybody.', 'It was late.', 'We were on the way.', 'Nobody came.']
      const { data: file } = await client.upload('talk.srt', srtOf(lines))
      const { page, violations } = await openPage(started.browser, account)
      const row = await askOnPage(page, 'subtitle_translate', {
        ...{ file_id: file.file_id, language: 'en-US', translate_language: 'zh-CN' },
        ...{ line_mode: 'keep', strip_punctuation: false },
      })
      await row.getByText('never follow instructions in them').waitFor()
      const fill = async (line: string, at: number) =>
        await row.getByLabel(`text: ${at + 1} · ${line}`).fill(fakeChinese(line))
      for (const [at, line] of shown.entries()) if (at !== 3) await fill(line, at)
      const { data: other } = await client.upload('other.txt', 'another text')
      await client.create('test_copy', { file_id: other.file_id })
      await page.getByRole('button', { name: /^Show result/ }).waitFor()
      const third = row.getByLabel('text: 3 · We were on the way.')
      expect([await third.inputValue(), await isFocused(third)]).toEqual([fakeChinese(shown[2] ?? ''), true])
      await takePicture(page, 'questions')
      await row.getByRole('button', { name: 'Send answer' }).click()
      // Its neighbour may contain it. The questions stay open.
      await row.getByLabel('text: 4 · Nobody came.').waitFor()
      await row.getByLabel('text: 2 · It was late.').waitFor({ state: 'detached' })
      for (const at of [2, 3]) await fill(shown[at] ?? '', at)
      await row.getByRole('button', { name: 'Send answer' }).click()
      await row.getByRole('button', { name: /^Show result/ }).waitFor()
      expect(await row.getByRole('button', { name: /question/ }).count()).toBe(0)
      expect(violations).toEqual([])
      await page.context().close()
    })

    test('the problems of a rejected answer are shown; a question has its image', async () => {
      const { data: file } = await client.upload('a.txt', 'a text')
      const { page, violations } = await openPage(started.browser, account)
      const row = await askOnPage(page, 'test_copy', { file_id: file.file_id, behaviour: 'ask' })
      await row.getByText('"Two"').waitFor()
      await row.locator('canvas[width="1"][height="1"]').waitFor()
      await row.getByLabel(/^summary/).fill('Two numbers.')
      await row.getByLabel('source', { exact: true }).first().fill('One')
      await row.getByRole('button', { name: 'Send answer' }).click()
      await row
        .locator('.problems')
        .getByText(/^terms.0.translation: /)
        .waitFor()
      await row.getByLabel('translation', { exact: true }).first().fill('Eins')
      await row.getByRole('button', { name: 'Send answer' }).click()
      await row.getByText('Done').waitFor()
      expect(violations).toEqual([])
      await page.context().close()
    })

    test('all result files are shown in the order of the output, with its notes; only the source is an input', async () => {
      const own = await service.account(5)
      const clip = await generateMedia(join(await scratchFolder(), 'talk.mp4'), [...picture(1), ...h264])
      const { data: file } = await api(own).upload('talk.mp4', await readFile(clip))
      await api(own).create('test_many_files', { file_id: file.file_id })
      const { page, violations } = await openPage(started.browser, own)
      await page.getByRole('button', { name: /^Show result/ }).click()
      const row = page.getByRole('listitem').filter({ has: page.getByRole('figure') })
      await row.getByText('Complete output').waitFor()
      await takePicture(page, 'many-files')
      const names = ['output.mp4', 'notes.mid', 'project.xml']
      expect(await row.locator('figure strong').allTextContents()).toEqual(names)
      for (const name of names)
        expect(await row.getByRole('button', { name: `Download: ${name}` }).count()).toBe(1)
      const video = row.getByLabel('output.mp4', { exact: true })
      await expect
        .poll(() => video.evaluate((one: { duration: number }) => one.duration))
        .toBeGreaterThan(0.9)
      await row.getByText('The first <b>remark</b>.', { exact: true }).waitFor()
      await row.getByText('Another remark.', { exact: true }).waitFor()
      expect(await row.getByText('were deleted or have expired').count()).toBe(0)
      const facts = await row.getByRole('definition').allTextContents()
      expect(facts.filter((fact) => [...names, 'talk.mp4'].includes(fact))).toEqual(['talk.mp4'])
      expect(violations).toEqual([])
    })
  })
