import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { writeDurably } from '../platform/durable.ts'
import { parseJson } from '../platform/text-formats.ts'
import type { ProcessIdentity } from '../platform/process-identity.ts'
import { dataFiles } from './data-files.ts'

const daemonRecord = z.object({
  pid: z.int().positive(),
  start_time: z.string(),
  /** 0 while it starts and does not answer yet. */
  port: z.int().min(0).max(65_535),
  key: z.string().min(1),
  version: z.string(),
  /** Differs with every start. */
  instance: z.string().min(1),
})

/** `daemon.json` in the data folder: the daemon that runs there, or the last one that died. */
export type DaemonRecord = z.infer<typeof daemonRecord>

/** Reads who the daemon is or was; null when nobody of this user has said so in a readable form. */
export async function readDaemonRecord(dataDir: string): Promise<DaemonRecord | null> {
  const text = await readOwnFile(recordPath(dataDir)).catch(() => null)
  return text === null ? null : (daemonRecord.safeParse(parseJson(text)).data ?? null)
}

/** Says durably, for this user's eyes alone, who the daemon is; only the holder of the data folder may. */
export async function writeDaemonRecord(dataDir: string, record: DaemonRecord): Promise<void> {
  await writeDurably(recordPath(dataDir), `${JSON.stringify(record)}\n`, 0o600)
}

/** Takes the announcement back, unless it has become another daemon's. */
export async function removeDaemonRecord(dataDir: string, instance: string): Promise<void> {
  const record = await readDaemonRecord(dataDir)
  if (record?.instance === instance) await rm(recordPath(dataDir), { force: true })
}

/** The process a record speaks of. */
export function recordedProcess(record: DaemonRecord): ProcessIdentity {
  return { pid: record.pid, startTime: record.start_time }
}

function recordPath(dataDir: string): string {
  return join(dataDir, dataFiles.record)
}

/** A file of another user could lead this one's media to a service of theirs: it is not read. */
async function readOwnFile(path: string): Promise<string | null> {
  await using file = await open(path, 'r')
  const { uid, size } = await file.stat()
  if (process.getuid && uid !== process.getuid()) return null
  return size > 64 * 1024 ? null : await file.readFile('utf8')
}
