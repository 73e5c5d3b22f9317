import { MockAgent } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { createClient } from '../client/client.ts'
import { fileKinds } from '../contract/file-kind.ts'
import { uploadFiles } from './upload-files.ts'
import { workspaceDelivery } from './workspace-delivery.ts'
import { lookupPublic, NotPublicError, openRemoteFile } from './remote-file.ts'
import { openSession } from './session.ts'

const signal = new AbortController().signal

test('a name of this machine is rejected during lookup', async () => {
  const error = await new Promise((resolve) => lookupPublic('localhost', { all: true }, resolve))
  expect(error).toBeInstanceOf(NotPublicError)
})

describe('a remote file', () => {
  let agent: MockAgent
  let shares: number[]
  beforeEach(() => {
    shares = []
    agent = new MockAgent()
    agent.disableNetConnect()
  })
  afterEach(() => agent.close())

  const reply = (path: string, status: number, body: string, headers: Record<string, string> = {}) =>
    agent.get('https://media.example').intercept({ path }).reply(status, body, { headers })

  async function fetchRemote(address: string): Promise<{ name: string; text: string }> {
    const file = await openRemoteFile(address, fileKinds, agent)
    await using _ = file.handle
    const size = await file.fill?.(signal, (share) => void shares.push(share))
    const bytes = Buffer.alloc(Number(size))
    await file.handle.read(bytes, 0, bytes.length, 0)
    return { name: file.name, text: bytes.toString() }
  }

  test('is downloaded under its own name, through redirects', async () => {
    reply('/a%20b/clip%20one.MP4?key=1', 302, '', { location: '/store/7' })
    reply('/store/7', 200, 'the bytes', { 'content-length': '9' })
    expect(await fetchRemote('https://media.example/a%20b/clip%20one.MP4?key=1')).toEqual({
      name: 'clip one.MP4',
      text: 'the bytes',
    })
    expect(shares).toEqual([1])
  })

  test.each<[string, () => void, number]>([
    ['is missing', () => reply('/a.mp4', 404, ''), 6004],
    ['is empty', () => reply('/a.mp4', 200, ''), 6011],
    ['redirects to http', () => reply('/a.mp4', 302, '', { location: 'http://media.example/a.mp4' }), 6016],
    [
      'redirects to a private address',
      () => reply('/a.mp4', 302, '', { location: 'https://169.254.169.254/a.mp4' }),
      6016,
    ],
    ['redirects without a location', () => reply('/a.mp4', 302, ''), 6004],
    [
      'redirects in a circle',
      () =>
        agent
          .get('https://media.example')
          .intercept({ path: '/a.mp4' })
          .reply(302, '', { headers: { location: '/a.mp4' } })
          .persist(),
      6004,
    ],
    ['cannot be received', () => reply('/b.mp4', 200, ''), 6036],
  ])('that %s is rejected', async (_what, prepare, code) => {
    prepare()
    await expect(fetchRemote('https://media.example/a.mp4')).rejects.toMatchObject({ code })
  })

  test.each([
    'http://media.example/a.mp4',
    'https://media.example:8443/a.mp4',
    'https://user:secret@media.example/a.mp4',
    'https://127.0.0.1/a.mp4',
    'https://[::1]/a.mp4',
    'https://2130706433/a.mp4',
    'https://168.63.129.16/a.mp4',
    'https://2822734096/a.mp4',
    'https://[::ffff:168.63.129.16]/a.mp4',
    'https://[64:ff9b::a83f:8110]/a.mp4',
    'https://[fd00:ec2::254]/a.mp4',
    'https://0x7f.1/a.mp4',
    'https://',
  ])('%s is rejected before a request is sent', async (address) => {
    await expect(openRemoteFile(address, fileKinds, agent)).rejects.toMatchObject({ code: 6016 })
  })

  test('an address that names no media file is rejected with the supported extensions', async () => {
    for (const address of [
      'https://media.example/',
      'https://media.example/a.exe',
      'https://media.example/%E0',
    ]) {
      await expect(openRemoteFile(address, fileKinds, agent)).rejects.toMatchObject({
        code: 6001,
        hint: expect.stringContaining('.mp4'),
      })
    }
  })

  test('is uploaded like a local file, with progress for download and upload', async () => {
    await using service = await startContractServer()
    await using session = openSession({
      version: '0',
      operations: [],
      connect: () => Promise.resolve(createClient(service)),
      delivery: workspaceDelivery({ allowedFolders: [], defaultFolder: '/nonexistent' }),
      allowUrls: true,
    })
    reply('/clip.mp4', 200, 'the bytes', { 'content-length': '9' })
    const url = 'https://media.example/clip.mp4'
    const file = await openRemoteFile(url, fileKinds, agent)
    await using _ = file.handle
    const percents: number[] = []
    const context = { signal, progress: (percent: number) => void percents.push(percent) }
    const files = { byPath: new Map([[url, file]]), [Symbol.asyncDispose]: () => Promise.resolve() }
    const record = (await uploadFiles(session, files, context)).get(url)
    expect(record).toMatchObject({ original_name: 'clip.mp4', size: 9 })
    expect(service.files.get(record?.file_id ?? '')?.bytes.toString()).toBe('the bytes')
    expect([percents[0], percents.at(-1)]).toEqual([50, 100])
  })

  test('a name of this machine is rejected on connection', async () => {
    const file = await openRemoteFile('https://localhost/a.mp4', fileKinds)
    await using _ = file.handle
    await expect(file.fill?.(signal, () => undefined)).rejects.toMatchObject({ code: 6016 })
  })
})
