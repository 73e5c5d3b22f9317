import { rm, utimes, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  addWithModel,
  newLibrary,
  rights,
  type TestLibrary,
  writeImage,
  writeSound,
  writeVideo,
} from './library.ts'
import { colourModel } from './stand-in-model.ts'

async function vectors(library: TestLibrary) {
  const db = await library.openDb()
  return await db
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_vectors.material_id')
    .select(['path', 'part', 'start_ms', 'space', 'vector'])
    .orderBy('path')
    .orderBy('start_ms')
    .execute()
}

/** Index of the largest number of a stored vector: 0 for red, 1 for green, 2 for blue. */
function mainColour(bytes: Uint8Array): number {
  const values = new Float32Array(bytes.slice().buffer)
  expect(values).toHaveLength(1024)
  expect(Math.hypot(...values)).toBeCloseTo(1, 5)
  return values.indexOf(Math.max(...values))
}

test('images have one vector, videos one of each shot, once a model is installed; equal bytes keep them, also without it', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'), 'red')
  await writeVideo(library.media('b.mp4'), 'blue', 'lime')
  await writeSound(library.media('c.wav'))
  await library.run('add', library.media(), ...rights)
  expect(await vectors(library)).toEqual([])
  const model = colourModel()
  expect(await addWithModel(library, model)).toMatchObject({ imported: 0, changed: 2, unchanged: 1 })
  const rows = await vectors(library)
  expect(rows.map(({ path, vector }) => [path, mainColour(vector)])).toEqual([
    ['a.png', 0],
    ['b.mp4', 2],
    ['b.mp4', 1],
  ])
  expect(rows.map(({ space }) => space)).toEqual(Array(3).fill('colours-1'))
  const [, first, second] = rows
  expect(first?.start_ms).toBeLessThan(1000)
  expect(second?.start_ms).toBeGreaterThanOrEqual(1000)

  expect(await addWithModel(library, model)).toMatchObject({ changed: 0, unchanged: 3 })
  expect(model.embedded).toHaveLength(3)
  await expect(addWithModel(library, colourModel('colours-2'))).rejects.toMatchObject({
    ...{ code: 6401, message: 'the library has vectors of colours-1, and colours has others' },
    hint: expect.stringContaining('reelwright library remove') as string,
  })

  await rm(library.media('c.wav'))
  // Only their time, or also their sidecar, changed.
  await utimes(library.media('b.mp4'), 1, 1)
  await writeFile(library.media('a.json'), '{"title": "a"}')
  const without = await library.run('add', library.media(), ...rights)
  expect(without.out).toContain('0 imported, 2 changed')
  expect(without.err).not.toContain('words alone')
  expect(await vectors(library)).toEqual(rows)
  await utimes(library.media('a.png'), 2, 2)
  expect(await addWithModel(library, model)).toMatchObject({ changed: 1 })
  expect(await vectors(library)).toEqual(rows)
  // Other bytes have other vectors.
  await writeImage(library.media('a.png'), 'blue')
  await library.run('add', library.media(), ...rights)
  expect((await vectors(library)).map(({ path }) => path)).toEqual(['b.mp4', 'b.mp4'])
})

test('an import without the model of the library reports what has no vector, and the list has its number', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'), 'blue')
  await addWithModel(library, colourModel())
  await writeImage(library.media('b.png'), 'red')
  const { err } = await library.run('add', library.media(), ...rights)
  expect(err).toContain('1 of 2 images and videos have no vector: they are found by their words alone')
  expect(err).toContain('The library has vectors of colours-1: use that model.')
  expect(err).toContain('REELWRIGHT_EMBEDDING')
  expect(err).not.toContain('sound')
  const { out } = await library.run('list')
  expect(out).toMatch(/^videos +images +sounds +missing +words only +licence +attribution +folder$/m)
  expect(out).toMatch(/^0 +2 +0 +0 +1 +CC BY 4\.0 +Example Films +/m)
})
