import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileKind } from '../src/contract/file-kind.ts'
import { findFileRefs } from '../src/contract/file.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { operations } from '../tools/index.ts'
import { writeFakeWhisper } from './audio-language-detect/fake-whisper.ts'
import { changed } from './contract/laws.ts'
import { operationTables } from './contract/operations.ts'
import type { OperationTables } from './contract/tables.ts'
import { h264, make, picture, scratchFolder } from './engines/ffmpeg/made.ts'
import { api } from './service/api.ts'
import { startTestService, type TestService } from './service/in-process.ts'

// For every code of an operation's error table, real requests over HTTP that get it.

type Json = Readonly<Record<string, unknown>>
type Account = Awaited<ReturnType<TestService['account']>>

const folder = await scratchFolder()
let service: TestService
let samples: readonly { kind: FileKind; name: string; bytes: Uint8Array<ArrayBuffer> | string }[]

beforeAll(async () => {
  // Small models count as there, as they come by themselves; what is large is brought, or a service.
  const whisper = await writeFakeWhisper(folder)
  configurePacks({ folder: join(folder, 'packs'), automatic: true, own: { whisper }, manifest })
  const clip = await make(join(folder, 'clip.mp4'), [
    ...picture(4),
    '-f',
    'lavfi',
    '-i',
    'sine=duration=4',
    ...h264,
  ])
  const still = await make(join(folder, 'still.png'), [...picture(1), '-frames:v', '1'])
  const tone = await make(join(folder, 'tone.wav'), ['-f', 'lavfi', '-i', 'sine=duration=1'])
  samples = [
    { kind: 'video', name: 'clip.mp4', bytes: new Uint8Array(await readFile(clip)) },
    { kind: 'text', name: 'lines.srt', bytes: '1\n00:00:01,000 --> 00:00:02,000\nNot a video.\n' },
    { kind: 'audio', name: 'tone.wav', bytes: new Uint8Array(await readFile(tone)) },
    { kind: 'image', name: 'still.png', bytes: new Uint8Array(await readFile(still)) },
  ]
  // Nothing is asked of it: no task is made.
  const services = {
    language_model: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    transcription: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    voice_service: { address: 'gpt-sovits+http://127.0.0.1:9' },
  }
  service = await startTestService({ operations, services })
})
afterAll(() => service[Symbol.asyncDispose]())

/** A request that is to be refused: the smallest with changes, its files, and who sends it. */
interface Refused {
  readonly body: Json
  readonly files?: 'right' | 'of another kind' | 'damaged' | 'unknown'
  readonly credits?: number
  /** Of the sender's key. */
  readonly quota?: number
  readonly key?: string
}

/** What gets a code; a code of the table that is not here fails its test. */
const refusedWith: Readonly<Record<number, (table: OperationTables) => Refused[]>> = {
  5202: ({ smallest }) => [{ body: smallest, files: 'unknown' }],
  6001: ({ smallest }) => [{ body: smallest, files: 'of another kind' }],
  6004: ({ smallest }) => [{ body: smallest, files: 'unknown' }],
  6013: ({ smallest, parameters }) =>
    parameters
      .filter(({ at, required }) => required && !at.includes('.'))
      .map(({ at }) => ({ body: changed(smallest, at, undefined) })),
  6014: ({ smallest }) => [{ body: smallest, files: 'of another kind' }],
  6017: ({ smallest }) => [{ body: smallest, files: 'damaged' }],
  6016: ({ smallest, parameters, together }) => [
    ...parameters.flatMap(({ at, refuses = [], with: further }) =>
      refuses.map((value) => ({ body: changed({ ...smallest, ...further }, at, value) })),
    ),
    ...together.map(({ change }) => ({ body: { ...smallest, ...change } })),
  ],
  // Only who could do the work asks for credits.
  6201: ({ smallest, withoutModel }) => [
    { body: { ...smallest, ...withoutModel }, quota: 0 },
    { body: { ...smallest, ...withoutModel }, quota: 0, credits: 0 },
  ],
  6202: ({ smallest, withoutModel }) => [{ body: { ...smallest, ...withoutModel }, credits: 0 }],
  6502: ({ smallest }) => [{ body: smallest, key: 'Bearer of no key' }],
}

/** A damaged file, of operations whose table lists another code for it. */
function damagedAs(code: number, { operation: name, smallest }: OperationTables): Refused[] {
  const found = operations.find(({ operation }) => operation.name === name)
  return found?.operation.errorAliases?.[6017] === code ? [{ body: smallest, files: 'damaged' }] : []
}

/** Who sends requests, and ids of the files that stand in them, by what and where they are. */
interface Sender {
  readonly account: Account
  readonly uploaded: Map<string, string>
}

/** By what they have; what is refused takes nothing from it, so that one serves all operations. */
const senders = new Map<string, Sender>()

/** The body with ids of the sender's files in place of the table's, which are all '1'. */
async function filled(
  { account, uploaded }: Sender,
  operation: string,
  { body, files = 'right' }: Refused,
): Promise<Json> {
  const schema = operations.find((module) => module.operation.name === operation)?.operation.input
  if (!schema) throw new Error(`${operation} is not built`)
  let request = body
  for (const { path, kinds, value } of findFileRefs(schema, body)) {
    if (value !== '1') continue
    const at = path.join('.')
    const name = `${kinds.join(' or ')}, ${files}, at ${at}`
    const id = uploaded.get(name) ?? (await idOf(account, kinds, files))
    uploaded.set(name, id)
    request = changed(request, at, id)
  }
  return request
}

/** Uploads a sample that is, or is not, of one of these kinds, or one that is so by its name alone, or none. */
async function idOf(
  account: Account,
  kinds: readonly FileKind[],
  how: NonNullable<Refused['files']>,
): Promise<string> {
  if (how === 'unknown') return '1234567890123456789'
  const sample = samples.find(({ kind }) => kinds.includes(kind) === (how !== 'of another kind'))
  if (!sample) throw new Error(`no sample is ${how}: ${kinds.join(' or ')}`)
  const bytes = how === 'damaged' ? 'no media at all' : sample.bytes
  return (await api(account).upload(sample.name, bytes)).data.file_id
}

describe.each(operationTables)('$operation', (table) => {
  it.each(table.refusals)(
    '$code answers $status, makes no task and charges nothing',
    async ({ code, status }) => {
      const requests = [...(refusedWith[code]?.(table) ?? []), ...damagedAs(code, table)]
      expect(requests.length, `requests that get ${code}`).toBeGreaterThan(0)
      for (const request of requests) {
        const { credits = 5, quota, key } = request
        const has = `${credits} ${quota}`
        const sender = senders.get(has) ?? {
          account: await service.account(credits, quota),
          uploaded: new Map(),
        }
        senders.set(has, sender)
        const { account } = sender
        const body = await filled(sender, table.operation, request)
        const answer = await api({ ...account, ...(key && { apiKey: key }) }).create(table.operation, body)
        expect([body, answer.status, answer.code]).toEqual([body, status, code])
        expect(answer).toMatchObject({ msg: expect.stringMatching(/./) as string, data: null })
        const { data } = await api(account).send<Json>('/base/capabilities')
        expect(data).toMatchObject({
          credits: { balance: credits },
          tasks: { queued: 0, processing: 0 },
        })
      }
    },
  )
})
