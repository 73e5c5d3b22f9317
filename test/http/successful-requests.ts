import { stat } from 'node:fs/promises'
import type { rawRoutes, routes } from '../../src/contract/routes.ts'
import { api } from '../service/api.ts'
import { chunkedUploadClient } from './chunked-upload-client.ts'
import { form, formType } from './raw-http.ts'

/** A successful request. */
export interface SuccessfulRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly body?: string | Buffer
  /** By default 200. */
  readonly status?: number
}

/** Ids and values for requests. */
export interface RequestSubjects {
  readonly account: { readonly baseUrl: string; readonly apiKey: string }
  /** Id of a stored clip. */
  readonly clip: string
  /** Task type, for endpoints with one path per type. */
  readonly type: string
}

async function newFile({ account }: RequestSubjects): Promise<string> {
  return (await api(account).upload('note.txt', `a note of ${performance.now()}`)).data.file_id
}

/** A tenth of a second of 8 kHz mono PCM. */
function shortWav(): Uint8Array<ArrayBuffer> {
  const samples = Buffer.alloc(1600)
  for (let index = 0; index < 800; index++) {
    samples.writeInt16LE(Math.round(8000 * Math.sin(index / 3)), 2 * index)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return new Uint8Array(Buffer.concat([head, samples]))
}

async function newTask(world: RequestSubjects): Promise<string> {
  const body = { file_id: await newFile(world), behaviour: 'wait' }
  return (await api(world.account).create(world.type || 'test_copy', body)).data.task_id
}

/** Starts an upload of one part with the content `bytes`. */
async function newUpload({ account }: RequestSubjects): Promise<string> {
  return (await chunkedUploadClient(account).init({ filename: 'parts.txt', size: 5 })).data.upload_id
}

/** A successful request for every endpoint of the contract. */
export const successfulRequests: Record<
  keyof typeof routes | keyof typeof rawRoutes,
  (world: RequestSubjects) => SuccessfulRequest | Promise<SuccessfulRequest>
> = {
  uploadFile: () => ({
    headers: { 'content-type': formType },
    body: form([{ field: 'file', filename: 'a.txt', content: 'bytes' }]),
  }),
  initUpload: () => ({ json: { filename: 'a.mp4', size: 2 ** 26, blake3_id: 'ab'.repeat(32) } }),
  uploadPart: async (world) => ({
    params: { upload_id: await newUpload(world), index: '0' },
    headers: { 'content-type': 'application/octet-stream' },
    body: 'bytes',
  }),
  importPart: async (world) => {
    const { dev, ino } = await stat(import.meta.filename, { bigint: true })
    return {
      params: { upload_id: await newUpload(world), index: '0' },
      json: { path: import.meta.filename, device: String(dev), inode: String(ino) },
    }
  },
  uploadStatus: async (world) => ({ params: { upload_id: await newUpload(world) } }),
  completeUpload: async (world) => {
    const upload_id = await newUpload(world)
    await chunkedUploadClient(world.account).put(upload_id, 0, 'bytes')
    return { params: { upload_id } }
  },
  abortUpload: async (world) => ({ params: { upload_id: await newUpload(world) } }),
  listFiles: () => ({ query: { task_id: '1234567890123456789', page: '1', page_size: '100' } }),
  fileDetails: ({ clip }) => ({ params: { file_id: clip } }),
  inspectFile: ({ clip }) => ({ params: { file_id: clip } }),
  showRegions: async (world) => {
    const list = await api(world.account).upload('regions.json', JSON.stringify({ regions: [] }))
    return { params: { file_id: world.clip }, query: { regions_file_id: list.data.file_id, at: '0,0.1' } }
  },
  extractSound: async ({ account }) => ({
    params: { file_id: (await api(account).upload('tone.wav', shortWav())).data.file_id },
  }),
  deleteFile: async (world) => ({ params: { file_id: await newFile(world) } }),
  linkFile: ({ clip }) => ({ params: { file_id: clip }, json: { expires_in: 60 } }),
  cleanFiles: () => ({ json: { keep_days: 30 } }),
  createTask: async (world) => ({
    json: { file_id: await newFile(world), behaviour: 'wait' },
    headers: { priority: 'u=1', 'idempotency-key': world.type },
  }),
  quoteTask: async (world) => ({
    json: { file_id: await newFile(world) },
    headers: { prefer: 'join-identical' },
  }),
  queryTask: async (world) => ({ params: { task_id: await newTask(world) } }),
  listTasks: () => ({ query: { status: 'queued', task_type: 'test_copy', page: '1', page_size: '100' } }),
  listSubjects: async (world) => ({ query: { ids: await newTask(world) } }),
  // Both workers are busy.
  cancelTask: async (world) => ({ params: { task_id: await newTask(world) } }),
  stopTask: async (world) => ({ params: { task_id: await newTask(world) } }),
  listQuestions: async (world) => ({ params: { task_id: await newTask(world) } }),
  answerQuestions: async (world) => ({
    params: { task_id: await newTask(world) },
    json: { answers: [{ question_id: 'ab'.repeat(16), answer: {} }] },
  }),
  // Only tasks that ask have images.
  questionImage: async (world) => ({
    params: { task_id: await newTask(world), question_id: 'ab'.repeat(16), index: '0' },
    status: 404,
  }),
  listMaterials: () => ({ query: { scope: 'image', words: 'sea', page: '1', page_size: '100' } }),
  // Only searches grant materials; the tests of material_search cover both.
  linkMaterials: () => ({ json: { ids: [1] }, status: 404 }),
  downloadMaterial: () => ({ params: { material_id: '1', part: 'original' }, status: 404 }),
  eventTicket: () => ({}),
  capabilities: () => ({}),
  enums: () => ({}),
  voices: () => ({}),
  layouts: () => ({ query: { slot_count: '16', ratio: '1:1', page: '1', page_size: '100' } }),
  listLedger: () => ({ query: { task_id: '1234567890123456789', page: '1', page_size: '100' } }),
  // The test service always has work; requests.test.ts covers an idle one.
  exitDaemon: () => ({ status: 409 }),
  downloadFile: ({ clip }) => ({ params: { file_id: clip }, headers: { range: 'bytes=1-9' }, status: 206 }),
  previewFile: ({ clip }) => ({ params: { file_id: clip }, query: { kind: 'contact_sheet' } }),
  taskEvents: () => ({
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    },
    status: 101,
  }),
  health: () => ({ query: { nonce: 'abc' } }),
  metrics: () => ({}),
  documents: () => ({}),
  openapi: () => ({}),
  pageTicket: () => ({}),
  pageLogin: async ({ account }) => {
    const { data } = await api(account).send<{ ticket: string }>('/page/ticket', { method: 'POST' })
    return { json: { ticket: data.ticket } }
  },
  page: () => ({}),
  pagePart: () => ({ params: { name: 'main.js' } }),
}
