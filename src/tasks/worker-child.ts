import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { ffmpegFound } from '../engines/ffmpeg/locate.ts'
import { acquire } from '../engines/services/configured.ts'
import { identifyProcess, killProcessGroup, type ProcessIdentity } from '../platform/process-identity.ts'
import { parseJson } from '../platform/text-formats.ts'
import type { Attempt, AttemptResult, FromWorker, ToWorker } from './worker-messages.ts'
import { toMediaError } from './worker.ts'

/** How worker children are started. */
export interface ChildOptions {
  /** What starts a worker child: a module to fork, its arguments, and its environment where that is another. */
  readonly command: {
    readonly module: string
    readonly args: readonly string[]
    readonly environment?: Readonly<Record<string, string | undefined>>
  }
  /** Where the identities of the children are kept, so that a later start can end leftovers. */
  readonly folder: string
  readonly log: Logger
}

/** Who follows an attempt. */
export interface AttemptObserver {
  readonly signal: AbortSignal
  /** 0 to 100, ascending. */
  onProgress(percent: number): void
}

/** How long an aborted attempt may take to end by itself, ms. */
const abortGraceMs = 5_000

type AttemptOutcome = Extract<FromWorker, { say: 'finished' | 'failed' }>

/** One worker child, leader of its own process group. */
export class WorkerChild {
  /** It takes no more attempts. */
  readonly exited: Promise<void>
  /** Nothing of its group is left. */
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #ready: Promise<ProcessIdentity>
  /** The attempt it works on, or did last: what it prints is that one's. */
  #taskId: string | undefined

  constructor({ command, folder, log }: ChildOptions) {
    this.#process = fork(command.module, command.args, {
      detached: true,
      env: command.environment,
      // What is known of ffmpeg holds sets.
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (!stream) continue
      forEachLine(stream, (output) =>
        log.warn({ task_id: this.#taskId, worker: this.#process.pid, output }, 'worker output'),
      )
    }
    this.exited = new Promise((resolve) => {
      this.#process.once('exit', () => resolve())
      this.#process.once('error', () => resolve())
    })
    this.#ready = this.#introduce(folder)
    // Without a kept identity a later start could not end it.
    this.#ready.catch(() => this.#process.kill('SIGKILL'))
    this.ended = this.#untilEnded(folder)
  }

  async #introduce(folder: string): Promise<ProcessIdentity> {
    const { pid } = this.#process
    const said = once(this.#process, 'message')
    said.catch(() => undefined)
    const identity = pid === undefined ? null : await identifyProcess(pid)
    if (identity) {
      await writeFile(join(folder, `${identity.pid}.json`), JSON.stringify(identity), { mode: 0o600 })
      if (await Promise.race([said, this.exited])) return identity
    }
    throw new MediaError(6500, 'a worker process could not be started')
  }

  async #untilEnded(folder: string): Promise<void> {
    await this.exited
    const identity = await this.#ready.catch(() => null)
    if (!identity) return
    // What it started shares its group and must not outlive it.
    await killProcessGroup(identity)
    await rm(join(folder, `${identity.pid}.json`), { force: true })
  }

  get isConnected(): boolean {
    return this.#process.connected
  }

  /** Ends the child and everything in its group. */
  async end(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.ended
  }

  async run(attempt: Attempt, watch: AttemptObserver): Promise<AttemptResult> {
    this.#taskId = attempt.taskId
    await this.#ready
    const ffmpeg = await ffmpegFound()
    const outcome = this.#outcome(watch)
    let patience: NodeJS.Timeout | undefined
    const abort = (): void => {
      this.#say({ say: 'abort' })
      patience = setTimeout(() => this.#process.kill('SIGKILL'), abortGraceMs)
    }
    watch.signal.addEventListener('abort', abort)
    try {
      this.#say({ say: 'run', attempt, ffmpeg })
      if (watch.signal.aborted) abort()
      const message = await outcome
      if (message.say === 'finished') return message.result
      // Whatever state a failed attempt left in the process ends with it.
      await this.end()
      throw toMediaError(message.failure)
    } finally {
      watch.signal.removeEventListener('abort', abort)
      // An attempt that finished all the same leaves its child to the next one.
      clearTimeout(patience)
    }
  }

  /** What the child answers; throws when it ends without an answer. */
  async #outcome(watch: AttemptObserver): Promise<AttemptOutcome> {
    const over = new AbortController()
    const turns = AbortSignal.any([watch.signal, over.signal])
    try {
      return await Promise.race([this.#answer(watch, turns), this.#unexpectedEnd()])
    } finally {
      over.abort()
    }
  }

  /** `turns` is aborted when nobody waits for turns of services any more. */
  #answer(watch: AttemptObserver, turns: AbortSignal): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      const hear = (message: FromWorker): void => {
        if (message.say === 'progress') watch.onProgress(message.percent)
        if (message.say === 'wait') void this.#giveTurn(message, turns)
        if (message.say !== 'finished' && message.say !== 'failed') return
        this.#process.off('message', hear)
        resolve(message)
      }
      this.#process.on('message', hear)
    })
  }

  async #giveTurn(
    { need, number }: Extract<FromWorker, { say: 'wait' }>,
    signal: AbortSignal,
  ): Promise<void> {
    await acquire(need, signal).then(
      () => this.#say({ say: 'turn', number }),
      () => undefined,
    )
  }

  async #unexpectedEnd(): Promise<never> {
    await this.ended
    const how = this.#process.signalCode ?? `code ${this.#process.exitCode}`
    throw new MediaError(6500, `the worker process ended unexpectedly (${how})`)
  }

  #say(message: ToWorker): void {
    // A send that fails means the child is gone, which `ended` tells.
    this.#process.send(message, () => undefined)
  }
}

const savedIdentity = z.object({ pid: z.int(), startTime: z.string() })

/** Ends the children whose identities an earlier supervisor left in a folder. */
export async function killLeftoverWorkers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    // A file cut off by a crash names a child that had not been given work yet.
    const saved = savedIdentity.safeParse(parseJson(await readFile(path, 'utf8')))
    if (saved.success) await killProcessGroup(saved.data)
    await rm(path)
  }
}

/** A longer line is told in pieces of this, characters. */
const maxLineLength = 4096

/** Tells what a program prints, line by line; a last one without an end as well. */
function forEachLine(stream: Readable, tell: (line: string) => void): void {
  let rest = ''
  const take = (text: string): void => {
    const lines = (rest + text).split(/[\r\n]+/)
    rest = lines.pop() ?? ''
    for (; rest.length > maxLineLength; rest = rest.slice(maxLineLength))
      lines.push(rest.slice(0, maxLineLength))
    for (const line of lines) {
      for (let at = 0; at < line.length; at += maxLineLength) tell(line.slice(at, at + maxLineLength))
    }
  }
  stream.setEncoding('utf8')
  stream.on('data', take)
  stream.once('end', () => take('\n'))
}
