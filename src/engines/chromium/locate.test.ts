import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { splitSearchPath } from '../../platform/environment.ts'
import { findChromium, findChromiumIn } from './locate.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-chromium-'))
})
afterEach(() => rm(folder, { recursive: true }))

const ending = process.platform === 'win32' ? '.exe' : ''

async function program(path: string, mode = 0o755): Promise<string> {
  const file = join(folder, `${path}${ending}`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  await chmod(file, mode)
  return file
}

it('prefers a headless shell to a full browser in any folder', async () => {
  await program('first/chromium')
  const shell = await program('second/chromium-headless-shell')
  expect(findChromiumIn([join(folder, 'first'), join(folder, 'second')])).toBe(shell)
})

it('finds the download of a test tool, whatever its version', async () => {
  const shell = await program('chromium_headless_shell-1234/chrome-linux/headless_shell')
  await program('firefox-1/chrome-linux/headless_shell')
  expect(findChromiumIn([join(folder, 'chromium_headless_shell-*', 'chrome-*')])).toBe(shell)
})

it('finds a browser in PATH', async () => {
  const shell = await program('bin/chromium-headless-shell')
  expect(findChromium(splitSearchPath(['', join(folder, 'nowhere'), dirname(shell)].join(delimiter)))).toBe(
    shell,
  )
})

it('ignores folders and files that are not executable', async () => {
  await mkdir(join(folder, `chromium${ending}`))
  if (process.platform !== 'win32') await program('google-chrome', 0o644)
  expect(findChromiumIn([folder, join(folder, 'nowhere'), join(folder, '*', 'nothing')])).toBeUndefined()
})
