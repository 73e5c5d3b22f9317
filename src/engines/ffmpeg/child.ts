import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../platform/clock.ts'
import { signalChild } from '../../platform/process-identity.ts'
import { treeProcessorMs } from '../process-tree.ts'
import { Watchdog } from '../watchdog.ts'

type Feed = AsyncIterable<Uint8Array>

/** A program to run without a shell, in the process group of this process. */
export interface FfmpegChildOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  /**
   * Longest time without progress, ms, by default 60 s. Progress is output, accepted input or processor time. Time in
   * which the program waits for this process does not count.
   */
  readonly stallMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Time between SIGTERM and SIGKILL, ms. */
  readonly graceMs?: number
  /**
   * Written to the program's standard input, no faster than the program reads it. The input is closed when
   * absent. When the next chunk is requested, the memory of the previous one may be reused. Pass a function
   * if producing the input takes long; its signal aborts when the program ends early.
   */
  readonly input?: Uint8Array | Feed | ((ended: AbortSignal) => Feed) | undefined
  /** Receives standard output. If it returns a promise, reading pauses until the promise settles. */
  readonly onOutput?: (chunk: Buffer) => unknown
  /** Called after `onOutput`. Returns whether the output shows progress; default: all output does. */
  readonly showsProgress?: (() => boolean) | undefined
  /** Receives standard error and returns the part to keep in the log. */
  readonly readLog?: ((chunk: Buffer) => Buffer) | undefined
}

/** How a program ended. */
export interface ChildResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** The time without progress, ms, after which the program was ended. */
  readonly stalledMs?: number
  /** The last lines of standard error, at most 16 KiB. */
  readonly log: string
}

const logBytes = 16 * 1024
const defaultGraceMs = 3000
const longestTimerMs = 2 ** 31 - 1

/** Longest time without progress, ms. A disk that has to spin up, or a busy machine, takes a few seconds. */
export const defaultStallMs = 60_000

/**
 * Runs a program and resolves only after it has ended. Rejects with the signal's reason after an abort, with
 * the system error if the program cannot start, and with the input's own error if the input fails. Every
 * other end, including a non-zero exit code, is a result.
 */
export async function runChild(job: FfmpegChildOptions): Promise<ChildResult> {
  job.signal?.throwIfAborted()
  const child = spawn(job.file, job.args, {
    cwd: job.cwd,
    stdio: [job.input === undefined ? 'ignore' : 'pipe', job.onOutput ? 'pipe' : 'ignore', 'pipe'],
    windowsHide: true,
  })
  preferAsMemoryVictim(child.pid)

  let kill: NodeJS.Timeout | undefined
  const end = () => {
    // A program that waits for input does not react to SIGTERM.
    child.stdin?.destroy()
    signalChild(child, 'SIGTERM')
    kill ??= setTimeout(() => signalChild(child, 'SIGKILL'), job.graceMs ?? defaultGraceMs)
  }
  let timedOut = false
  let isStalled = false
  const { stallMs = defaultStallMs, clock } = job
  using watchdog = new Watchdog({
    ...{ stallMs, clock },
    processorMs: () => treeProcessorMs(child.pid),
    onStall() {
      isStalled = true
      end()
    },
  })
  const timer = setTimeout(
    () => {
      timedOut = true
      end()
    },
    Math.min(job.timeoutMs, longestTimerMs),
  )
  job.signal?.addEventListener('abort', end, { once: true })

  const log = logTail(logBytes)
  const { readLog = (chunk: Buffer) => chunk } = job
  child.stderr?.on('data', (chunk: Buffer) => log.add(readLog(chunk)))
  if (child.stdout && job.onOutput) pipeOutput(child.stdout, job, watchdog)
  // A program that ends before it reads all input causes EPIPE here. Its exit code is more informative.
  child.stdin?.on('error', () => {})
  const feeding = startInput(child, { source: job.input, end, watchdog })

  try {
    const ended = await childEnd(child)
    // The generator of the input ends together with the program.
    await feeding.done
    job.signal?.throwIfAborted()
    if (feeding.broken) throw feeding.broken.error
    return { ...ended, timedOut, ...(isStalled ? { stalledMs: stallMs } : {}), log: log.text() }
  } finally {
    await feeding.done
    clearTimeout(timer)
    clearTimeout(kill)
    job.signal?.removeEventListener('abort', end)
  }
}

