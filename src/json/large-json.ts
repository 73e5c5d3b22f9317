import { setImmediate as nextTurn } from 'node:timers/promises'
import { measureJson, parseJsonBytes } from '../contract/bounded-json.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { runInThread } from '../threads/run-in-thread.ts'
import { type TransferStep, ValueBuilder } from './transfer.ts'

/** Largest text that is parsed at once, bytes. */
const maxBytesAtOnce = 2 ** 20

/** Most values and keys of a text that is parsed at once: a few milliseconds, however short they are. */
const maxElementsAtOnce = 2 ** 16

/** What the thread is to parse. */
export interface ParseJob {
  readonly bytes: Uint8Array
  readonly name: string
  readonly maxElements: number
}

/** Where foreign JSON comes from and how much of it is accepted. */
interface ForeignJson {
  /** Names the text in errors: `the body`. */
  readonly name: string
  readonly maxElements: number
  /** Account, or key, of the sender: texts of all are parsed in turn. */
  readonly sender: number | string
  /** Aborts when the sender no longer waits. */
  readonly signal?: AbortSignal | undefined
}

/** One large text at a time: each takes a processor and several times its size in memory. */
const oneAtATime = limitPerAccount({ limit: 1, name: 'large JSON texts' })

/**
 * Parses foreign JSON in UTF-8 as `parseJsonBytes` does, and throws the same errors. Text above 1 MiB or 65,536 values and
 * keys is parsed in a thread, which takes over the memory of `bytes`, and returned in steps, so that this thread is never
 * blocked for long. Throws 6032 if too many of a sender wait.
 */
export async function parseForeignJson(
  bytes: Buffer,
  { name, maxElements, sender, signal }: ForeignJson,
): Promise<unknown> {
  if (bytes.length <= maxBytesAtOnce && measureJson(bytes).elements <= maxElementsAtOnce)
    return parseJsonBytes(bytes, name, { maxElements })
  const job: ParseJob = { bytes, name, maxElements }
  return await oneAtATime(sender, () => parseInThread(job, signal), signal)
}

async function parseInThread(job: ParseJob, signal: AbortSignal | undefined): Promise<unknown> {
  const value = new ValueBuilder()
  const module = new URL('./parse-thread', import.meta.url)
  await runInThread({ module, job, moved: [job.bytes], signal }, async (step: TransferStep) => {
    value.apply(step)
    await nextTurn()
    return null
  })
  return value.value
}
