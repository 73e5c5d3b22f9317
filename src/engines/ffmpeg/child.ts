import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'

type Feed = AsyncIterable<Uint8Array>

/** A program to run, without a shell, in the process group of this process. */
export interface ChildOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  /** Time between the polite request to end and the kill. */
  readonly graceMs?: number
  /**
   * Written to its standard input, no faster than it is read; the input is closed when absent. Once a chunk is asked
   * for, the memory of the one before may be used again. What takes long to make is made by a function: the program may
   * end before.
   */
  readonly input?: Uint8Array | Feed | ((ended: AbortSignal) => Feed) | undefined
  /** Given what it writes; no more is read until the promise, where one is answered, has settled. */
  readonly onOutput?: (chunk: Buffer) => unknown
  /** Given what it writes to standard error; what it answers is the log. */
  readonly readLog?: ((chunk: Buffer) => Buffer) | undefined
}

/** How a program ended. */
export interface ChildResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** The last lines it wrote to standard error, at most 16 KiB. */
  readonly log: string
}

const logBytes = 16 * 1024
const defaultGraceMs = 3000
const longestTimerMs = 2 ** 31 - 1

/**
 * Runs a program until it has ended, whatever happens. An abort rejects with the signal's reason,
 * a program that cannot start with the system's error, an input that breaks off with its own;
 * every other end is an answer.
 */
export async function runChild(job: ChildOptions): Promise<ChildResult> {
  job.signal?.throwIfAborted()
  const child = spawn(job.file, job.args, {
    cwd: job.cwd,
    stdio: [job.input === undefined ? 'ignore' : 'pipe', job.onOutput ? 'pipe' : 'ignore', 'pipe'],
    windowsHide: true,
  })
  preferAsMemoryVictim(child.pid)

  let kill: NodeJS.Timeout | undefined
  const end = () => {
    // One that waits for input hears no signal.
    child.stdin?.destroy()
    child.kill('SIGTERM')
    kill ??= setTimeout(() => child.kill('SIGKILL'), job.graceMs ?? defaultGraceMs)
  }
  let timedOut = false
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
  if (child.stdout && job.onOutput) pipeOutput(child.stdout, job.onOutput)
  // A program that ends before it has read everything answers EPIPE here; its exit code tells more.
  child.stdin?.on('error', () => {})
  const feeding = startInput(child, job.input, end)

  try {
    const ended = await new Promise<Pick<ChildResult, 'code' | 'signal'>>((resolve, reject) => {
      child.on('close', (code, signal) => resolve({ code, signal }))
      child.on('error', (error) => {
        // Also emitted when a signal cannot be sent; then the process exists and its end is still awaited.
        if (child.pid === undefined) reject(error)
      })
    })
    // What makes the input ends with the program.
    await feeding.done
    job.signal?.throwIfAborted()
    if (feeding.broken) throw feeding.broken.error
    return { ...ended, timedOut, log: log.text() }
  } finally {
    await feeding.done
    clearTimeout(timer)
    clearTimeout(kill)
    job.signal?.removeEventListener('abort', end)
  }
}

interface InputFeed {
  done: Promise<void>
  /** What the input broke off with. */
  broken?: { readonly error: unknown }
}

/** Hands on an input until the program has ended; ends it where the input breaks off. */
function startInput(child: ChildProcess, given: ChildOptions['input'], end: () => void): InputFeed {
  const over = new AbortController()
  child.once('close', () => over.abort())
  const feeding: InputFeed = { done: Promise.resolve() }
  const input = typeof given === 'function' ? given(over.signal) : given
  feeding.done = writeInput(child.stdin, input).catch((error: unknown) => {
    if (over.signal.aborted) return
    feeding.broken = { error }
    end()
  })
  return feeding
}

/** Hands on an input; asks for no more of it once the program has closed its end. */
async function writeInput(stdin: Writable | null, input: Uint8Array | Feed | undefined): Promise<void> {
  if (!stdin || input === undefined) return
  if (input instanceof Uint8Array) {
    stdin.end(input)
    return
  }
  for await (const chunk of input) {
    if (stdin.destroyed) return
    await new Promise((taken) => stdin.write(chunk, taken))
  }
  stdin.end()
}

function pipeOutput(stdout: Readable, onOutput: NonNullable<ChildOptions['onOutput']>): void {
  stdout.on('data', (chunk: Buffer) => {
    const taken = onOutput(chunk)
    if (!(taken instanceof Promise)) return
    stdout.pause()
    // Who refuses a chunk tells why elsewhere; the program must come to its end all the same.
    void taken.catch(() => {}).then(() => stdout.resume())
  })
}

/** On Linux, lets the kernel end this child rather than the service when memory runs out. */
export function preferAsMemoryVictim(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  // It may have ended already, or the system may forbid it: the limits in the arguments still hold.
  writeFile(`/proc/${pid}/oom_score_adj`, '500').catch(() => {})
}

/** Keeps the last bytes of a stream, cut at a line. */
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
