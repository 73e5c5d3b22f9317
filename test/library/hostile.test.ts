import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addWithModel, newLibrary, rights, type TestLibrary, writeImage, writeSound } from './library.ts'
import { colourModel } from './stand-in-model.ts'

async function paths(library: TestLibrary): Promise<string[]> {
  const db = await library.openDb()
  const rows = await db.selectFrom('materials').select('path').orderBy('path').execute()
  return rows.map(({ path }) => path)
}

test.skipIf(process.platform === 'win32')('hostile names, links and special files', async () => {
  const library = await newLibrary()
  const outside = join(library.root, 'outside')
  await writeImage(join(outside, 'secret.png'))
  const names = ['-i.png', 'concat:a.png', '%d $(touch x) quo\'te" line\nbreak \u001b[2J.png']
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
  expect(out).toContain('3 imported, 9 skipped')
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
    await mkdir(library.media('empty'))
    await library.run('add', library.media('empty'), ...rights)
    await library.run('remove', library.media('empty'))
    await writeImage(join(library.root, 'a.png'))
    await rename(join(library.root, 'a.png'), join(library.data, 'files', 'stored.png'))
    await link(join(library.data, 'files', 'stored.png'), library.media('link.png'))
    const { out } = await library.run('add', library.media(), ...rights)
    expect(out).toContain('0 imported, 1 skipped')
    expect(out).toContain('skipped link.png: only the service uses this file')
  },
)

const refusedSidecars = [
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
] as const

test('invalid sidecars are refused, and their files skipped', async () => {
  const library = await newLibrary()
  for (const [at, [json]] of refusedSidecars.entries()) {
    await writeImage(library.media(`${at}.png`))
    await writeFile(library.media(`${at}.png.json`), json)
  }
  const { out } = await library.run('add', library.media(), ...rights)
  expect(out).toContain(`0 imported, ${refusedSidecars.length} skipped`)
  const lines = out.split('\n')
  for (const [at, [json, reason]] of refusedSidecars.entries()) {
    const line = lines.find((one) => one.startsWith(`skipped ${at}.png: `))
    expect(line, json.slice(0, 40)).toContain(reason)
  }
})

test.skipIf(process.platform === 'win32').for(['link', 'pipe'])(
  'a sidecar that becomes a %s after the folder was listed is not read',
  async (kind) => {
    const library = await newLibrary()
    await writeImage(library.media('a.png'))
    await writeFile(library.media('a.json'), '{"title": "own"}')
    await writeFile(join(library.root, 'secret.json'), '{"title": "secret"}')
    const { imported, skipped } = await addWithModel(library, colourModel(), () => {
      rmSync(library.media('a.json'))
      if (kind === 'pipe') execFileSync('mkfifo', [library.media('a.json')])
      else symlinkSync(join(library.root, 'secret.json'), library.media('a.json'))
    })
    expect(imported).toBe(0)
    expect(skipped.map(({ path }) => path)).toEqual(['a.png'])
  },
)

test.skipIf(process.platform !== 'linux')(
  'a file that becomes a link during its analysis is read no further, and not imported',
  async () => {
    const library = await newLibrary()
    await writeImage(library.media('a.png'), 'red')
    const bytes = await readFile(library.media('a.png'))
    const secret = join(library.root, 'secret.png')
    await writeImage(secret, 'blue')
    const model = colourModel()
    const { imported, skipped } = await addWithModel(library, {
      ...model,
      async embedImages(pictures, options) {
        renameSync(library.media('a.png'), join(library.root, 'a.png'))
        symlinkSync(secret, library.media('a.png'))
        expect(await readFile(pictures[0] ?? '')).toEqual(bytes)
        return await model.embedImages(pictures, options)
      },
    })
    expect(imported).toBe(0)
    expect(skipped).toEqual([{ path: 'a.png', reason: 'it cannot be read (ELOOP)' }])
  },
)

test('a song whose accompaniment is itself, an image or a song with another is skipped, and hides no file', async () => {
  const library = await newLibrary()
  const accompaniments = { itself: 'itself.wav', image: 'd.png', outer: 'inner.wav', inner: 'sound.wav' }
  for (const [index, name] of [...Object.keys(accompaniments), 'sound'].entries())
    await writeSound(library.media(`${name}.wav`), {}, 440 + index)
  await writeImage(library.media('d.png'))
  for (const [name, accompaniment] of Object.entries(accompaniments))
    await writeFile(library.media(`${name}.json`), JSON.stringify({ audio_type: 'song', accompaniment }))
  const { out } = await library.run('add', library.media(), ...rights)
  expect(out).toContain('skipped itself.wav: its sidecar names the file itself')
  expect(out).toContain('skipped image.wav: the accompaniment that the sidecar names is no sound')
  expect(out).toContain('skipped outer.wav: the accompaniment that')
  expect(out).toContain('found with their songs: 1')
  expect(await paths(library)).toEqual(['d.png', 'inner.wav'])
})

test('a store that fails once is tried again, and one that always fails ends the import', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'), 'red')
  const model = colourModel()
  const incoming = join(library.data, 'files', 'incoming')
  let lost = 0
  const add = async (times: number) =>
    await addWithModel(library, {
      ...model,
      async embedImages(pictures, options) {
        await rm(incoming, { recursive: true, force: true })
        if (lost < times) lost += 1
        else await mkdir(incoming)
        return await model.embedImages(pictures, options)
      },
    })
  await expect(add(Infinity)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(lost).toBe(2)
  expect(await add(3)).toMatchObject({ imported: 1, skipped: [] })
  expect(lost).toBe(3)
})
