import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountBalance } from '../src/accounts/ledger.ts'
import type { FileKind } from '../src/contract/file-kind.ts'
import { findFileRefs } from '../src/contract/file.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { operations } from '../tools/index.ts'
import { writeFakeWhisper } from './audio-language-detect/fake-whisper.ts'
import { changed } from './contract/laws.ts'
import { operationTables } from './contract/operations.ts'
import type { OperationTables } from './contract/tables.ts'
import { h264, generateMedia, picture, scratchFolder } from './engines/ffmpeg/generate-media.ts'
import { writeFloatWav } from './engines/float-wav.ts'
import { manifestWithSmallSeparator } from './packs/small-separator.ts'
import { api } from './service/api.ts'
import { startTestService, type TestService } from './service/in-process.ts'
import { sampleCases } from './soak-size.ts'

// For every code in the error table of an operation, sends HTTP requests that cause it. Damaged files that get another code
// than 6017 are in contract-damaged-media.test.ts.

type Json = Readonly<Record<string, unknown>>
type Account = Awaited<ReturnType<TestService['account']>>

const folder = await scratchFolder()
let service: TestService
let samples: readonly { kind: FileKind; name: string; bytes: Uint8Array<ArrayBuffer> | string }[]

beforeAll(async () => {
  // Small models count as available, because they are downloaded automatically. Large ones are installed or services.
  const whisper = await writeFakeWhisper(folder)
  configurePacks({
    folder: join(folder, 'packs'),
    ...{ automatic: true, own: { whisper }, manifest: manifestWithSmallSeparator },
  })
  const clip = await generateMedia(join(folder, 'clip.mp4'), [
    ...picture(4),
    '-f',
    'lavfi',
    '-i',
    'sine=duration=4',
    ...h264,
  ])
  const stillImage = await generateMedia(join(folder, 'still.png'), [...picture(1), '-frames:v', '1'])
  const tone = await writeFloatWav(join(folder, 'tone.wav'), new Float32Array(8000), 8000)
  samples = [
    { kind: 'video', name: 'clip.mp4', bytes: new Uint8Array(await readFile(clip)) },
    { kind: 'text', name: 'lines.srt', bytes: '1\n00:00:01,000 --> 00:00:02,000\nNot a video.\n' },
    { kind: 'audio', name: 'tone.wav', bytes: new Uint8Array(await readFile(tone)) },
    { kind: 'image', name: 'still.png', bytes: new Uint8Array(await readFile(stillImage)) },
    { kind: 'midi', name: 'notes.mid', bytes: 'MThd' },
  ]
  // These services get no requests, because no task is created.
  const services = {
    language_model: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    transcription: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    voice_service: { address: 'gpt-sovits+http://127.0.0.1:9' },
    embedding: { address: 'jina+http://127.0.0.1:9/v1', model: 'none' },
  }
  service = await startTestService({ operations, services })
})
afterAll(() => service[Symbol.asyncDispose]())

/** A request to reject: the smallest valid one with changes, its files, and its sender. */
interface RejectedRequest {
  readonly body: Json
  readonly files?: 'right' | 'of another kind' | 'damaged' | 'unknown'
  readonly credits?: number
  /** Quota of the sender's key, credits. */
  readonly quota?: number
  readonly key?: string
}

/** Whether a table lists a code. One that lists only 6201 or 6202 returns it for quota and balance. */
function lists(refusals: OperationTables['refusals'], code: number): boolean {
  return refusals.some((row) => row.code === code)
}

/** Field of the spoken language. */
const spokenField = (smallest: Json): string =>
  ['language', 'source_lang'].find((name) => name in smallest) ?? 'la'

/** Languages that are not supported there. */
const unsupportedLanguages = (smallest: Json): string[] => [
  'source_lang' in smallest ? 'es-ES' : 'de-DE',
  'en',
  '',
]

