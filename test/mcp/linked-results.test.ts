import { expect, test } from 'vitest'
import { api } from '../service/api.ts'
import { imageModule } from '../service/image-operation.ts'
import { startHttpServerFixture } from './http-server-fixture.ts'

/** A PNG of one black pixel. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

test('long fields of a result are left out of the reply, which names the request that returns them', async () => {
  const agentFile = { name: 'hashes.json', fields: ['hashes'] }
  const module = { ...imageModule, operation: { ...imageModule.operation, agentFile } }
  await using own = await startHttpServerFixture({ modules: [module] })
  const account = await own.service.account(1)
  const { data: file } = await api(account).upload('a.png', Buffer.from(onePixel, 'base64'))
  await using agent = await own.connect('modern', account)
  const { data, text } = await agent.call(imageModule.operation.name, { input: [{ file_id: file.file_id }] })
  expect(data).toMatchObject({ status: 'completed', output: {} })
  expect(JSON.stringify(data) + text).not.toMatch(/[0-9a-f]{64}/)
  const [, path = ''] = /GET (\/task\/test_images\/\d+) to/.exec(String(data['next_step'])) ?? []
  const { data: status } = await agent.call('service_status')
  const response = await fetch(String(status['service_address']) + path, {
    headers: { authorization: account.apiKey },
  })
  expect(await response.json()).toMatchObject({
    data: { output_result: { hashes: [expect.stringMatching(/^[0-9a-f]{64}$/)] } },
  })
})

test('long fields are in the reply, and in the resource of the task, if they are short enough', async () => {
  const agentFile = { name: 'hashes.json', fields: ['hashes'], linkedCharacters: 80 }
  const module = { ...imageModule, operation: { ...imageModule.operation, agentFile } }
  await using own = await startHttpServerFixture({ modules: [module] })
  const account = await own.service.account(3)
  const { data: file } = await api(account).upload('a.png', Buffer.from(onePixel, 'base64'))
  await using agent = await own.connect('modern', account)
  const images = (count: number) => ({
    input: Array.from({ length: count }, () => ({ file_id: file.file_id })),
  })
  const { data } = await agent.call(imageModule.operation.name, images(1))
  const hashes = [expect.stringMatching(/^[0-9a-f]{64}$/)]
  expect(data['output']).toEqual({ hashes })
  expect(data['next_step']).not.toContain('Too long')
  const { contents } = await agent.client.readResource({ uri: `media://tasks/${String(data['task_id'])}` })
  const [content] = contents as { text: string }[]
  expect(JSON.parse(content?.text ?? '')).toMatchObject({ output: { hashes } })
  const { data: longer } = await agent.call(imageModule.operation.name, images(2))
  expect(longer).toMatchObject({
    output: {},
    next_step: expect.stringContaining('Request less in each call'),
  })
})
