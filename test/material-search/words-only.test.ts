import { expect, onTestFinished, test } from 'vitest'
import { embedQuery } from '../../src/engines/embedding/embed-query.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { operations } from '../../tools/index.ts'
import { fails, json, startFakeService } from '../engines/services/fake-service.ts'
import { addWithModel, newLibrary, rights, writeImage } from '../library/library.ts'
import { colourModel } from '../library/stand-in-model.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

const vector = (...values: readonly number[]) => json({ data: [{ index: 0, embedding: values }] })

async function startEmbedding() {
  const fake = await startFakeService(fails(401))
  onTestFinished(() => fake[Symbol.asyncDispose]())
  onTestFinished(() => configureServices({}))
  return { fake, services: { embedding: { address: `${fake.origin}/v1`, model: 'clip' } } }
}

/** Returns the search of images by a new account. */
async function searchOf(service: TestService) {
  const calls = api(await service.account(9))
  return async (query: string) => {
    const { data } = await calls.create('material_search', { scope: 'image', query })
    const { results, notes } = data as unknown as { results: { name: string }[]; notes?: string[] }
    return { names: results.map(({ name }) => name), notes }
  }
}

test('words find materials without vectors, and while the embedding service fails, which is not asked again at once', async () => {
  const { fake, services } = await startEmbedding()
  const library = await newLibrary()
  await writeImage(library.media('harbour.png'), 'red', 1)
  await writeImage(library.media('meadow.png'), 'green', 2)
  await library.run('add', library.media(), ...rights)
  const options = { operations, dataDir: library.data, services }
  {
    await using withoutVectors = await startTestService(options)
    const { names, notes } = await (await searchOf(withoutVectors))('harbour')
    expect([names, fake.heard]).toEqual([['harbour.png'], []])
    expect(notes).toEqual([expect.stringMatching(/^Only words were compared: .*without an embedding model/)])
  }

  await addWithModel(library, colourModel('openai:clip'))
  await using service = await startTestService(options)
  const search = await searchOf(service)
  fake.replies.push(vector(1, 0, 0))
  expect(await search('harbour')).toEqual({ names: ['harbour.png', 'meadow.png'], notes: undefined })
  const { names, notes } = await search('meadow')
  expect(names).toEqual(['meadow.png'])
  expect(notes).toEqual([
    expect.stringMatching(/^Only words were compared: clip at .* asks for a key.* Fix: Set/),
  ])
  expect(await search('meadow')).toEqual({ names, notes })
  expect(fake.heard).toHaveLength(2)
})

test('a service that failed is asked again after a minute', async () => {
  const { fake, services } = await startEmbedding()
  configureServices(services)
  let now = 1_000_000
  const options = { threads: 1, signal: new AbortController().signal, clock: () => now }
  const embed = () => embedQuery({ scope: 'image', text: 'sea' }, options)
  const failed = await embed()
  expect(failed).toEqual({ reason: expect.stringContaining('asks for a key') })
  now += 59_000
  expect([await embed(), fake.heard.length]).toEqual([failed, 1])
  fake.otherwise = vector(0, 1)
  now += 2_000
  expect(await embed()).toMatchObject({ space: 'openai:clip' })
  expect(fake.heard).toHaveLength(2)
})
