import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { manyFilesModule } from '../service/many-files-operation.ts'
import { browserAndService, isBrowserMissing, openPage, picturePath } from './browser.ts'

describe.skipIf(isBrowserMissing)('results on the page (Debian package chromium-headless-shell)', () => {
  const started = browserAndService({ operations: [manyFilesModule] })

  test('all result files are shown in the order of the output, with its notes; only the source is an input', async () => {
    const account = await started.service.account(5)
    const clip = await generateMedia(join(await scratchFolder(), 'talk.mp4'), [...picture(1), ...h264])
    const { data: file } = await api(account).upload('talk.mp4', await readFile(clip))
    await api(account).create('test_many_files', { file_id: file.file_id })
    const { page, violations } = await openPage(started.browser, account)
    await page.getByRole('button', { name: /^Show result/ }).click()
    const row = page.getByRole('listitem').filter({ has: page.getByRole('figure') })
    await row.getByText('Complete output').waitFor()
    await page.screenshot({ path: picturePath('many-files'), type: 'png', fullPage: true })
    const names = ['output.mp4', 'notes.mid', 'project.xml']
    expect(await row.locator('figure strong').allTextContents()).toEqual(names)
    for (const name of names)
      expect(await row.getByRole('button', { name: `Download: ${name}` }).count()).toBe(1)
    const video = row.getByLabel('output.mp4', { exact: true })
    await expect.poll(() => video.evaluate((one: { duration: number }) => one.duration)).toBeGreaterThan(0.9)
    await row.getByText('The first <b>remark</b>.', { exact: true }).waitFor()
    await row.getByText('Another remark.', { exact: true }).waitFor()
    expect(await row.getByText('were deleted or have expired').count()).toBe(0)
    const facts = await row.getByRole('definition').allTextContents()
    expect(facts.filter((fact) => [...names, 'talk.mp4'].includes(fact))).toEqual(['talk.mp4'])
    expect(violations).toEqual([])
  })
})
