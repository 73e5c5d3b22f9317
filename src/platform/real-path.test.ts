import { mkdir, mkdtempDisposable, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveLinks } from './real-path.ts'

test('what exists is real, the rest is as written, and links to nothing are followed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'real-path-'))
  const base = await realpath(folder.path)
  await mkdir(join(base, 'a'))
  await writeFile(join(base, 'a', 'file'), '')
  const links = {
    'to-a': 'a',
    'to-nothing': 'a/nothing',
    'a/up': '../to-nothing',
    out: '/nowhere/at/all',
    circle: 'circle',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name))
  const leads = async (path: string) => (await resolveLinks(join(base, path))).replace(base, '~')
  expect(await leads('to-a/file')).toBe('~/a/file')
  expect(await leads('to-a/x/y')).toBe('~/a/x/y')
  expect(await leads('a/file/x')).toBe('~/a/file/x')
  expect(await leads('to-a/up/x')).toBe('~/a/nothing/x')
  expect(await leads('out/x')).toBe('/nowhere/at/all/x')
  expect(await leads('circle/x')).toBe('~/circle/x')
  expect(await resolveLinks('/')).toBe('/')
})
