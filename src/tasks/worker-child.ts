import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import type { LibraryAccess } from '../contract/operation.ts'
import type { AskTaskQuestions } from '../contract/questions.ts'
import { currentFfmpeg } from '../engines/ffmpeg/locate.ts'
import { acquire } from '../engines/services/configured.ts'
import {
  identifyProcess,
  killProcessGroup,
  type ProcessIdentity,
  signalChild,
} from '../platform/process-identity.ts'
import { parseJson } from '../contract/bounded-json.ts'
import type { Attempt, AttemptResult, FromWorker, ToWorker } from './worker-messages.ts'
import { fromAttemptFailure, toAttemptFailure } from './worker.ts'
import { WorkerStart } from './worker-start.ts'

/** Options for starting worker children. */
export interface WorkerChildOptions {
  /** Module to fork, its arguments, and its environment (default: this process's). */
  readonly command: {
    readonly module: string
    readonly args: readonly string[]
    readonly environment?: Readonly<Record<string, string | undefined>>
  }
  /** Folder of the children's process identities, by which a later start kills leftovers. */
  readonly folder: string
  readonly log: Logger
}

/** Receives the progress of an attempt and can abort it. */
export interface AttemptObserver {
  readonly signal: AbortSignal
  /** 0 to 100, ascending. */
  onProgress(percent: number): void
  /** What the work waits for; null once it continues. */
  onNote?(note: string | null): void
  /** Stores questions to the agent that created the task, and returns their states. */
  ask?: AskTaskQuestions
  /** Searches the library. */
  readonly find?: LibraryAccess['find']
}

/** Time that an aborted attempt has to end before it is killed, ms. */
const abortGraceMs = 5_000

type AttemptOutcome = Extract<FromWorker, { type: 'finished' | 'failed' | 'suspended' }>

/** One worker child, leader of its own process group. */
export class WorkerChild {
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>
  /** Resolves when no process of its group is left. */
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #ready: Promise<ProcessIdentity>
  /** Task of the present or last attempt, to which its output belongs. */
  #taskId: string | undefined

