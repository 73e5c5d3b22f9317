import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { BrowserFailure, type BrowserLimits, retryOnBrowserFailure } from './browser-failure.ts'
import { beginFrameFlags, browserFlags } from './browser-flags.ts'
import { type AnswerOf, CdpPipe, type Method, type Parameters } from './cdp-pipe.ts'
import { locateChromium, requireSupportedVersion } from './locate.ts'

/** One process of a tree. */
interface TreeProcess {
  readonly pid: number
  /** Memory of its own, without the program's files. */
  readonly memoryBytes: number
}

/** A process with everything it started; only the process itself, of no known size, where the system does not tell. */
async function processTree(pid: number): Promise<TreeProcess[]> {
  if (process.platform === 'linux') return await linuxTree(pid)
  if (process.platform === 'win32') return [{ pid, memoryBytes: 0 }]
  return await unixTree(pid)
}

async function linuxTree(pid: number): Promise<TreeProcess[]> {
  const [status, threads] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
  const below = await Promise.all(children.map(linuxTree))
  const kibibytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)].map(([, number]) => Number(number))
  return [{ pid, memoryBytes: kibibytes.reduce((sum, one) => sum + one, 0) * 1024 }, ...below.flat()]
}

async function unixTree(root: number): Promise<TreeProcess[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-axo', 'pid=,ppid=,rss='], {
    timeout: 10_000,
  }).catch(() => ({ stdout: '' }))
  const all = [...stdout.matchAll(/(\d+)\s+(\d+)\s+(\d+)/g)].map(([, pid, parent, rss]) => ({
    pid: Number(pid),
    parent: Number(parent),
    bytes: Number(rss) * 1024,
  }))
  const below = (pid: number): TreeProcess[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)])
  return [all.find(({ pid }) => pid === root) ?? { pid: root, memoryBytes: 0 }, ...below(root)]
}

interface LaunchBrowserOptions {
  /** Its profile is made in it. */
  readonly scratch: string
  readonly beginFrame: boolean
  /** Without it the one that is found. */
  readonly program?: string
  readonly limits: BrowserLimits
  readonly signal: AbortSignal
}

const maxLogCharacters = 4096
const memoryCheckIntervalMs = 200

/**
 * One browser with a new profile, driven through a pipe, in this process's group. Each call ends: with an
 * answer, with a `BrowserFailure` when the browser ends, hangs or takes too much memory, or with the abort's reason.
 */
export class Browser implements AsyncDisposable {
  readonly pipe: CdpPipe
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #limits: BrowserLimits
  readonly #exited: Promise<void>
  readonly #watch: NodeJS.Timeout
  readonly #stopListening: () => void
  #killed: Promise<void> | undefined
  #isWeighing = false
  #log = ''

  private constructor(program: ChildProcess, profile: string, { limits, signal }: LaunchBrowserOptions) {
    this.#process = program
    this.#profile = profile
    this.#limits = limits
    const [, , errors, write, read] = program.stdio
    if (!(write instanceof Writable) || !(read instanceof Readable) || !(errors instanceof Readable)) {
      throw new TypeError('the browser was started without its pipe')
    }
    errors.on(
      'data',
      (chunk: Buffer) => (this.#log = (this.#log + chunk.toString()).slice(-maxLogCharacters)),
    )
    this.pipe = new CdpPipe(write, read)
    this.pipe.on('Inspector.targetCrashed', () => this.#break(new BrowserFailure('crash')))
    this.#exited = new Promise((resolve) => {
      program.once('error', () => resolve())
      program.once('exit', () => resolve())
    })
    void this.#exited.then(() => this.pipe.end(new BrowserFailure('crash')))
    const abort = () => this.#break(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    this.#stopListening = () => signal.removeEventListener('abort', abort)
    this.#watch = setInterval(() => void this.#weigh(), memoryCheckIntervalMs)
    this.#watch.unref()
  }

  /** Starts one. Throws 6401 where there is none, or where it does not start. */
  static async launch(options: LaunchBrowserOptions): Promise<Browser> {
    const file = options.program ?? locateChromium()
    try {
      return await retryOnBrowserFailure(options.signal, () => Browser.#start(file, options))
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof BrowserFailure)) throw error
      throw new MediaError(6401, `Chromium does not start (${file})`, {
        cause: error,
        retryable: false,
        hint: `Run ${file} --version to see why; in a container it needs user namespaces, or to run as root.`,
      })
    }
  }

  static async #start(file: string, options: LaunchBrowserOptions): Promise<Browser> {
    options.signal.throwIfAborted()
    const profile = await mkdtemp(join(options.scratch, 'chromium-'))
    if (options.signal.aborted) await removeProfile(profile)
    options.signal.throwIfAborted()
    const args = [...browserFlags(profile), ...(options.beginFrame ? beginFrameFlags : [])]
    const program = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const browser = new Browser(program, profile, options)
    try {
      const { product } = await browser.call('Browser.getVersion', {}, { ms: options.limits.startMs })
      requireSupportedVersion(product)
      return browser
    } catch (error) {
      await browser[Symbol.asyncDispose]()
      if (error instanceof BrowserFailure) error.cause = new Error(browser.#log || 'it wrote nothing')
      throw error
    }
  }

  /** Calls a method of the protocol; `session` is that of a page. */
  async call<M extends Method>(
    method: M,
    params: Parameters,
    { session, ms = this.#limits.responseMs }: { session?: string | undefined; ms?: number } = {},
  ): Promise<AnswerOf<M>> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BrowserFailure('hang')), ms)
    })
    try {
      return await Promise.race([this.pipe.call(method, params, session), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Processor time that it took so far, with all its processes: other work of the machine does not count. */
  async cpuTimeMs(): Promise<number> {
    const { processInfo } = await this.call('SystemInfo.getProcessInfo', {})
    return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }

  #break(reason: Error): void {
    this.pipe.end(reason)
    void this.#kill()
  }

  /** Ends it with all it started: its program may be a script around it, and a page that hangs does not notice its end. */
  #kill(): Promise<void> {
    this.#killed ??= (async () => {
      const { pid, exitCode, signalCode } = this.#process
      const isThere = pid !== undefined && exitCode === null && signalCode === null
      for (const one of isThere ? await processTree(pid) : []) killProcess(one.pid)
      this.pipe.close()
    })()
    return this.#killed
  }

  async #weigh(): Promise<void> {
    const { pid } = this.#process
    if (pid === undefined || this.#isWeighing) return
    this.#isWeighing = true
    const bytes = (await processTree(pid)).reduce((sum, one) => sum + one.memoryBytes, 0)
    this.#isWeighing = false
    if (bytes > this.#limits.memoryBytes) this.#break(new BrowserFailure('memory'))
  }

  /** Ends it with all its processes, and removes its profile. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch)
    this.#stopListening()
    await this.#kill()
    await this.#exited
    await removeProfile(this.#profile)
  }
}

/** Removes a profile; what cannot be removed goes with the folder that it lies in. */
async function removeProfile(profile: string): Promise<void> {
  // What still ends may write into it for a moment.
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