/** Requests that cause a code. A code in a table without an entry here fails its test. */
const requestsByCode: Readonly<Record<number, (table: OperationTables) => RejectedRequest[]>> = {
  400: (table) => [6013, 6016].flatMap((code) => requestsByCode[code]?.(table) ?? []),
  5202: ({ smallest }) => [{ body: smallest, files: 'unknown' }],
  6001: ({ smallest }) => [{ body: smallest, files: 'of another kind' }],
  6004: ({ smallest }) => [{ body: smallest, files: 'unknown' }],
  6013: ({ smallest, parameters }) =>
    parameters
      .filter(({ at, required }) => required && !at.includes('.'))
      .map(({ at }) => ({ body: changed(smallest, at, undefined) })),
  6014: ({ smallest }) => [{ body: smallest, files: 'of another kind' }],
  6015: ({ smallest }) =>
    ['es-ES', 'pt-PT', 'ru-RU', 'vi-VN'].map((code) => ({
      body: { ...smallest, [spokenField(smallest)]: code },
      files: 'unknown',
    })),
  6017: ({ smallest, damaged }) =>
    damaged?.randomBytes === 6017
      ? [{ body: smallest, files: 'damaged' }]
      : unsupportedLanguages(smallest).map((code) => ({
          body: { ...smallest, [spokenField(smallest)]: code },
          files: 'unknown',
        })),
  // The tests of the tables try each value on the contract.
  6016: ({ smallest, parameters, together }) => [
    ...sampleCases(
      parameters.flatMap(({ at, refuses = [], with: further }) =>
        refuses.map((value) => ({ body: changed({ ...smallest, ...further }, at, value) })),
      ),
    ),
    ...together.map(({ change }) => ({ body: { ...smallest, ...change } })),
  ],
  6030: ({ smallest }) =>
    Object.entries(smallest).flatMap(([name, items]) =>
      [{ text: 'a' }, { file_id: '1' }, { image: 'no base64!' }].map((item) => ({
        body: { ...smallest, [name]: [...(items as readonly Json[]), ...Array<Json>(65).fill(item)] },
        files: 'unknown' as const,
      })),
    ),
  // Credits are checked after requirements, so these requests need no model.
  6201: ({ smallest, withoutModel, refusals }) => [
    { body: { ...smallest, ...withoutModel }, quota: 0 },
    { body: { ...smallest, ...withoutModel }, quota: 0, credits: 0 },
    ...(lists(refusals, 6202) ? [] : [{ body: { ...smallest, ...withoutModel }, credits: 0 }]),
  ],
  6202: ({ smallest, withoutModel, refusals }) => [
    { body: { ...smallest, ...withoutModel }, credits: 0 },
    ...(lists(refusals, 6201) ? [] : [{ body: { ...smallest, ...withoutModel }, quota: 0 }]),
  ],
  6502: ({ smallest }) => [{ body: smallest, key: 'Bearer of no key' }],
}

/** An account, and the ids of its uploaded files by name. */
interface Sender {
  readonly account: Account
  readonly uploaded: Map<string, string>
}

/** Senders by credits and quota. Rejected requests cost nothing, so all operations share them. */
const senders = new Map<string, Sender>()

/** Replaces the placeholder file id '1' of the tables by ids of the sender's files. */
async function withFileIds(
  sender: Sender,
  operation: string,
  { body, files = 'right' }: RejectedRequest,
): Promise<Json> {
  const schema = operations.find((module) => module.operation.name === operation)?.operation.input
  if (!schema) throw new Error(`${operation} is not built`)
  let request = body
  for (const { path, kinds, value } of findFileRefs(schema, body)) {
    if (value !== '1') continue
    request = changed(request, path.join('.'), await sampleId(sender, kinds, files))
  }
  return request
}

/** Returns the id of an uploaded sample of one of these kinds, of another kind, or damaged; or an unknown id. */
async function sampleId(
  { account, uploaded }: Sender,
  kinds: readonly FileKind[],
  how: NonNullable<RejectedRequest['files']>,
): Promise<string> {
  if (how === 'unknown') return '1234567890123456789'
  const sample = samples.find(({ kind }) => kinds.includes(kind) === (how !== 'of another kind'))
  if (!sample) throw new Error(`no sample is ${how}: ${kinds.join(' or ')}`)
  const [name, bytes] =
    how === 'damaged' ? [`damaged-${sample.name}`, 'no media at all'] : [sample.name, sample.bytes]
  const id = uploaded.get(name) ?? (await api(account).upload(name, bytes)).data.file_id
  uploaded.set(name, id)
  return id
}

describe.each(operationTables)('$operation', (table) => {
  it.each(table.refusals)(
    '$code has status $status, creates no task and charges nothing',
    async ({ code, status }) => {
      const requests = requestsByCode[code]?.(table) ?? []
      expect(requests.length, `requests that get ${code}`).toBeGreaterThan(0)
      const used = new Map<Sender, number>()
      for (const request of requests) {
        const { credits = 5, quota, key } = request
        const has = `${credits} ${quota}`
        const sender = senders.get(has) ?? {
          account: await service.account(credits, quota),
          uploaded: new Map(),
        }
        senders.set(has, sender)
        used.set(sender, credits)
        const { account } = sender
        const body = await withFileIds(sender, table.operation, request)
        const response = await api({ ...account, ...(key && { apiKey: key }) }).create(table.operation, body)
        expect([body, response.status, response.code]).toEqual([body, status, code])
        expect(response).toMatchObject({ msg: expect.stringMatching(/./) as string, data: null })
      }
      const { db } = service.running.service
      for (const [{ account }, credits] of used) {
        expect(await accountBalance(db, account.id)).toBe(credits)
        const tasks = db.selectFrom('tasks').select('id').where('account_id', '=', account.id)
        expect(await tasks.execute()).toEqual([])
      }
    },
  )
})
