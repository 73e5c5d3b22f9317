import { execFileSync } from 'node:child_process'
import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newLibrary, rights, type TestLibrary, writeImage } from './library.ts'

async function paths(library: TestLibrary): Promise<string[]> {
  const db = await library.openDb()
  const rows = await db.selectFrom('materials').select('path').orderBy('path').execute()
  return rows.map(({ path }) => path)
}

test.skipIf(process.platform === 'win32')('hostile names, links and special files', async () => {
  const library = await newLibrary()
  const outside = join(library.root, 'outside')
  await writeImage(join(outside, 'secret.png'))
  const names = [
    '-i.png',
    '%d.png',
    'line\nbreak \u001b[2J.png',
    'quo\'te".png',
    '$(touch x).png',
    'concat:a.png',
  ]
  for (const name of names) {
    await writeImage(join(outside, 'next.png'))
    await rename(join(outside, 'next.png'), library.media(name))
  }
  await symlink(join(outside, 'secret.png'), library.media('link.png'))
  await symlink(outside, library.media('folder'))
  await symlink(library.media(), library.media('loop'))
  await symlink(library.media('-i.png'), library.media('inside.png'))
  execFileSync('mkfifo', [library.media('pipe.mp4')])
  await writeFile(
    Buffer.concat([Buffer.from(library.media('bad-')), Buffer.from([0xff]), Buffer.from('.png')]),
    'x',
  )
  await writeFile(library.media('empty.png'), '')
  await writeFile(library.media('not.jpg'), 'text')
  await writeFile(library.media('list.mp4'), `#EXTM3U\n${join(outside, 'secret.png')}\n`)
  const { code, out } = await library.run('add', library.media(), ...rights)
  expect(code).toBe(0)
  expect(await paths(library)).toEqual(names.toSorted())
  expect(out).toContain('6 imported, 9 skipped')
  for (const name of ['link.png', 'folder', 'loop', 'inside.png'])
    expect(out).toContain(`skipped ${name}: symbolic links are not followed`)
  expect(out).toContain('skipped pipe.mp4: it is no regular file')
  expect(out).toContain('its name is not UTF-8')
  expect(out).not.toContain('\u001b')
})

test.skipIf(process.platform === 'win32')(
  'a hard link to a file of the service is not imported',
  async () => {
    const library = await newLibrary()
    await library.run('list')
    await mkdir(join(library.data, 'files'), { mode: 0o700 })
    await writeImage(join(library.root, 'a.png'))
    await rename(join(library.root, 'a.png'), join(library.data, 'files', 'stored.png'))
    await link(join(library.data, 'files', 'stored.png'), library.media('link.png'))
    const { out } = await library.run('add', library.media(), ...rights)
    expect(out).toContain('0 imported, 1 skipped')
    expect(out).toContain('skipped link.png: only the service uses this file')
  },
)

test.for([
  ['{', 'the sidecar is not valid JSON'],
  ['[]', 'the sidecar is invalid'],
  ['{"title": 1}', 'the sidecar is invalid: title'],
  ['{"tags": "x"}', 'the sidecar is invalid: tags'],
  [`{"note": ${JSON.stringify('x'.repeat(20_000))}}`, 'the sidecar is invalid: note'],
  ['{"audio_type": "noise"}', 'the sidecar is invalid: audio_type'],
  [`{"title": "a"${' '.repeat(70_000)}}`, 'at most 64 KiB'],
  ['{"accompaniment": "../../etc/passwd"}', 'the accompaniment that the sidecar names is no sound file'],
  ['{"accompaniment": "b.mp3"}', 'the accompaniment that the sidecar names is no sound file'],
  ['{"__proto__": {"title": "x"}}', 'sidecar'],
] as const)('the sidecar %s is refused, and its file skipped', async ([json, reason]) => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'))
  await writeFile(library.media('a.png.json'), json)
  const { out } = await library.run('add', library.media(), ...rights)
  expect(out).toContain('0 imported, 1 skipped')
  expect(out).toContain('skipped a.png: ')
  expect(out).toContain(reason)
})
