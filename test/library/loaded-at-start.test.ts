import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { startTestService } from '../service/in-process.ts'
import { addWithModel, newLibrary, type TestLibrary, writeImage } from './library.ts'
import { colourModel } from './stand-in-model.ts'

/** Starts a service on the data folder of a library. Returns its search, and what its threads reply from then on. */
async function startOn(library: TestLibrary) {
  const replies: unknown[] = []
  const listen = (thread: Worker) => void thread.on('message', (reply) => replies.push(reply))
  process.on('worker', listen)
  onTestFinished(() => void process.off('worker', listen))
  const service = await startTestService({ dataDir: library.data })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const { librarySearch } = service.running.service
  const find = () => librarySearch.find({ scope: 'image', text: 'a', limit: 1, diversity: false })
  return { replies, find }
}

test('a service with a library reads it before the first search', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'), 'red')
  await addWithModel(library, colourModel())
  const { replies, find } = await startOn(library)
  await expect.poll(() => replies).toHaveLength(1)
  expect(replies).toMatchObject([{ number: 1, reply: { kind: 'result', result: { recalled: 0 } } }])
  expect((await find()).results).toHaveLength(1)
  expect(replies).toMatchObject([{ number: 1 }, { number: 2 }])
})

test('a service without a library reads nothing before the first search', async () => {
  const library = await newLibrary()
  await library.run('list')
  const { replies, find } = await startOn(library)
  await expect(find()).rejects.toMatchObject({ code: 6401 })
  expect(replies).toMatchObject([{ number: 1, reply: { code: 6401 } }])
})
