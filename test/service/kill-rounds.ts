import { join } from 'node:path'
import { readdir, readFile } from 'node:fs/promises'
import type { FileRecord } from '../../src/contract/file.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { chunkedUploadClient } from '../http/chunked-upload-client.ts'
import { api, pollUntil, type Api } from './api.ts'
import { checkInvariants } from './invariants.ts'
import { startServiceProcess, type ServiceProcess } from './process.ts'

/** Acknowledged requests of all rounds. */
interface Acknowledged {
  /** Content by file id. */
  readonly files: Map<string, string>
  readonly tasks: Set<string>
  readonly cancelled: Set<string>
}

interface KillRoundsResult {
  readonly rounds: number
  /** Least number of tasks, for any interleaving of the clients' requests. */
  readonly leastTasks: number
  readonly files: number
  readonly tasks: number
  readonly cancelled: number
}

export interface KillRoundsOptions {
  readonly dataDir: string
  readonly rounds: number
  /** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), for repeatable runs. */
  readonly random: () => number
  /** Stops the service during its work; by default kill -9. */
  readonly stopService?: (service: ServiceProcess) => Promise<void>
  /** Whether acknowledgements during the stop may be lost. */
  readonly mayLoseAcknowledged?: boolean
}

/** Concurrent clients in each round. */
const clients = 4

/**
 * Runs rounds of load. Each round ends after a random number of acknowledgements, and some workers are killed
 * meanwhile; then the service restarts. Throws unless all acknowledged data exists exactly once at the end.
 */
export async function killRounds({
  dataDir,
  rounds,
  random,
  stopService: end = (service) => service.kill('SIGKILL'),
  mayLoseAcknowledged: blurred = false,
}: KillRoundsOptions): Promise<KillRoundsResult> {
  const known: Acknowledged = { files: new Map(), tasks: new Set(), cancelled: new Set() }
  // Drawn before the load, whose clients draw in varying order, so that each run has the same size.
  const lengths = Array.from({ length: rounds }, () => 5 + Math.floor(random() * 40))
  for (const [round, left] of lengths.entries()) {
    const service = await startServiceProcess(dataDir)
    const ended = Promise.withResolvers<void>()
    const load: Load = {
      ...{ random, service, dataDir, mayLoseAcknowledged: blurred },
      known,
      remaining: left,
      end: () => void end(service).then(ended.resolve, ended.reject),
    }
    await Promise.all(
      Array.from({ length: clients }, (_, client) => useUntilKilled(load, `${round}.${client}`)),
    )
    await ended.promise
    await checkState(dataDir, known)
  }
  const service = await startServiceProcess(dataDir)
  try {
    await verify(api(service), known)
  } finally {
    await service.kill('SIGTERM')
  }
  await checkState(dataDir, known)
  // A turn has at most four acknowledgements, of which two may precede its task.
  const leastTasks = lengths.reduce(
    (sum, length) => sum + Math.max(0, Math.ceil(length / 4 - clients / 2)),
    0,
  )
  const { files, tasks, cancelled } = known
  return { rounds, leastTasks, files: files.size, tasks: tasks.size, cancelled: cancelled.size }
}

interface Load {
  readonly known: Acknowledged
  readonly random: () => number
  readonly service: ServiceProcess
  readonly dataDir: string
  readonly end: () => void
  readonly mayLoseAcknowledged: boolean
  /** Acknowledgements before the stop. */
  remaining: number
}

async function useUntilKilled(load: Load, client: string): Promise<void> {
  const calls = api(load.service)
  try {
    for (let turn = 0; load.remaining > 0; turn++) await useOnce(load, calls, `${client}.${turn}`)
  } catch (error) {
    // Calls fail after the kill; any earlier failure is an error.
    if (load.remaining > 0) throw error
  }
}

async function useOnce(load: Load, calls: Api, name: string): Promise<void> {
  const { known, random } = load
  const content = `content ${name}`
  const newFile = { name: `${name}.txt`, content }
  const file = random() < 0.5 ? await upload(calls, newFile) : await uploadInParts(load, newFile)
  await acknowledge(load, () => known.files.set(file.file_id, content))
  const created = await calls.create('test_copy', { file_id: file.file_id })
  await acknowledge(load, () => known.tasks.add(created.data.task_id))
  if (random() < 0.3) {
    const response = await calls.cancel(created.data.task_id)
    await acknowledge(load, () => response.code === 200 && known.cancelled.add(created.data.task_id))
  }
}

interface TestFile {
  readonly name: string
  readonly content: string
}

async function upload(calls: Api, { name, content }: TestFile): Promise<FileRecord> {
  return (await calls.upload(name, content)).data
}

async function uploadInParts(load: Load, { name, content }: TestFile): Promise<FileRecord> {
  const calls = chunkedUploadClient(load.service)
  const { data: session } = await calls.init({ filename: name, size: content.length })
  await calls.put(session.upload_id, 0, content)
  await acknowledge(load)
  return (await calls.complete(session.upload_id)).data
}

async function acknowledge(load: Load, remember: () => unknown = () => undefined): Promise<void> {
  if (load.remaining > 0 || !load.mayLoseAcknowledged) remember()
  load.remaining -= 1
  if (load.remaining === 0) load.end()
  else if (load.random() < 0.05) await killWorker(load.dataDir)
}

async function killWorker(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'run')
  const [name] = await readdir(folder)
  const pid = Number(name?.replace('.json', ''))
  if (!name || !(await readFile(join(folder, name), 'utf8').catch(() => ''))) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

async function verify(calls: Api, known: Acknowledged): Promise<void> {
  for (const [fileId, content] of known.files) {
    const bytes = await calls.download(fileId)
    if (Buffer.from(bytes).toString() !== content) throw new Error(`file ${fileId} was changed`)
  }
  for (const taskId of known.tasks) {
    const { data } = await pollUntil(
      () => calls.query('test_copy', taskId),
      (response) => response.code !== 200 || !['queued', 'processing'].includes(response.data.status),
      { backOff: true },
    )
    const expected = known.cancelled.has(taskId) ? ['cancelled'] : ['completed', 'failed', 'cancelled']
    if (!expected.includes(data?.status)) throw new Error(`task ${taskId} is ${JSON.stringify(data)}`)
  }
}

async function checkState(dataDir: string, known: Acknowledged): Promise<void> {
  const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
  try {
    for (const [table, ids] of [
      ['files', known.files.keys()],
      ['tasks', known.tasks.keys()],
    ] as const) {
      const rows = await db.selectFrom(table).select('id').execute()
      const stored = new Set(rows.map(({ id }) => id))
      const missing = [...ids].filter((id) => !stored.has(id))
      if (missing.length > 0) throw new Error(`acknowledged ${table} were lost: ${missing.join(', ')}`)
    }
    await checkInvariants(db, await openDiskStore(join(dataDir, 'files')))
  } finally {
    await db.destroy()
  }
}

/** Creates a generator of pseudo-random numbers from 0 to 1, repeatable by seed (xorshift, 32 bits). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
