import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LibraryScope } from '../../src/contract/library.ts'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { embedSoundQuery } from '../../src/engines/embedding/open-sound.ts'
import { findMaterials, openLibrarySearch } from '../../src/library/search.ts'
import { installFakeClap } from '../engines/embedding/fake-clap.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sampleCases } from '../soak-size.ts'
import { addWithModel, newLibrary, rights, type TestLibrary, writeImage, writeSound } from './library.ts'
import { colourModel } from './stand-in-model.ts'

const space = 'clap-htsat-unfused/c28f288/1'

/** A library of a low tone, a high tone and an image, none of which is described. */
async function libraryOfTones(url?: string) {
  const library = await newLibrary(url)
  await mkdir(library.data, { mode: 0o700 })
  await writeSound(library.media('one.wav'), {}, 220)
  await writeSound(library.media('two.wav'), {}, 4000)
  await writeImage(library.media('three.png'), 'red')
  const librarySearch = openLibrarySearch(library.location)
  onTestFinished(() => librarySearch[Symbol.asyncDispose]())
  const find = async (
    scope: LibraryScope,
    text: string,
    vector?: Awaited<ReturnType<typeof embedSoundQuery>>,
  ) => {
    const { results } = await findMaterials(
      { librarySearch },
      { scope, text, limit: 9, diversity: false, ...(vector && { vector }) },
    )
    return results.map(({ title, score }) => ({ title, score }))
  }
  const add = async () => await library.run('add', library.media(), ...rights)
  return { library, find, add }
}

const installClap = (library: TestLibrary) => installFakeClap(join(library.data, dataFiles.packs))

const spaces = async (library: TestLibrary) => {
  const db = await library.openDb()
  const rows = await db
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_vectors.material_id')
    .select(['path', 'part', 'start_ms', 'space'])
    .orderBy('path')
    .execute()
  return rows.map((row) => [row.path, row.part, row.start_ms, row.space])
}

const databases = [
  ['SQLite', async () => await libraryOfTones()],
  ['PostgreSQL', async () => await libraryOfTones(await newDatabase())],
] as const

describe.for(sampleCases(databases, 1))('sounds on %s', ([name, create]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'get vectors once the model that an import names is installed, and are found by them and by their words; pictures have another space, and each refuses others',
    async () => {
      const { library, find, add } = await create()
      const without = await add()
      expect(without.out).toContain('3 imported')
      expect(without.err).toContain('`reelwright models pull clap onnx-runtime`')
      expect(await spaces(library)).toEqual([])
      expect(await find('audio', 'two')).toMatchObject([{ title: 'two.wav' }])
      await installClap(library)
      const changed = await add()
      expect(changed.out).toContain('0 imported, 2 changed, 1 unchanged')
      expect(changed.err).not.toContain('sound model')
      expect(await spaces(library)).toEqual([
        ['one.wav', 0, 0, space],
        ['two.wav', 0, 0, space],
      ])
      expect((await add()).out).toContain('0 imported, 3 unchanged')

      const vector = await embedSoundQuery('whistle', 1)
      const found = await find('audio', 'whistle', vector)
      expect(found.map(({ title }) => title)).toEqual(['two.wav', 'one.wav'])
      expect(found[0]?.score).toBeGreaterThan(0.45)
      expect(found[1]?.score).toBeLessThan(0.2)
      // Words alone, then both.
      const [words] = await find('audio', 'two')
      const [both] = await find('audio', 'two', vector)
      expect(both?.score).toBeGreaterThan(Math.max(words?.score ?? 1, found[0]?.score ?? 1))

      // An import with another model for pictures alone changes no sound.
      expect(await addWithModel(library, colourModel())).toMatchObject({ changed: 1, unchanged: 2 })
      expect(await spaces(library)).toEqual([
        ['one.wav', 0, 0, space],
        ['three.png', 0, 0, 'colours-1'],
        ['two.wav', 0, 0, space],
      ])
      const values = (await colourModel().embedTexts(['red'], { signal: new AbortController().signal }))[0]
      const red = { space: 'colours-1', values: values ?? expect.fail('no vector') }
      const hum = await embedSoundQuery('hum', 1)
      expect(await find('image', '', red)).toHaveLength(1)
      expect((await find('audio', '', hum))[0]?.title).toBe('one.wav')
      await expect(find('audio', '', red)).rejects.toMatchObject({ code: 6401 })
      await expect(find('image', '', hum)).rejects.toMatchObject({ code: 6401 })

      const db = await library.openDb()
      await db.updateTable('material_vectors').set({ space: 'older' }).where('space', '=', space).execute()
      const refused = await library.run('add', library.media(), ...rights)
      expect(refused).toMatchObject({ code: 1, out: '' })
      expect(refused.err).toContain('the library has vectors of older, and clap has others')
      expect(await addWithModel(library, colourModel())).toMatchObject({ changed: 0, unchanged: 3 })
    },
  )
})