/** Resolves when a program and its streams have ended. Rejects if it cannot start. */
function childEnd(child: ChildProcess): Promise<Pick<ChildResult, 'code' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
    child.on('error', (error) => {
      // Also emitted when a signal cannot be sent. The process then exists, and its end is still awaited.
      if (child.pid === undefined) reject(error)
    })
  })
}

interface InputFeed {
  done: Promise<void>
  /** The error that the input failed with. */
  broken?: { readonly error: unknown }
}

interface StartInputOptions {
  readonly source: FfmpegChildOptions['input']
  /** Ends the program. */
  readonly end: () => void
  readonly watchdog: Watchdog
}

/** Writes the input until the program ends. Ends the program if the input fails. */
function startInput(child: ChildProcess, { source, end, watchdog }: StartInputOptions): InputFeed {
  const over = new AbortController()
  child.once('close', () => over.abort())
  const feeding: InputFeed = { done: Promise.resolve() }
  const input = typeof source === 'function' ? source(over.signal) : source
  feeding.done = writeInput(child.stdin, input, watchdog).catch((error: unknown) => {
    if (over.signal.aborted) return
    feeding.broken = { error }
    end()
  })
  return feeding
}

/** Writes the input. Requests no further chunk after the program closes its standard input. */
async function writeInput(
  stdin: Writable | null,
  input: Uint8Array | Feed | undefined,
  watchdog: Watchdog,
): Promise<void> {
  if (!stdin || input === undefined) return
  if (input instanceof Uint8Array) {
    stdin.end(input)
    return
  }
  let waiting = watchdog.wait()
  try {
    for await (const chunk of input) {
      waiting[Symbol.dispose]()
      if (stdin.destroyed) return
      await new Promise((resolve) => stdin.write(chunk, resolve))
      waiting = watchdog.wait()
    }
    stdin.end()
  } finally {
    waiting[Symbol.dispose]()
  }
}

function pipeOutput(
  stdout: Readable,
  { onOutput = () => {}, showsProgress = () => true }: Pick<FfmpegChildOptions, 'onOutput' | 'showsProgress'>,
  watchdog: Watchdog,
): void {
  stdout.on('data', (chunk: Buffer) => {
    const handled = onOutput(chunk)
    if (showsProgress()) watchdog.progress()
    if (!(handled instanceof Promise)) return
    const waiting = watchdog.wait()
    stdout.pause()
    // The callback reports its own error elsewhere. Reading resumes so that the program can end.
    void handled
      .catch(() => {})
      .finally(() => {
        waiting[Symbol.dispose]()
        stdout.resume()
      })
  })
}

/** On Linux, makes the kernel prefer this child over the service when memory runs out. */
export function preferAsMemoryVictim(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  // The process may have ended, or the system may forbid the change. The limits in the arguments still apply.
  writeFile(`/proc/${pid}/oom_score_adj`, '500').catch(() => {})
}

/** Keeps the last `limit` bytes of a stream, starting at a full line. */
export function logTail(limit: number): { add: (chunk: Buffer) => void; text: () => string } {
  let kept = Buffer.alloc(0)
  let cut = false
  return {
    add: (chunk) => {
      const all = Buffer.concat([kept, chunk])
      cut ||= all.length > limit
      kept = all.subarray(-limit)
    },
    text: () => {
      const text = kept.toString('utf8').trimEnd()
      return cut ? text.slice(text.indexOf('\n') + 1) : text
    },
  }
}
