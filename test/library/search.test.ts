import { rename, rm, writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LibraryQuery, LibraryScope } from '../../src/contract/library.ts'
import { findMaterials, openLibrarySearch } from '../../src/library/search.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { importOnce, recordOnPostgres } from './import-once.ts'
import { addWithModel, newLibrary, type TestLibrary, writeImage, writeSound, writeVideo } from './library.ts'
import { sampleCases } from '../soak-size.ts'
import { colourModel } from './stand-in-model.ts'

/** Opens the search, and returns the paths that it finds, best first. */
async function openSearch(library: TestLibrary) {
  const librarySearch = openLibrarySearch(library.location)
  onTestFinished(() => librarySearch[Symbol.asyncDispose]())
  const db = await library.openDb()
  const find = async (query: Partial<LibraryQuery> & { readonly scope: LibraryScope }) =>
    await findMaterials({ librarySearch }, { text: '', limit: 20, diversity: false, ...query })
  const paths = async (scope: LibraryScope, text: string) => {
    const { results } = await find({ scope, text })
    const rows = await db.selectFrom('materials').select(['id', 'path']).execute()
    return results.map(({ id }) => rows.find((row) => row.id === id)?.path)
  }
  return { find, paths }
}

/** Vector of a text, as the operation gives it to the search. */
async function textVector(text: string, space?: string) {
  const model = colourModel(space)
  const [values = new Float32Array(1024)] = await model.embedTexts([text], {
    signal: new AbortController().signal,
  })
  return { space: model.space, values }
}

const sidecars = {
  'sea.png': { title: '海边日落', tags: ['夕阳'] },
  'sea copy.jpg': { title: '雨の東京タワー', note: '夜の街' },
  'sea again.png': { title: 'Old fisherman mending nets', tags: ['harbour', 'work'] },
  'd.png': { title: 'TV studio', note: 'Camera on a crane, 4K' },
  'e.png': { note: 'nets of a goal; an old man works at the harbour' },
  'f.png': { title: '서울의 밤', author: 'Zoë' },
}

const importDescribed = importOnce(async ({ media }) => {
  for (const [index, [path, sidecar]] of Object.entries(sidecars).entries()) {
    await writeImage(media(path), 'blue', Math.max(1, index))
    await writeFile(media(`${path}.json`), JSON.stringify(sidecar))
  }
  await writeSound(media('morning-light.mp3'), { title: '晨光', artist: 'Anna Ω' })
})

const databases = [
  ['SQLite', async () => await importDescribed()],
  ['PostgreSQL', async () => await recordOnPostgres(await importDescribed())],
] as const

describe.for(databases)('search on %s', ([name, create]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'each query finds its item first, and near-duplicates are folded only on request',
    async () => {
      const library = await create()
      const { find, paths } = await openSearch(library)
      const expected = {
        ...{ 日落: 'sea.png', 夕阳: 'sea.png', 海: 'sea.png', 東京: 'sea copy.jpg', タワー: 'sea copy.jpg' },
        ...{ 夜の街: 'sea copy.jpg', fisherman: 'sea again.png', 'fisherman mending nets': 'sea again.png' },
        ...{ tv: 'd.png', '4k': 'd.png', 'a crane': 'd.png', Studios: 'd.png', 서울: 'f.png' },
        ...{ 'goal nets': 'e.png', 'the old man of the harbour': 'e.png' },
      }
      for (const [query, path] of Object.entries(expected))
        expect([query, (await paths('image', query))[0]]).toEqual([query, path])
      for (const query of ['光', 'anna', 'morning', 'Ω', 'LIGHT morning'])
        expect(await paths('audio', query)).toEqual(['morning-light.mp3'])
      for (const query of ['nothing', '"', "' OR 1=1", '* NEAR(', '\u0000', '()&|!:*', '§image'])
        expect(await paths('image', query)).toEqual([])
      const { recalled, results } = await find({ scope: 'image', text: '海边日落' })
      expect(recalled).toBe(1)
      expect(results).toEqual([
        {
          ...{ name: 'sea.png' },
          ...{ id: expect.any(Number), score: expect.any(Number), width: 96, height: 54, tags: ['夕阳'] },
          note: 'Licence: CC BY 4.0. Attribution: Example Films.\n海边日落',
        },
      ])
      expect(results[0]?.score).toBeGreaterThan(0.5)
      const [sound] = (await find({ scope: 'audio', text: '晨光 Anna' })).results
      expect(sound).toMatchObject({
        title: '晨光',
        author: 'Anna Ω',
        audioType: 'pure',
        hasAccompaniment: false,
      })
      expect(sound?.score).toBeGreaterThan(0.45)
      expect(sound?.duration).toBeCloseTo(1, 0)

      const all = await find({ scope: 'image', text: 'sea' })
      expect([all.recalled, all.results.length]).toEqual([3, 3])
      const folded = await find({ scope: 'image', text: 'sea', diversity: true })
      expect([folded.recalled, folded.results.length]).toEqual([3, 2])
      const first = await find({ scope: 'image', text: 'sea', limit: 1 })
      expect(first.results).toEqual(all.results.slice(0, 1))
    },
  )
})