  constructor({ command, folder, log }: WorkerChildOptions) {
    this.#process = fork(command.module, command.args, {
      detached: true,
      env: command.environment,
      // The findings about ffmpeg contain sets.
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const start = new WorkerStart(this.#process)
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (!stream) continue
      forEachLine(stream, (output) => {
        start.addOutput(output)
        log.warn({ task_id: this.#taskId, worker: this.#process.pid, output }, 'worker output')
      })
    }
    this.exited = new Promise((resolve) => {
      this.#process.once('exit', () => resolve())
      this.#process.once('error', () => resolve())
    })
    this.#ready = this.#register(folder, start)
    // Without a stored identity a later start could not kill it.
    this.#ready.catch(() => signalChild(this.#process, 'SIGKILL'))
    this.ended = this.#cleanUp(folder)
  }

  async #register(folder: string, start: WorkerStart): Promise<ProcessIdentity> {
    const { pid } = this.#process
    const firstMessage = once(this.#process, 'message')
    firstMessage.catch(() => undefined)
    const identity = pid === undefined ? null : await identifyProcess(pid)
    if (identity) {
      await writeFile(join(folder, `${identity.pid}.json`), JSON.stringify(identity), { mode: 0o600 })
      if (await Promise.race([firstMessage, this.exited])) return identity
    }
    signalChild(this.#process, 'SIGKILL')
    throw await start.failure({ isUnidentified: identity === null })
  }

  async #cleanUp(folder: string): Promise<void> {
    await this.exited
    const identity = await this.#ready.catch(() => null)
    if (!identity) return
    // Programs that it started share its group and must not outlive it.
    await killProcessGroup(identity)
    await rm(join(folder, `${identity.pid}.json`), { force: true })
  }

  get isConnected(): boolean {
    return this.#process.connected
  }

  /** Kills the child and everything in its group. */
  async end(): Promise<void> {
    signalChild(this.#process, 'SIGKILL')
    await this.ended
  }

  /** Returns null if the attempt waits for answers of its agent. */
  async run(attempt: Attempt, watch: AttemptObserver): Promise<AttemptResult | null> {
    this.#taskId = attempt.taskId
    await this.#ready
    const ffmpeg = await currentFfmpeg()
    const outcome = this.#outcome(watch)
    let killTimer: NodeJS.Timeout | undefined
    const abort = (): void => {
      this.#send({ type: 'abort' })
      killTimer = setTimeout(() => signalChild(this.#process, 'SIGKILL'), abortGraceMs)
    }
    watch.signal.addEventListener('abort', abort)
    try {
      this.#send({ type: 'run', attempt, ffmpeg })
      if (watch.signal.aborted) abort()
      const message = await outcome.catch(async (error: unknown) => {
        // It still runs if its questions could not be stored.
        await this.end()
        throw error
      })
      if (message.type === 'finished') return message.result
      if (message.type === 'suspended') return null
      // A failed attempt may leave the process in any state.
      await this.end()
      throw fromAttemptFailure(message.failure)
    } finally {
      watch.signal.removeEventListener('abort', abort)
      // An aborted attempt may still have finished; then its child serves the next one.
      clearTimeout(killTimer)
    }
  }

  /** Resolves with the outcome that the child reports. Throws when the child ends without one. */
  async #outcome(watch: AttemptObserver): Promise<AttemptOutcome> {
    const over = new AbortController()
    const permits = AbortSignal.any([watch.signal, over.signal])
    try {
      return await Promise.race([this.#nextOutcome(watch, permits), this.#unexpectedEnd()])
    } finally {
      over.abort()
    }
  }

  /** `permits` is aborted when the attempt no longer waits for permits. */
  #nextOutcome(watch: AttemptObserver, permits: AbortSignal): Promise<AttemptOutcome> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromWorker): void => {
        if (message.type === 'progress') watch.onProgress(message.percent)
        if (message.type === 'note') watch.onNote?.(message.note)
        if (message.type === 'acquire') void this.#grantPermit(message, permits)
        if (message.type === 'find') void this.#find(message, watch)
        if (message.type === 'ask') this.#answer(message, watch).catch(reject)
        if (!isOutcome(message)) return
        this.#process.off('message', onMessage)
        resolve(message)
      }
      this.#process.on('message', onMessage)
    })
  }

  async #answer(
    { number, questions }: Extract<FromWorker, { type: 'ask' }>,
    { ask }: AttemptObserver,
  ): Promise<void> {
    if (!ask) throw new Error('an attempt asks its agent, but a configured model answers')
    this.#send({ type: 'answers', number, states: await ask(questions) })
  }

  async #find(
    { number, query }: Extract<FromWorker, { type: 'find' }>,
    { find }: AttemptObserver,
  ): Promise<void> {
    const search = find ?? (() => Promise.reject(new Error('this attempt cannot search the library')))
    const result = await search(query).catch(toAttemptFailure)
    this.#send({ type: 'found', number, result })
  }

  async #grantPermit(
    { service, number }: Extract<FromWorker, { type: 'acquire' }>,
    signal: AbortSignal,
  ): Promise<void> {
    await acquire(service, signal).then(
      () => this.#send({ type: 'permit', number }),
      () => undefined,
    )
  }

  async #unexpectedEnd(): Promise<never> {
    await this.ended
    const how = this.#process.signalCode ?? `code ${this.#process.exitCode}`
    throw new MediaError(6500, `the worker process ended unexpectedly (${how})`)
  }

  #send(message: ToWorker): void {
    // A failed send means that the child has exited, which `ended` reports.
    this.#process.send(message, () => undefined)
  }
}

function isOutcome(message: FromWorker): message is AttemptOutcome {
  return ['finished', 'failed', 'suspended'].includes(message.type)
}

const savedIdentity = z.object({ pid: z.int(), startTime: z.string() })

/** Kills the children whose identities an earlier supervisor left in a folder. */
export async function killLeftoverWorkers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    // A file truncated by a crash belongs to a child that had not received work yet.
    const saved = savedIdentity.safeParse(parseJson(await readFile(path, 'utf8')))
    if (saved.success) await killProcessGroup(saved.data)
    await rm(path)
  }
}

/** Longer lines are split, characters. */
const maxLineLength = 4096

/** Calls `onLine` for each line of a stream, including a last one without a line break. */
function forEachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  const take = (text: string): void => {
    const lines = (rest + text).split(/[\r\n]+/)
    rest = lines.pop() ?? ''
    for (; rest.length > maxLineLength; rest = rest.slice(maxLineLength))
      lines.push(rest.slice(0, maxLineLength))
    for (const line of lines) {
      for (let at = 0; at < line.length; at += maxLineLength) onLine(line.slice(at, at + maxLineLength))
    }
  }
  stream.setEncoding('utf8')
  stream.on('data', take)
  stream.once('end', () => take('\n'))
}
