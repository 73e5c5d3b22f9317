import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import { fails, json, startFakeService } from '../engines/services/fake-service.ts'
import { newLibrary, rights, writeImage } from './library.ts'

/** A library with an embedding service that the settings name. */
async function libraryWithService() {
  const library = await newLibrary()
  const fake = await startFakeService(fails(401))
  onTestFinished(() => fake[Symbol.asyncDispose]())
  onTestFinished(() => configureServices({}))
  await mkdir(library.data, { mode: 0o700 })
  const settings = { embedding: `${fake.origin}/v1#clip` }
  await writeFile(join(library.data, 'reelwright.config.json'), JSON.stringify(settings), { mode: 0o600 })
  return { library, fake }
}

test('the command embeds pictures with the configured service, and continues after its failure', async () => {
  const { library, fake } = await libraryWithService()
  await writeImage(library.media('a.png'), 'red', 1)
  await writeImage(library.media('b.png'), 'blue', 2)
  const vector = (index: number) => ({
    data: [{ index: 0, embedding: [0, 1, 2].map((at) => Number(at === index)) }],
  })
  fake.replies.push(json(vector(1)))
  const failed = await library.run('add', library.media(), ...rights)
  expect(failed).toMatchObject({ code: 1, out: '' })
  fake.replies.push(json(vector(2)))
  const added = await library.run('add', library.media(), ...rights)
  expect(added).toMatchObject({ code: 0 })
  expect(added.out).toContain('1 imported, 1 unchanged')
  expect(added.err).not.toContain('No embedding model')
  const db = await library.openDb()
  const rows = await db
    .selectFrom('material_vectors')
    .select(['space', 'vector'])
    .orderBy('material_id')
    .execute()
  const found = rows.map(({ space, vector: bytes }) => [
    space,
    new Float32Array(new Uint8Array(bytes).buffer).indexOf(1),
  ])
  expect(found).toEqual([
    ['openai:clip', 1],
    ['openai:clip', 2],
  ])
})
