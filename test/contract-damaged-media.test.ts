import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountBalance } from '../src/accounts/ledger.ts'
import { findFileRefs } from '../src/contract/file.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { operations } from '../tools/index.ts'
import { writeFakeWhisper } from './audio-language-detect/fake-whisper.ts'
import { changed } from './contract/laws.ts'
import { operationTables } from './contract/operations.ts'
import type { DamagedMedia, OperationTables } from './contract/tables.ts'
import { h264, generateMedia, picture, scratchFolder } from './engines/ffmpeg/generate-media.ts'
import { writeFloatWav } from './engines/float-wav.ts'
import { manifestWithSmallSeparator } from './packs/small-separator.ts'
import { api } from './service/api.ts'
import { startTestService, type TestAccount, type TestService } from './service/in-process.ts'

// Every operation gets damaged files of the kind that it takes, and answers with a code that its table lists.

type Damage = Exclude<keyof DamagedMedia, 'file'>

const folder = await scratchFolder()
let service: TestService
let account: TestAccount
const credits = 50
let contents: Readonly<Record<DamagedMedia['file'], Readonly<Record<Damage, Uint8Array<ArrayBuffer>>>>>

/** Bytes without any structure, the same on every run. */
const randomBytes = Uint8Array.from(
  { length: 5000 },
  (_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 13) & 255,
)

/** The first part of some bytes, to an offset after the first place where a marker starts. */
function cut(bytes: Buffer, marker: Buffer | string, after = 0): Uint8Array<ArrayBuffer> {
  const at = bytes.indexOf(marker)
  if (at < 0) throw new Error(`the sample has no ${String(marker)}`)
  return new Uint8Array(bytes.subarray(0, at + after))
}

/** Chunk IEND of a PNG. */
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex')
const text = (content: string) => new Uint8Array(Buffer.from(content))

beforeAll(async () => {
  const whisper = await writeFakeWhisper(folder)
  configurePacks({
    folder: join(folder, 'packs'),
    ...{ automatic: true, own: { whisper }, manifest: manifestWithSmallSeparator },
  })
  const generated = async (name: string, args: readonly string[]) =>
    await readFile(await generateMedia(join(folder, name), args))
  const video = await generated('faststart.mp4', [...picture(4), ...h264, '-movflags', '+faststart'])
  const image = await generated('still.png', [...picture(1), '-frames:v', '1'])
  const samples = Float32Array.from({ length: 8 * 8000 }, (_, at) => Math.sin(at / 3) / 8)
  const sound = await readFile(await writeFloatWav(join(folder, 'tone.wav'), samples, 8000))
  const [data, dataBytes] = ['data', sound.length - sound.indexOf('data')]
  contents = {
    'damaged.mp4': {
      randomBytes,
      truncated: cut(video, 'mdat', 600),
      // A complete header of a file that ends where its pictures would begin.
      withoutFrames: cut(video, 'mdat', 4),
    },
    'damaged.png': {
      randomBytes,
      truncated: cut(image, 'IDAT', 20),
      withoutFrames: new Uint8Array(Buffer.concat([cut(image, 'IDAT', -4), pngEnd])),
    },
    'damaged.wav': {
      randomBytes,
      truncated: cut(sound, data, dataBytes / 2),
      withoutFrames: cut(sound, data, 8),
    },
    'damaged.srt': {
      randomBytes,
      truncated: text('1\n00:00:01,000 --> 00:00:02,000\nGood evening\n\n2\n00:00:03,0'),
      withoutFrames: text('\n\n'),
    },
    'damaged.html': {
      randomBytes,
      truncated: text('<template data-composition-id="a"><p'),
      withoutFrames: text(' '),
    },
  }
  // These services get no requests, because no task is created.
  const services = {
    language_model: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    transcription: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    voice_service: { address: 'gpt-sovits+http://127.0.0.1:9' },
    embedding: { address: 'jina+http://127.0.0.1:9/v1', model: 'none' },
  }
  service = await startTestService({ operations, services })
  account = await service.account(credits)
})
afterAll(() => service[Symbol.asyncDispose]())

/** Ids of uploaded files by name and damage: all operations share them. */
const uploaded = new Map<string, Promise<string>>()

function idOf(file: DamagedMedia['file'], damage: Damage): Promise<string> {
  const key = `${file} ${damage}`
  const id =
    uploaded.get(key) ??
    api(account)
      .upload(file, contents[file][damage])
      .then(({ data }) => data.file_id)
  uploaded.set(key, id)
  return id
}

/** Tables of an operation that reads media. */
type DamageTables = OperationTables & Required<Pick<OperationTables, 'damaged'>>

const readsMedia = (table: OperationTables): table is DamageTables => table.damaged !== undefined

/** The smallest request of an operation with a damaged file in place of each file. */
async function requestWith({ operation, smallest, withoutModel, damaged }: DamageTables, damage: Damage) {
  const schema = operations.find((module) => module.operation.name === operation)?.operation.input
  if (!schema) throw new Error(`${operation} is not built`)
  const fileId = await idOf(damaged.file, damage)
  let request: Readonly<Record<string, unknown>> = { ...smallest, ...withoutModel }
  for (const { path, value } of findFileRefs(schema, request)) {
    if (value === '1') request = changed(request, path.join('.'), fileId)
  }
  return request
}

/** A creation with random bytes is rejected as its row in the table states, creates no task and costs nothing. */
async function expectRejectedCreation(
  { operation, refusals, damaged }: DamageTables,
  request: Readonly<Record<string, unknown>>,
): Promise<void> {
  const row = refusals.find(({ code }) => code === damaged.randomBytes)
  const { status, code, data, msg } = await api(account).create(operation, request)
  expect([status, code, data]).toEqual([row?.status, row?.code, null])
  expect(msg).not.toBe('')
  const { db } = service.running.service
  expect(await db.selectFrom('tasks').select('id').execute()).toEqual([])
  expect(await accountBalance(db, account.id)).toBe(credits)
}

/** A file without a decodable frame has this code where the table has no code of its own (docs/contract.md). */
const noFrame = 6021

const tables = operationTables.filter(readsMedia)

const damages: readonly Damage[] = ['randomBytes', 'truncated', 'withoutFrames']

describe.each(tables)('$operation', (table) => {
  it.each(damages)('a file with %s', async (damage) => {
    const expected = table.damaged[damage]
    const listed = [...table.refusals, ...(table.limits ?? [])].map(({ code }) => code)
    if (expected !== 'accepted') expect([...listed, noFrame]).toContain(expected)
    const request = await requestWith(table, damage)
    const response = await api(account).send(`/task/${table.operation}/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    const isAccepted = response.status === 200
    expect([response.msg, isAccepted ? 'accepted' : response.code]).toEqual([response.msg, expected])
    // Other damaged files are only quoted, so that no task runs.
    if (damage === 'randomBytes' && expected !== 'accepted') await expectRejectedCreation(table, request)
  })

  it('random bytes never get a code that the table does not list', () => {
    const { randomBytes: code } = table.damaged
    expect(['accepted', ...table.refusals.map((row) => row.code)]).toContain(code)
  })
})
