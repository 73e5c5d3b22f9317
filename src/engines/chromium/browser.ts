import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { MediaError } from '../../contract/errors.ts'
import { processTree } from '../process-tree.ts'
import { BrowserFailure, type BrowserLimits, retryOnBrowserFailure } from './browser-failure.ts'
import { beginFrameFlags, browserFlags } from './browser-flags.ts'
import { type MethodResult, CdpPipe, type Method, type MethodParams } from './cdp-pipe.ts'
import { locateChromium, requireSupportedVersion } from './locate.ts'

interface LaunchBrowserOptions {
  /** Folder in which the browser's profile is created. */
  readonly scratch: string
  readonly beginFrame: boolean
  /** Path of the browser; by default the one `locateChromium` returns. */
  readonly program?: string
  readonly limits: BrowserLimits
  readonly signal: AbortSignal
}

const maxLogCharacters = 4096
const memoryCheckIntervalMs = 200

/**
 * A browser with a new profile, controlled through a pipe, in the process group of this process. Every call settles:
 * with a result, with `BrowserFailure` if the browser exits, hangs or uses too much memory, or with the abort reason.
 */
export class Browser implements AsyncDisposable {
  readonly pipe: CdpPipe
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #limits: BrowserLimits
  readonly #exited: Promise<void>
  readonly #memoryCheck: NodeJS.Timeout
  readonly #stopListening: () => void
  #killed: Promise<void> | undefined
  #isCheckingMemory = false
  #stderrTail = ''

  private constructor(program: ChildProcess, profile: string, { limits, signal }: LaunchBrowserOptions) {
    this.#process = program
    this.#profile = profile
    this.#limits = limits
    const [, , errors, write, read] = program.stdio
    if (!(write instanceof Writable) || !(read instanceof Readable) || !(errors instanceof Readable)) {
      throw new TypeError('the browser was started without a pipe')
    }
    errors.on(
      'data',
      (chunk: Buffer) => (this.#stderrTail = (this.#stderrTail + chunk.toString()).slice(-maxLogCharacters)),
    )
    this.pipe = new CdpPipe(write, read)
    this.pipe.on('Inspector.targetCrashed', () => this.#fail(new BrowserFailure('crash')))
    this.#exited = new Promise((resolve) => {
      program.once('error', () => resolve())
      program.once('exit', () => resolve())
    })
    void this.#exited.then(() => this.pipe.end(new BrowserFailure('crash')))
    const abort = () => this.#fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    this.#stopListening = () => signal.removeEventListener('abort', abort)
    this.#memoryCheck = setInterval(() => void this.#checkMemory(), memoryCheckIntervalMs)
    this.#memoryCheck.unref()
  }

  /** Starts a browser. Throws 6401 if none is installed or if it does not start. */
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
        hint: `Run ${file} --version to see why. In a container, enable user namespaces or run as root.`,
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
      if (error instanceof BrowserFailure)
        error.cause = new Error(browser.#stderrTail || 'no output on stderr')
      throw error
    }
  }

  /** Calls a DevTools method. `session`: id of a page's session; `ms`: time limit. */
  async call<M extends Method>(
    method: M,
    params: MethodParams,
    { session, ms = this.#limits.responseMs }: { session?: string | undefined; ms?: number } = {},
  ): Promise<MethodResult<M>> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BrowserFailure('slow')), ms)
    })
    try {
      return await Promise.race([this.pipe.call(method, params, session), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the processor time used so far by the browser and its processes, in ms. */
  async cpuTimeMs(): Promise<number> {
    const { processInfo } = await this.call('SystemInfo.getProcessInfo', {})
    return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }

  #fail(reason: Error): void {
    this.pipe.end(reason)
    void this.#kill()
  }

  /** Kills the whole process tree: the program may be a wrapper script, and hanging renderers do not notice the exit. */
  #kill(): Promise<void> {
    this.#killed ??= (async () => {
      const { pid, exitCode, signalCode } = this.#process
      const isRunning = pid !== undefined && exitCode === null && signalCode === null
      for (const one of isRunning ? await processTree(pid) : []) killProcess(one.pid)
      this.pipe.close()
    })()
    return this.#killed
  }

  async #checkMemory(): Promise<void> {
    const { pid } = this.#process
    if (pid === undefined || this.#isCheckingMemory) return
    this.#isCheckingMemory = true
    const bytes = (await processTree(pid)).reduce((sum, one) => sum + one.memoryBytes, 0)
    this.#isCheckingMemory = false
    if (bytes > this.#limits.memoryBytes) this.#fail(new BrowserFailure('memory'))
  }

  /** Ends the browser with all its processes and removes its profile. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#memoryCheck)
    this.#stopListening()
    await this.#kill()
    await this.#exited
    await removeProfile(this.#profile)
  }
}

/** Removes a profile. Files that cannot be removed disappear with the scratch folder. */
async function removeProfile(profile: string): Promise<void> {
  // Processes that are still exiting may write to it for a moment.
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has exited already.
  }
}
