import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { writeDurably } from '../platform/durable.ts'
import { parseJson } from '../contract/bounded-json.ts'
import type { ProcessIdentity } from '../platform/process-identity.ts'
import { dataFiles } from './data-files.ts'

const daemonRecord = z.object({
  pid: z.int().positive(),
  start_time: z.string(),
  /** 0 while it starts and does not respond yet. */
  port: z.int().min(0).max(65_535),
  key: z.string().min(1),
  version: z.string(),
  /** Id of this run. */
  instance: z.string().min(1),
})

/** `daemon.json` in the data folder: the running daemon, or the last one that crashed. */
export type DaemonRecord = z.infer<typeof daemonRecord>

/** Reads the record of the daemon; null if there is none, it is invalid, or another user wrote it. */
export async function readDaemonRecord(dataDir: string): Promise<DaemonRecord | null> {
  const text = await readOwnFile(recordPath(dataDir)).catch(() => null)
  return text === null ? null : (daemonRecord.safeParse(parseJson(text)).data ?? null)
}

/** Writes the record durably, readable by this user alone; only for the process that has locked the data folder. */
export async function writeDaemonRecord(dataDir: string, record: DaemonRecord): Promise<void> {
  await writeDurably(recordPath(dataDir), `${JSON.stringify(record)}\n`, 0o600)
}

/** Removes the record, unless it is that of another daemon. */
export async function removeDaemonRecord(dataDir: string, instance: string): Promise<void> {
  const record = await readDaemonRecord(dataDir)
  if (record?.instance === instance) await rm(recordPath(dataDir), { force: true })
}

/** The process of a record. */
export function recordedProcess(record: DaemonRecord): ProcessIdentity {
  return { pid: record.pid, startTime: record.start_time }
}

function recordPath(dataDir: string): string {
  return join(dataDir, dataFiles.record)
}

/** Reads a file of this user; a file of another user could direct media to that user's service. */
async function readOwnFile(path: string): Promise<string | null> {
  await using file = await open(path, 'r')
  const { uid, size } = await file.stat()
  if (process.getuid && uid !== process.getuid()) return null
  return size > 64 * 1024 ? null : await file.readFile('utf8')
}
