import { type ChildProcess, fork } from 'node:child_process'
import { MediaError } from '../../../contract/errors.ts'
import { estimateSpeechSeconds } from '../../../media/speech/sentences.ts'
import type { MonoAudio } from '../../../media/speech/speech-types.ts'
import { limitConcurrency } from '../../../platform/concurrency.ts'
import { signalChild } from '../../../platform/process-identity.ts'
import { defaultStallMs, preferAsMemoryVictim, logTail } from '../../ffmpeg/child.ts'
import { resolvePack } from '../../packs/resolve.ts'
import { treeProcessorMs } from '../../process-tree.ts'
import { Watchdog } from '../../watchdog.ts'
import type { SherpaLoadRequest, SherpaReply, SherpaRequest } from './messages.ts'

const program = import.meta.filename.endsWith('.ts') ? './child.ts' : './child.js'

/** Timeout for loading a model, ms: large models may be read from a slow disk. */
const loadTimeoutMs = 180_000

/** Timeout of a request, ms: a base, and an addition per second of input or synthesized sound. */
const baseTimeoutMs = 60_000
const timeoutMsPerSecond = 20_000

/** Bytes of standard error that are kept for error messages. */
const logBytes = 4096

export interface SherpaProcess extends AsyncDisposable {
  /** Sends requests one at a time. Throws a MediaError that names engine and model. */
  request(question: SherpaRequest, signal: AbortSignal): Promise<unknown>
}

interface StartSherpaOptions {
  readonly signal: AbortSignal
  /** Time limit of a request, ms, before the addition for its sound. */
  readonly timeoutMs?: number
  /** Longest time without processor time, ms. */
  readonly stallMs?: number
}

/**
 * Starts a sherpa-onnx process and loads a model. Throws 6401 if the engine is missing or cannot load the model. After
 * a crash, an abort or a timeout the process accepts no further requests.
 */
export async function startSherpaProcess(
  options: Omit<SherpaLoadRequest, 'engine'> & { readonly model: string },
  { signal, timeoutMs = baseTimeoutMs, stallMs = defaultStallMs }: StartSherpaOptions,
): Promise<SherpaProcess> {
  const { model, ...opening } = options
  const engine = await resolvePack('sherpa-onnx', { signal })
  signal.throwIfAborted()
  const run = new ChildConnection(model)
  try {
    await run.send(
      { ...opening, engine },
      {
        ...{ signal, stallMs, timeoutMs: Math.max(timeoutMs, loadTimeoutMs) },
      },
    )
  } catch (error) {
    await run.end()
    signal.throwIfAborted()
    throw loadError(model, error)
  }
  const serialize = limitConcurrency(1)
  return {
    request: (question, until) =>
      serialize(() =>
        run.send(question, {
          signal: until,
          stallMs,
          timeoutMs: timeoutMs + requestSeconds(question) * timeoutMsPerSecond,
        }),
      ),
    [Symbol.asyncDispose]: () => run.end(),
  }
}

function requestSeconds({ samples, rate, speak: say }: SherpaRequest): number {
  const inputSeconds = samples.length / rate
  return say ? inputSeconds + estimateSpeechSeconds(say.text) / say.speed : inputSeconds
}

/** A child process and its pending reply. */
class ChildConnection {
  readonly #model: string
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  readonly #log = logTail(logBytes)
  #pending: PromiseWithResolvers<unknown> | undefined
  #failure: MediaError | undefined

  constructor(model: string) {
    this.#model = model
    this.#process = fork(new URL(program, import.meta.url), [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    preferAsMemoryVictim(this.#process.pid)
    this.#process.stderr?.on('data', this.#log.add)
    this.#process.on('message', (reply: SherpaReply) => this.#onReply(reply))
    this.#ended = new Promise((resolve) => {
      this.#process.on('close', (code, signal) => {
        this.#fail(`exited with ${signal ?? code}`)
        resolve()
      })
      this.#process.on('error', (error) => {
        this.#fail(`cannot be started: ${error.message}`)
        if (this.#process.pid === undefined) resolve()
      })
    })
  }

  /** Sends a message and awaits the reply. */
  async send(
    message: SherpaLoadRequest | SherpaRequest,
    { signal, timeoutMs, stallMs }: Required<StartSherpaOptions>,
  ): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#failure) throw this.#failure
    const pending = Promise.withResolvers<unknown>()
    this.#pending = pending
    const onAbort = () => this.#kill('was aborted')
    const timer = setTimeout(
      () => this.#kill(`did not reply within ${Math.round(timeoutMs / 1000)} s`),
      timeoutMs,
    )
    signal.addEventListener('abort', onAbort, { once: true })
    using _ = new Watchdog({
      stallMs,
      processorMs: () => treeProcessorMs(this.#process.pid),
      onStall: () => this.#kill(`made no progress for ${Math.round(stallMs / 1000)} s`),
    })
    try {
      this.#process.send(message, (error) => {
        if (error) this.#fail(`accepts no request: ${error.message}`)
      })
      return await pending.promise
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      this.#pending = undefined
    }
  }

  async end(): Promise<void> {
    this.#kill('was closed')
    await this.#ended
  }

  #onReply(reply: SherpaReply): void {
    if ('result' in reply) this.#pending?.resolve(reply.result)
    else this.#pending?.reject(this.#error(`failed: ${reply.error}`))
  }

  #kill(why: string): void {
    this.#fail(why)
    // Native code does not react to SIGTERM.
    signalChild(this.#process, 'SIGKILL')
  }

  /** Rejects the pending request. The first reason is kept. */
  #fail(why: string): void {
    this.#failure ??= this.#error(why)
    this.#pending?.reject(this.#failure)
  }

  #error(why: string): MediaError {
    return new MediaError(6402, `sherpa-onnx with the model ${this.#model} ${why}`, {
      cause: new Error(this.#log.text() || 'no output'),
      hint: `Try again. If the problem persists, run \`reelwright models verify\` or use another model.`,
    })
  }
}

function loadError(model: string, cause: unknown): MediaError {
  const why = cause instanceof MediaError ? cause.message : String(cause)
  return new MediaError(6401, `the model ${model} cannot be loaded: ${why}`, {
    cause,
    retryable: false,
    hint: 'Run `reelwright models verify`. A model of your own must be supported by sherpa-onnx.',
  })
}

/** Validates sound returned by sherpa-onnx. Throws 6402 if it is not sound, or not at `rate`. */
export function parseAudio(result: unknown, { model, rate }: { model: string; rate?: number }): MonoAudio {
  const { samples, sampleRate } = (result ?? {}) as { samples?: unknown; sampleRate?: unknown }
  if (!(samples instanceof Float32Array)) throw invalidResult(model, 'the result is not sound')
  if (typeof sampleRate !== 'number' || !(sampleRate > 0))
    throw invalidResult(model, 'the sound has no sample rate')
  if (rate !== undefined && rate !== sampleRate)
    throw invalidResult(model, `the sound has ${sampleRate} Hz, not ${rate} Hz`)
  if (!samples.every((sample) => Number.isFinite(sample)))
    throw invalidResult(model, 'the sound contains NaN or infinite samples')
  return { samples, rate: sampleRate }
}

/** Error for an invalid result of sherpa-onnx. */
export function invalidResult(model: string, what: string): MediaError {
  return new MediaError(6402, `sherpa-onnx with the model ${model} returned an invalid result: ${what}`, {
    retryable: false,
    hint: 'Run `reelwright models verify`, or use another model.',
  })
}
