import { readFile, rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { writeTestLibrary } from '../material-search/filled-library.ts'
import { api } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { imageModule } from '../service/image-operation.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { sampleCases } from '../soak-size.ts'
import { openPage, takePicture, type BrowserAndService } from './browser.ts'

export const librarySuite = (started: Pick<BrowserAndService, 'browser'>) =>
  describe('the library on the page', () => {
    let service: TestService
    let library: Awaited<ReturnType<typeof writeTestLibrary>>

    beforeAll(async () => {
      library = await writeTestLibrary()
      const searching = operations.filter(({ operation }) => operation.name === 'material_search')
      service = await startTestService({
        ...{ dataDir: library.data, operations: [fakeModule, imageModule, ...searching] },
      })
    })
    afterAll(async () => {
      await service[Symbol.asyncDispose]()
      await rm(library.root, { recursive: true, force: true })
    })

    test('shows materials with their rights in a grid, and words and kinds narrow it', async () => {
      const { page, violations } = await openPage(started.browser, await service.account(5))
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
      await page.getByText('Nothing matches.').waitFor()
      await page.getByLabel('Words').fill('')
      const calm = cards.filter({ hasText: 'Calm piano' })
      await calm.waitFor()
      await calm.getByRole('button', { name: /^Show preview/ }).click()
      const sound = calm.locator('audio')
      await expect
        .poll(() => sound.evaluate((one: { duration: number }) => one.duration))
        .toBeGreaterThan(0.9)
      expect(violations).toEqual([])
    })

    test.for(sampleCases([360, 1300], 1))(
      'a preview fits its card, and the page a screen of %i pixels',
      async (width) => {
        const { page } = await openPage(started.browser, await service.account(5), {
          ...{ view: 'library', viewport: { width, height: 900 } },
        })
        const card = page
          .getByRole('list', { name: 'Materials' })
          .getByRole('listitem')
          .filter({ hasText: 'waves.mp4' })
        await card.getByRole('button', { name: /^Show preview/ }).click()
        const video = card.locator('video')
        await expect
          .poll(() => video.evaluate((one: { readyState: number }) => one.readyState))
          .toBeGreaterThan(0)
        const [inner, outer] = [await video.boundingBox(), await card.boundingBox()]
        if (!inner || !outer) throw new Error('the preview is not shown')
        await takePicture(page, `preview-${width}`)
        expect(inner.x).toBeGreaterThan(outer.x)
        expect(inner.x + inner.width).toBeLessThan(outer.x + outer.width)
        const [wanted, shown] = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = (
            globalThis as unknown as {
              document: { documentElement: { scrollWidth: number; clientWidth: number } }
            }
          ).document.documentElement
          return [scrollWidth, clientWidth]
        })
        expect(wanted).toBe(shown)
      },
    )

    test('a search shows its query in the list, and the materials that it found', async () => {
      const account = await service.account(5)
      await api(account).create('material_search', { scope: 'clip', query: 'waves <b>beach</b>' })
      const { page, violations } = await openPage(started.browser, account)
      await page.getByText('waves <b>beach</b>', { exact: true }).waitFor()
      await page.getByRole('button', { name: /^Show result/ }).click()
      const card = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
      await card.getByText('Waves on a beach').waitFor()
      await page.getByText(/^Only words were compared: /).waitFor()
      expect(await card.textContent()).toContain('CC BY 4.0')
      expect(await card.textContent()).toContain('waves, beach')
      await expect
        .poll(() => card.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth))
        .toBeGreaterThan(0)
      await card.getByRole('button', { name: /^Show preview/ }).click()
      await card.locator('video').waitFor()
      await takePicture(page, 'search')
      expect(violations).toEqual([])
    })

    test('described images are shown with their text, tags and flags, and the names of files in the list', async () => {
      const account = await service.account(5)
      const { data: file } = await api(account).upload(
        'harbour.png',
        await readFile(library.media('sunset.png')),
      )
      const { data: created } = await api(account).create('test_images', {
        input: [{ file_id: file.file_id }],
      })
      await api(account).ended('test_images', created.task_id)
      const described = {
        ...{ index: 0, desc: '清晨的港口', tags: ['港口', '清晨', '渔船'], mark: 82.5 },
        usable_flags: { watermark: false, text_overlay: true, black_border: false, blurry: false },
      }
      await service.running.service.db
        .updateTable('tasks')
        .set({ output: JSON.stringify({ data: [described] }) })
        .where('id', '=', created.task_id)
        .execute()
      const { page, violations } = await openPage(started.browser, account)
      await page.getByText('harbour.png', { exact: true }).waitFor()
      await page.getByRole('button', { name: /^Show result/ }).click()
      const card = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
      await card.getByRole('heading', { name: 'harbour.png' }).waitFor()
      await card.getByText('清晨的港口').waitFor()
      await card.getByText('港口, 清晨, 渔船').waitFor()
      await card.getByText('mark 82.5').waitFor()
      await card.getByText('text overlay', { exact: true }).waitFor()
      expect(await card.getByText('watermark').count()).toBe(0)
      await expect
        .poll(() => card.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth))
        .toBeGreaterThan(0)
      await takePicture(page, 'described')
      expect(violations).toEqual([])
    })

    test('subjects of tasks of others are not listed', async () => {
      const [one, other] = [await service.account(5), await service.account(5)]
      const { data: file } = await api(one).upload('mine.txt', 'mine')
      const { data: created } = await api(one).create('test_copy', { file_id: file.file_id })
      const subjects = async ({ baseUrl, apiKey }: typeof one) =>
        await (
          await fetch(`${baseUrl}/task/subjects?ids=${created.task_id},1`, {
            headers: { authorization: apiKey },
          })
        ).json()
      const files = [{ file_id: file.file_id, name: 'mine.txt' }]
      expect(await subjects(one)).toMatchObject({ data: { list: [{ task_id: created.task_id, files }] } })
      expect(await subjects(other)).toMatchObject({ data: { list: [] } })
    })
  })
