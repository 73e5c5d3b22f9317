import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isContentReferenced } from '../../src/files/content.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sampleCases } from '../soak-size.ts'
import { importOnce } from './import-once.ts'
import { contentProbe } from './probe-content.ts'
import { newLibrary, rights, type TestLibrary, writeImage, writeSound, writeVideo } from './library.ts'

const databases = [
  ['SQLite', async () => newLibrary()],
  ['PostgreSQL', async () => newLibrary(await newDatabase())],
] as const

const importPicture = importOnce(({ media }) => writeImage(media('a.png')))

async function materials(library: TestLibrary) {
  const db = await library.openDb()
  return await db.selectFrom('materials').selectAll().orderBy('id').execute()
}

describe.for(sampleCases(databases, 1))('library on %s', ([name, create]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'a folder is imported, then only what changed',
    async () => {
      const library = await create()
      await writeImage(library.media('beach/redSunset-01.png'), 'red')
      await writeVideo(library.media('city.mp4'), 'blue', 'lime')
      await writeSound(library.media('song.mp3'), { title: 'Rain\u0007 on glass', artist: 'Anna' })
      await writeSound(library.media('song-off.mp3'))
      await writeFile(
        library.media('song.mp3.json'),
        JSON.stringify({
          tags: ['calm', '雨'],
          note: 'quiet',
          audio_type: 'song',
          accompaniment: 'song-off.mp3',
        }),
      )
      await writeFile(library.media('damaged.mp4'), 'no video')
      await writeFile(library.media('readme.txt'), 'text')
      const added = await library.run('add', library.media(), ...rights)
      expect(added).toMatchObject({ code: 0 })
      expect(added.out).toContain('3 imported, 1 skipped')
      expect(added.out).toMatch(/skipped damaged\.mp4: .+/)
      expect(added.out).toContain('left out, because they are no media: 1 .txt')
      expect(added.err).toMatch(/^0 % \(1 of 4\) city\.mp4$/m)

      const [clip, song, image] = await materials(library)
      expect(clip).toMatchObject({
        ...{ path: 'city.mp4', scope: 'clip', width: 96, height: 54, fps: 20, state: 'active' },
        ...{ duration_ms: 2000, audio_type: null, tags: '[]' },
      })
      expect(song).toMatchObject({
        ...{ path: 'song.mp3', scope: 'audio', title: 'Rain on glass', author: 'Anna', note: 'quiet' },
        ...{ tags: '["calm","雨"]', audio_type: 'song', accompaniment: 'song-off.mp3', cover: null },
      })
      expect(image).toMatchObject({ path: 'beach/redSunset-01.png', scope: 'image', fps: null, cover: null })
      const probed = contentProbe(library)
      expect(await probed(clip?.preview, '.mp4')).toMatchObject({ codec: 'h264', width: 96, sound: 'aac' })
      expect(await probed(clip?.cover, '.jpg')).toMatchObject({ codec: 'mjpeg', width: 96, height: 54 })
      expect(await probed(song?.preview, '.m4a')).toMatchObject({ sound: 'aac' })
      expect(await probed(image?.thumb, '.jpg')).toMatchObject({ codec: 'mjpeg', width: 96 })

      const again = await library.run('add', library.media(), ...rights)
      expect(again.out).toContain('0 imported, 3 unchanged, 1 skipped')
      expect(await materials(library)).toEqual([clip, song, image])

      await rename(library.media('city.mp4'), library.media('town.mp4'))
      await writeImage(library.media('beach/redSunset-01.png'), 'green')
      await rm(library.media('song.mp3'))
      const changed = await library.run('add', library.media(), ...rights)
      expect(changed.out).toContain('1 imported, 1 changed, 1 moved, 1 missing')
      const rows = await materials(library)
      expect(rows.map(({ id, path, state }) => [id, path, state])).toEqual([
        [clip?.id, 'town.mp4', 'active'],
        [song?.id, 'song.mp3', 'missing'],
        // Without its song, the accompaniment is a sound of its own; another picture is another material.
        [expect.any(Number), 'song-off.mp3', 'active'],
        [expect.any(Number), 'beach/redSunset-01.png', 'active'],
      ])
      expect(rows[3]?.thumb).not.toBe(image?.thumb)
      await checkContents(library, true)

      const listed = await library.run('list')
      expect(listed.out).toMatch(/^1 +1 +1 +1 +3 +CC BY 4\.0 +Example Films +\/.*media$/m)
    },
  )
})

