import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { MediaError } from '../../contract/errors.ts'
import {
  BrowserFailure,
  type BrowserLimits,
  defaultBrowserLimits,
  retryOnBrowserFailure,
} from './browser-failure.ts'
import { Browser } from './browser.ts'
import { preferredCaptureMethod } from './capture.ts'
import { frameSpan } from './frame-spans.ts'
import { HostPage } from './host-page.ts'
import type { CaptureMethod } from './painter.ts'
import { ParticlePlayer } from './particle-player.ts'
import type { CaptureParticle, ParticleProblem } from './particle.ts'

interface DryRunOptions {
  /** Of the picture that it is to be shown in. */
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Times to take pictures at, s of the particle, rising. */
  readonly pictureTimes: readonly number[]
  /** An existing folder. */
  readonly scratch: string
  readonly signal: AbortSignal
  readonly method?: CaptureMethod
}

/** What came of a particle that was played alone. */
interface DryRunResult {
  readonly problems: readonly ParticleProblem[]
  /** PNGs of the moments; none where it cannot be played. */
  readonly pictures: readonly Buffer[]
}

/**
 * Plays one particle alone, from its beginning through every frame that a render takes, and answers every problem
 * found. One that takes too long is at last only looked at, which a warning tells. Throws 6401 without a browser.
 */
export async function dryRun(
  particle: CaptureParticle,
  options: DryRunOptions,
  limits = defaultBrowserLimits,
): Promise<DryRunResult> {
  try {
    return await retryOnBrowserFailure(options.signal, () => attemptDryRun(particle, options, limits))
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof BrowserFailure)) throw error
    if (error.particle === undefined) throw error.toMediaError()
    return { problems: [{ message: error.message }], pictures: [] }
  }
}

async function attemptDryRun(
  particle: CaptureParticle,
  options: DryRunOptions,
  limits: BrowserLimits,
): Promise<DryRunResult> {
  const method = options.method ?? preferredCaptureMethod()
  const browser = await Browser.launch({ ...options, limits, beginFrame: method === 'begin-frame' })
  const problems: ParticleProblem[] = []
  try {
    const page = await HostPage.open(browser, { ...options, method, limits })
    const { actor, problems: found } = await ParticlePlayer.load(page, particle, {
      fps: options.fps,
      first: 0,
    })
    problems.push(...found)
    const pictures = actor ? await playThrough(page, actor, { ...options, browser, limits, problems }) : []
    return { problems: uniqueProblems(problems), pictures: problems.some(isPlayError) ? [] : pictures }
  } catch (error) {
    // A particle that is gone, such as to another page, is one more problem.
    if (!(error instanceof MediaError && error.code === 6016)) throw error
    return { problems: uniqueProblems([...problems, { message: error.message }]), pictures: [] }
  } finally {
    await browser[Symbol.asyncDispose]()
  }
}

interface PlayThroughOptions extends DryRunOptions {
  readonly browser: Browser
  readonly limits: BrowserLimits
  /** Those that are found are added. */
  readonly problems: ParticleProblem[]
}

/** More help nobody; one that fails on every frame is not played to its end. */
const maxDryRunProblems = 100

