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

const refusal = fails(400, { error: { message: 'this model embeds texts' } })

test('the command embeds pictures with the configured service, and continues after its failure, which it explains, and past a picture that the service refuses', async () => {
  const { library, fake } = await libraryWithService()
  await writeImage(library.media('a.png'), 'red', 1)
  await writeImage(library.media('b.png'), 'blue', 2)
  const vector = (index: number) => ({
    data: [{ index: 0, embedding: [0, 1, 2].map((at) => Number(at === index)) }],
  })
  fake.replies.push(json(vector(1)), fails(401, { error: { message: 'the key expired yesterday' } }))
  const failed = await library.run('add', library.media(), ...rights)
  expect(failed).toMatchObject({ code: 1, out: '' })
  expect(failed.err).toContain('(HTTP 401): the key expired yesterday\nFix: ')
  // The command writes no log.
  expect(failed.err).not.toContain('log')
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

  for (const [at, name] of ['c.png', 'd.png'].entries()) await writeImage(library.media(name), 'green', at)
  fake.replies.push(refusal, json(vector(0)))
  const { out, err } = await library.run('add', library.media(), ...rights)
  expect(out).toContain('2 imported')
  expect(err).toContain('1 of 4 images and videos have no vector')
})

test('a service that embeds only texts is asked once; everything is imported by its words', async () => {
  const { library, fake } = await libraryWithService()
  for (const [at, name] of ['a.png', 'b.png'].entries()) await writeImage(library.media(name), 'red', at)
  fake.replies.push(refusal)
  const { code, out, err } = await library.run('add', library.media(), ...rights)
  expect([code, fake.heard.length]).toEqual([0, 1])
  expect(out).toContain('2 imported')
  expect(err).toContain('clip at')
  expect(err).toContain('does not embed images. 2 of 2 images and videos have no vector')
  expect(err).toContain('`reelwright models pull siglip2-base onnx-runtime`')
  // Nothing is read again: only one file shows whether the service embeds images by now.
  fake.replies.push(refusal)
  expect((await library.run('add', library.media(), ...rights)).out).toContain('0 imported, 2 unchanged')
  expect(fake.heard.length).toBe(2)
})