// Vectors in PostgreSQL are tested with pgvector, too.
const emptyLibraries = [
  ['SQLite', async () => newLibrary()],
  ['PostgreSQL', async () => newLibrary(await newDatabase())],
] as const

describe.for(sampleCases(emptyLibraries, 1))('search on %s', ([name, create]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'pictures are found by vectors, also after changes',
    async () => {
      const library = await create()
      await writeImage(library.media('plain.png'), 'red', 1)
      await writeImage(library.media('other.png'), 'blue', 2)
      await writeVideo(library.media('two.mp4'), 'blue', 'lime')
      await writeVideo(library.media('one.mp4'), 'red')
      await addWithModel(library, colourModel())
      const { find, paths } = await openSearch(library)
      const byVector = async (scope: LibraryScope, text: string) =>
        (await find({ scope, vector: await textVector(text) })).results
      const row = async (path: string) => {
        const db = await library.openDb()
        return await db.selectFrom('materials').select('id').where('path', '=', path).executeTakeFirst()
      }
      const ids = new Map<string, number | undefined>()
      for (const path of ['plain.png', 'other.png', 'two.mp4', 'one.mp4'])
        ids.set(path, (await row(path))?.id)
      const order = async (scope: LibraryScope, text: string) =>
        (await byVector(scope, text)).map(({ id }) => id)
      expect(await order('image', 'red')).toEqual([ids.get('plain.png'), ids.get('other.png')])
      expect(await order('image', 'blue')).toEqual([ids.get('other.png'), ids.get('plain.png')])
      // The second shot of the video is green.
      expect(await order('clip', 'green')).toEqual([ids.get('two.mp4'), ids.get('one.mp4')])
      const [good, bad] = await byVector('image', 'red')
      expect(good?.score).toBeGreaterThan(0.2)
      expect(bad?.score).toBeLessThan(good?.score ?? 0)
      // Words and picture together are better than the picture alone.
      const both = await find({ scope: 'image', text: 'plain', vector: await textVector('red') })
      expect(both.results[0]?.score).toBeGreaterThan(good?.score ?? 1)

      await writeImage(library.media('plain.png'), 'blue', 1)
      await rm(library.media('other.png'))
      await rename(library.media('two.mp4'), library.media('green fields.mp4'))
      await addWithModel(library, colourModel())
      const replaced = (await row('plain.png'))?.id
      expect(replaced).not.toBe(ids.get('plain.png'))
      expect(await order('image', 'blue')).toEqual([replaced])
      expect(await paths('clip', 'fields')).toEqual(['green fields.mp4'])
      await expect(
        find({ scope: 'image', vector: await textVector('red', 'colours-2') }),
      ).rejects.toMatchObject({ code: 6401, message: expect.stringContaining('colours-2') as string })

      await library.run('remove', library.media())
      await expect(find({ scope: 'image', text: 'plain' })).rejects.toMatchObject({
        ...{ code: 6401, message: 'the library is empty' },
        hint: expect.stringContaining('reelwright library add') as string,
      })
    },
  )
})
