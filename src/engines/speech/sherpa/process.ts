import { type ChildProcess, fork } from 'node:child_process'
import { MediaError } from '../../../contract/errors.ts'
import { estimateSpeechSeconds } from '../../../media/speech/sentences.ts'
import type { MonoAudio } from '../../../media/speech/speech-types.ts'
import { limitConcurrency } from '../../../platform/concurrency.ts'
import { preferAsMemoryVictim, tail } from '../../ffmpeg/child.ts'
import { resolvePack } from '../../packs/use.ts'
import type { SherpaLoadRequest, SherpaReply, SherpaRequest } from './messages.ts'

const program = import.meta.filename.endsWith('.ts') ? './child.ts' : './child.js'

/** A large model is read from a slow disk, ms. */
const loadTimeoutMs = 180_000

/** Longest that an answer may take: some, and so much for each second of sound that is heard or to be spoken, ms. */
const baseTimeoutMs = 60_000
const timeoutMsPerSecond = 20_000

/** Bytes of what it last wrote to standard error that are kept. */
const logBytes = 4096

export interface SherpaProcess extends AsyncDisposable {
  /** Asks one after another. What the process fails by is thrown as a MediaError that names engine and model. */
  request(question: SherpaRequest, signal: AbortSignal): Promise<unknown>
}

/**
 * Starts a process of sherpa-onnx with a model: 6401 where the engine is not there, or ends at the model. A process
 * that crashed, or was ended by an abort or for being silent too long, answers nothing any more.
 */
export async function startSherpaProcess(
  wanted: Omit<SherpaLoadRequest, 'engine'> & { readonly model: string },
  { signal, timeMs = baseTimeoutMs }: { readonly signal: AbortSignal; readonly timeMs?: number },
): Promise<SherpaProcess> {
  const { model, ...opening } = wanted
  const engine = await resolvePack('sherpa-onnx', { signal })
  signal.throwIfAborted()
  const run = new ChildConnection(model)
  try {
    await run.send({ ...opening, engine }, { signal, timeMs: Math.max(timeMs, loadTimeoutMs) })
  } catch (error) {
    await run.end()
    signal.throwIfAborted()
    throw loadError(model, error)
  }
  const inTurn = limitConcurrency(1)
  return {
    request: (question, until) =>
      inTurn(() =>
        run.send(question, { signal: until, timeMs: timeMs + requestSeconds(question) * timeoutMsPerSecond }),
      ),
    [Symbol.asyncDispose]: () => run.end(),
  }
}

function requestSeconds({ samples, rate, speak: say }: SherpaRequest): number {
  const heard = samples.length / rate
  return say ? heard + estimateSpeechSeconds(say.text) / say.speed : heard
}

/** A process, and what is awaited of it. */
class ChildConnection {
  readonly #model: string
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  readonly #log = tail(logBytes)
  #awaited: PromiseWithResolvers<unknown> | undefined
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
    this.#process.on('message', (reply: SherpaReply) => this.#take(reply))
    this.#ended = new Promise((resolve) => {
      this.#process.on('close', (code, signal) => {
        this.#fail(`ended with ${signal ?? code}`)
        resolve()
      })
      this.#process.on('error', (error) => {
        this.#fail(`does not run: ${error.message}`)
        if (this.#process.pid === undefined) resolve()
      })
    })
  }

  /** Sends a message and awaits the reply. */
  async send(
    message: SherpaLoadRequest | SherpaRequest,
    { signal, timeMs }: { readonly signal: AbortSignal; readonly timeMs: number },
  ): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#failure) throw this.#failure
    const awaited = Promise.withResolvers<unknown>()
    this.#awaited = awaited
    const aborted = () => this.#kill('was ended on request')
    const timer = setTimeout(() => this.#kill(`gave no answer in ${Math.round(timeMs / 1000)} s`), timeMs)
    signal.addEventListener('abort', aborted, { once: true })
    try {
      this.#process.send(message, (error) => {
        if (error) this.#fail(`takes no question: ${error.message}`)
      })
      return await awaited.promise
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      this.#awaited = undefined
    }
  }

  async end(): Promise<void> {
    this.#kill('was closed')
    await this.#ended
  }

  #take(reply: SherpaReply): void {
    if ('told' in reply) this.#awaited?.resolve(reply.told)
    else this.#awaited?.reject(this.#error(`cannot do it: ${reply.failed}`))
  }

  #kill(why: string): void {
    this.#fail(why)
    // It may be deep in native code, which hears no polite request.
    this.#process.kill('SIGKILL')
  }

  /** The first reason is the one that is told. */
  #fail(why: string): void {
    this.#failure ??= this.#error(why)
    this.#awaited?.reject(this.#failure)
  }

  #error(why: string): MediaError {
    return new MediaError(6402, `sherpa-onnx with the model ${this.#model} ${why}`, {
      cause: new Error(this.#log.text() || 'it wrote nothing'),
      hint: `Try again; where it happens again see \`reelwright models verify\`, or use another model.`,
    })
  }
}

function loadError(model: string, cause: unknown): MediaError {
  const why = cause instanceof MediaError ? cause.message : String(cause)
  return new MediaError(6401, `the model ${model} does not open: ${why}`, {
    cause,
    retryable: false,
    hint: 'See `reelwright models verify`; a model of your own must be one that sherpa-onnx knows.',
  })
}

/** Sound as sherpa-onnx answers it. Throws 6402 where it is none. */
export function parseAudio(told: unknown, { model, rate }: { model: string; rate?: number }): MonoAudio {
  const { samples, sampleRate } = (told ?? {}) as { samples?: unknown; sampleRate?: unknown }
  if (!(samples instanceof Float32Array)) throw invalidResult(model, 'its answer is no sound')
  if (typeof sampleRate !== 'number' || !(sampleRate > 0)) throw invalidResult(model, 'its sound has no rate')
  if (rate !== undefined && rate !== sampleRate) throw invalidResult(model, `its sound has ${sampleRate} Hz`)
  if (!samples.every((sample) => Number.isFinite(sample)))
    throw invalidResult(model, 'its sound has no numbers')
  return { samples, rate: sampleRate }
}

/** What tells that an answer of sherpa-onnx makes no sense. */
export function invalidResult(model: string, what: string): MediaError {
  return new MediaError(6402, `sherpa-onnx with the model ${model} makes no sense: ${what}`, {
    retryable: false,
    hint: 'Use another model, or see `reelwright models verify`.',
  })
}
