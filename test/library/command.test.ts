import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { mainModule } from '../run-command.ts'
import { soakSize } from '../soak-size.ts'
import { newLibrary, rights, writeImage, writeSound } from './library.ts'

test('a folder without media is reported as such', async () => {
  const library = await newLibrary()
  await writeFile(library.media('notes.txt'), 'text')
  const { code, out, err } = await library.run('add', library.media(), ...rights)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`${library.media('').replace(/\/$/, '')}: no media files found`)
  expect(out).toContain('left out, because they are no media: 1 .txt')
})

test('hidden files, unknown fields of a sidecar, and another licence or attribution of a known folder are reported', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'), 'red', 1)
  await writeFile(library.media('a.png.json'), '{"titel": "Sea", "tags": ["sea"], "x\\ny": 1}')
  await writeImage(library.media('.b.png'), 'red', 2)
  await writeImage(library.media('.cache/c.png'), 'red', 3)
  const { out } = await library.run('add', library.media(), ...rights)
  expect(out).toContain('1 imported\n')
  expect(out).toContain('left out, because their names begin with a dot: 2')
  expect(out).toMatch(/^unknown fields in the sidecar of a\.png: titel, x y$/m)
  expect(out).not.toContain('→')
  const db = await library.openDb()
  expect(await db.selectFrom('materials').select(['title', 'tags']).execute()).toEqual([
    { title: null, tags: '["sea"]' },
  ])
  const changed = await library.run(
    'add',
    library.media(),
    '--licence',
    'CC0',
    '--attribution',
    'Example Films',
  )
  expect(changed.out).toContain('0 imported, 1 unchanged\n')
  expect(changed.out).toContain('licence changed: CC BY 4.0 → CC0\n')
  expect(changed.out).not.toContain('attribution changed')
})

test('the list of no library names the next step, and creates no data folder', async () => {
  const library = await newLibrary()
  const missing = join(library.root, 'misspelt')
  const { code, out } = await library.run('list', '--data-dir', missing)
  expect(code).toBe(0)
  expect(out).toContain(`The library of ${missing} has no folder.`)
  expect(out).toContain('reelwright library add <folder> --licence <text> --attribution <text>')
  await expect(access(missing)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('an option of the American spelling is answered with the right one', async () => {
  const library = await newLibrary()
  const { code, err } = await library.run('add', library.media(), '--license', 'x', '--attribution', 'y')
  expect(code).toBe(2)
  expect(err).toContain('--license is unknown: use --licence')
})

test('the reason of an invalid sidecar is one plain line', async () => {
  const library = await newLibrary()
  const cases = [
    ['{"title":\n 1}', 'title must be a text of at most 1000 characters'],
    ['{"tags": ["a", 2]}', 'tags must be a list of at most 100 texts of at most 100 characters'],
    ['{"audio_type": "noise"}', 'audio_type must be "song" or "pure"'],
    ['[]', 'it must be a JSON object'],
  ] as const
  for (const [at, [given]] of cases.entries()) {
    await writeImage(library.media(`${at}.png`))
    await writeFile(library.media(`${at}.png.json`), given)
  }
  const { out } = await library.run('add', library.media(), ...rights)
  for (const [at, [, reason]] of cases.entries())
    expect(out).toContain(`skipped ${at}.png: the sidecar is invalid: ${reason}\n`)
})

test.skipIf(process.platform === 'win32')('Ctrl-C states how to continue', async () => {
  const library = await newLibrary()
  await mkdir(library.data, { mode: 0o700 })
  for (let at = 0; at < soakSize(3, 5); at += 1) await writeSound(library.media(`${at}.wav`), {}, 200 + at)
  const env = { ...process.env, REELWRIGHT_DATA_DIR: library.data }
  const child = spawn(process.execPath, [mainModule, 'library', 'add', library.media(), ...rights], { env })
  child.stderr.once('data', () => child.kill('SIGINT'))
  const [err, [, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(signal).toBe('SIGINT')
  expect(err).toContain('Repeat the command to continue.')
  expect((await library.run('add', library.media(), ...rights)).code).toBe(0)
})
