import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { LibraryScope } from '../../src/contract/library.ts'
import { findMaterials, openLibrarySearch } from '../../src/library/search.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { soakSize } from '../soak-size.ts'
import { newLibrary, rights } from './library.ts'

type Answer = readonly [scope: LibraryScope, query: string, file: string]

/** The file that must be first for each query. */
const answers: readonly Answer[] = [
  ['image', 'faces', 'faces.jpg'],
  ['image', 'exif orientation', 'img_exif_orientation.jpg'],
  ['clip', 'car', 'car-detection.mp4'],
  ['clip', 'cars', 'car-detection.mp4'],
  ['clip', 'a person, one by one', 'one-by-one-person-detection.mp4'],
  ['clip', 'walk', 'walk.mkv'],
]

/** Folders to import. Videos take long. */
const folders = soakSize(['image', 'ocr'], ['image', 'ocr', join('video', 'natural')])
const asked = soakSize<readonly Answer[]>(
  answers.filter(([scope]) => scope === 'image'),
  answers,
)

test.skipIf(testdata('image') === undefined)(
  'real files are found by their names (REELWRIGHT_TESTDATA)',
  async () => {
    const library = await newLibrary()
    for (const folder of folders) {
      const { code, out } = await library.run('add', testdata(folder) ?? '', ...rights)
      expect(code).toBe(0)
      expect(out).not.toContain('skipped')
    }
    const librarySearch = openLibrarySearch(library.location)
    onTestFinished(() => librarySearch[Symbol.asyncDispose]())
    const db = await library.openDb()
    const rows = await db.selectFrom('materials').select(['id', 'path', 'width', 'height']).execute()
    for (const [scope, text, path] of asked) {
      const { results } = await findMaterials({ librarySearch }, { scope, text, limit: 5, diversity: true })
      expect([text, rows.find(({ id }) => id === results[0]?.id)?.path]).toEqual([text, path])
      expect(results[0]?.score).toBeGreaterThan(0.2)
      expect(results[0]?.note).toMatch(/^Licence: CC BY 4\.0\. Attribution: Example Films\./)
    }
    const turned = rows.find(({ path }) => path === 'img_exif_orientation.jpg')
    expect([turned?.width, turned?.height]).toEqual([752, 306])
  },
)