/** Plays through all frames. Until something is seen every frame is looked at, from then on the moments are. */
async function playThrough(
  page: HostPage,
  actor: ParticlePlayer,
  playing: PlayThroughOptions,
): Promise<Buffer[]> {
  const { fps, pictureTimes: moments, problems } = playing
  const { duration } = actor.loaded.particle
  const last = Math.max(0, frameSpan({ start: 0, duration }, { fps, frames: Infinity }).end - 1)
  const looks = moments.map((moment) => Math.min(last, Math.floor(moment * fps)))
  const budget = await PlayBudget.start(playing)
  const pictures: Buffer[] = []
  let painted = false
  let blank: Buffer | undefined
  let cut: number | undefined
  for (let frame = 0; frame <= last;) {
    const isLookingOnly: boolean = painted || cut !== undefined || actor.isStill
    const to = isLookingOnly ? (looks[pictures.length] ?? last) : frame
    while (!actor.hasReached(to)) {
      if (cut === undefined && (await budget.isExhausted())) cut = actor.nextFrame
      if (cut !== undefined) actor.skipTo(to)
      problems.push(...(await actor.advance(to)))
      if (problems.length >= maxDryRunProblems) return pictures
    }
    const look = () => page.capture([actor.loaded])
    // The pictures that were asked for are not part of playing.
    const png: Buffer = await (isLookingOnly ? budget.exclude(look) : look())
    // Most particles begin with nothing, which need not be read on every frame.
    if (!painted && !blank?.equals(png)) {
      painted = !(await isTransparentPng(png))
      blank = png
    }
    while (looks[pictures.length] === to) pictures.push(png)
    frame = to + 1
  }
  if (cut !== undefined) problems.push(partialPlayWarning(cut / fps, duration))
  else if (!painted && !problems.some(isPlayError))
    problems.push({ severity: 'warning', message: 'draws nothing' })
  return pictures
}

function partialPlayWarning(seconds: number, duration: number): ParticleProblem {
  const tried = `frame by frame it was tried up to ${seconds.toFixed(1)} of ${duration} s`
  const message = `takes long to play: ${tried}, from there on only at moments`
  return { severity: 'warning', message }
}

function isPlayError({ severity }: ParticleProblem): boolean {
  return severity !== 'warning'
}

/** Each problem once, however many frames have it. */
function uniqueProblems(problems: readonly ParticleProblem[]): ParticleProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()]
}

/** In ms. */
interface ElapsedTimes {
  readonly cpuMs: number
  readonly wallMs: number
}

/** What playing may take: of the processor, so that a busy machine plays as far as an idle one, and of real time. */
class PlayBudget {
  readonly #browser: Browser
  #latest: ElapsedTimes

  private constructor(browser: Browser, latest: ElapsedTimes) {
    this.#browser = browser
    this.#latest = latest
  }

  /** From now on. */
  static async start({ browser, limits }: { browser: Browser; limits: BrowserLimits }): Promise<PlayBudget> {
    const { cpuMs: processor, wallMs: real } = await elapsedTimes(browser)
    return new PlayBudget(browser, { cpuMs: processor + limits.playCpuMs, wallMs: real + limits.playWallMs })
  }

  async isExhausted(): Promise<boolean> {
    const { cpuMs: processor, wallMs: real } = await elapsedTimes(this.#browser)
    return processor > this.#latest.cpuMs || real > this.#latest.wallMs
  }

  /** Does work that is not part of playing. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    const before = await elapsedTimes(this.#browser)
    const answer = await work()
    const after = await elapsedTimes(this.#browser)
    this.#latest = {
      cpuMs: this.#latest.cpuMs + after.cpuMs - before.cpuMs,
      wallMs: this.#latest.wallMs + after.wallMs - before.wallMs,
    }
    return answer
  }
}

async function elapsedTimes(browser: Browser): Promise<ElapsedTimes> {
  return { cpuMs: await browser.cpuTimeMs(), wallMs: performance.now() }
}

/** Where a PNG's header tells its width and its kind of pixels (W3C PNG, 11.2.1). */
const pngHeader = { width: 16, kind: 25 }
const rgbaColourType = 6

/** Whether nothing is to be seen on a PNG: it has alpha, and all samples are 0, which each of its filters leaves so. */
async function isTransparentPng(png: Buffer): Promise<boolean> {
  if (png[pngHeader.kind] !== rgbaColourType) return false
  const stride = 1 + png.readUInt32BE(pngHeader.width) * 4
  const rows = await promisify(inflate)(imageData(png))
  return rows.every((byte, index) => byte === 0 || index % stride === 0)
}

/** What its chunks of pixels hold. */
function imageData(png: Buffer): Buffer {
  const found: Buffer[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue
    found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return Buffer.concat(found)
}