/** Checks that every content is referenced (if `exactly`) and every reference has its content. */
async function checkContents(library: TestLibrary, exactly: boolean): Promise<void> {
  const db = await library.openDb()
  const files = await openDiskStore(join(library.data, 'files'))
  const stored = new Set<string>()
  for await (const { blake3 } of files.list()) {
    stored.add(blake3)
    if (exactly) expect(await isContentReferenced(db, blake3)).toBe(true)
  }
  for (const { cover, preview, thumb, kept } of await materials(library)) {
    for (const hash of [cover, preview, thumb, kept].filter((one) => one !== null))
      expect(stored.has(hash)).toBe(true)
  }
}

test('a file that comes back is found again, with its id', async () => {
  const library = await importPicture()
  await writeFile(library.media('b.txt'), 'text')
  const [before] = await materials(library)
  await rename(library.media('a.png'), join(library.root, 'a.png'))
  expect((await library.run('add', library.media(), ...rights)).out).toContain('1 missing')
  await rename(join(library.root, 'a.png'), library.media('a.png'))
  expect((await library.run('add', library.media(), ...rights)).out).toContain('1 restored')
  const [after] = await materials(library)
  expect(after).toEqual({ ...before, updated_at: expect.any(Number) })
})

test('a folder without its disk keeps its materials, licence and attribution', async () => {
  const library = await importPicture()
  const [before] = await materials(library)
  const away = join(library.root, 'away')
  await rename(library.media(), away)
  // The mount point of a disk is an empty folder.
  await mkdir(library.media())
  const refused = await library.run('add', library.media(), '--licence', 'other', '--attribution', 'other')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('contains no files')
  await rm(library.media(), { recursive: true })
  await rename(away, library.media())
  expect(await materials(library)).toEqual([before])
  expect((await library.run('list')).out).toContain('CC BY 4.0')
})

test('a changed sidecar is read again', async () => {
  const library = await importPicture()
  await writeFile(library.media('a.json'), '{"title": "first"}')
  expect((await library.run('add', library.media(), ...rights)).out).toContain('1 changed')
  await writeFile(library.media('a.json'), '{"title": "other"}')
  await utimes(library.media('a.json'), 1, 1)
  expect((await library.run('add', library.media(), ...rights)).out).toContain('1 changed')
  expect(await materials(library)).toMatchObject([{ title: 'other' }])
})

test.for([
  [['add'], 2, '<folder>'],
  [['add', 'media'], 2, '--licence is missing'],
  [['add', 'media', '--licence', 'x'], 2, '--attribution is missing'],
  [['add', 'no-such-folder', ...rights], 1, 'cannot be opened (ENOENT)'],
  [['add', '.', '--licence', 'a\u001b[2J', '--attribution', 'b'], 1, '1 to 500 visible characters'],
  [['remove', 'no-such-folder'], 1, 'is not in the library'],
] as const)('%j is rejected', async ([args, code, message]) => {
  const library = await newLibrary()
  const ended = await library.run(...args)
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toContain(message)
})

test("the data folder is not imported, and the operator's files are never modified", async () => {
  const library = await newLibrary()
  await mkdir(library.data)
  expect((await library.run('add', library.data, ...rights)).err).toContain('is in the data folder')
  await writeImage(library.media('a.png'))
  await copyFile(library.media('a.png'), join(library.data, 'b.png'))
  const [bytes, before] = [await readFile(library.media('a.png')), await stat(library.media('a.png'))]
  const { out } = await library.run('add', library.root, ...rights)
  expect(out).toContain('1 imported, 1 skipped')
  expect(out).toContain('skipped data/: only the service uses this folder')
  expect(await readdir(library.data)).toContain('b.png')
  expect((await library.run('remove', library.root)).code).toBe(0)
  const after = await stat(library.media('a.png'))
  expect(await readFile(library.media('a.png'))).toEqual(bytes)
  expect([after.mode, after.mtimeMs, after.nlink]).toEqual([before.mode, before.mtimeMs, before.nlink])
})

test('a folder is not added when another one is inside of it or contains it', async () => {
  const library = await importPicture()
  for (const name of ['media/sub', 'media-other']) await mkdir(join(library.root, name))
  for (const overlapping of [library.media('sub'), library.root]) {
    const refused = await library.run('add', overlapping, ...rights)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain(`${library.media()} is in the library`)
    expect(await materials(library)).toHaveLength(1)
  }
  expect((await library.run('add', `${library.media()}-other`, ...rights)).code).toBe(0)
})
