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
import { frameSpan } from '../../media/particle/frame-spans.ts'
import { HostPage } from './host-page.ts'
import type { CaptureMethod } from './painter.ts'
import { ParticlePlayer } from './particle-player.ts'
import { isError, type CaptureParticle, type ParticleProblem } from './particle.ts'

interface DryRunOptions {
  /** Size of the picture that shows the particle, in pixels. */
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Times of the pictures to capture, in seconds from the particle's start, rising. */
  readonly pictureTimes: readonly number[]
  /** Existing folder for the browser profile. */
  readonly scratch: string
  readonly signal: AbortSignal
  readonly method?: CaptureMethod
}

/** Result of `dryRun`. */
interface DryRunResult {
  readonly problems: readonly ParticleProblem[]
  /** PNGs at `pictureTimes`; empty if the particle cannot be played. */
  readonly pictures: readonly Buffer[]
}

/**
 * Plays one particle alone through every frame that a render would play, and returns all problems. If that takes too
 * long, plays only the frames of `pictureTimes` from then on and adds a warning. Throws 6401 without a browser.
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
    if (!error.isOfParticle) throw error.toMediaError()
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
    const { player, problems: found } = await ParticlePlayer.load(page, particle, {
      fps: options.fps,
      first: 0,
    })
    problems.push(...found)
    const pictures = player ? await playThrough(page, player, { ...options, browser, limits, problems }) : []
    return { problems: uniqueProblems(problems), pictures: problems.some(isError) ? [] : pictures }
  } catch (error) {
    // A particle that disappears, such as by navigation, is one more problem.
    if (!(error instanceof MediaError && error.code === 6016)) throw error
    return { problems: uniqueProblems([...problems, { message: error.message }]), pictures: [] }
  } finally {
    await browser[Symbol.asyncDispose]()
  }
}

interface PlayThroughOptions extends DryRunOptions {
  readonly browser: Browser
  readonly limits: BrowserLimits
  /** Problems found are appended. */
  readonly problems: ParticleProblem[]
}

/** Problems after which playing stops, as for a particle that fails on every frame. */
const maxDryRunProblems = 100

/** Plays all frames. Captures every frame until one is not blank, from then on only those of `pictureTimes`. */
async function playThrough(
  page: HostPage,
  player: ParticlePlayer,
  playing: PlayThroughOptions,
): Promise<Buffer[]> {
  const { fps, pictureTimes, problems } = playing
  const { duration } = player.loaded.particle
  const last = Math.max(0, frameSpan({ start: 0, duration }, { fps, frames: Infinity }).end - 1)
  const pictureFrames = pictureTimes.map((time) => Math.min(last, Math.floor(time * fps)))
  const budget = await PlayBudget.start(playing)
  const pictures: Buffer[] = []
  let painted = false
  let blank: Buffer | undefined
  let skippedFrom: number | undefined
  for (let frame = 0; frame <= last;) {
    const capturesOnlyPictures: boolean = painted || skippedFrom !== undefined || player.isStill
    const to = capturesOnlyPictures ? (pictureFrames[pictures.length] ?? last) : frame
    while (!player.hasReached(to)) {
      if (skippedFrom === undefined && (await budget.isExhausted())) skippedFrom = player.nextFrame
      if (skippedFrom !== undefined) player.skipTo(to)
      problems.push(...(await player.advance(to)))
      if (problems.length >= maxDryRunProblems) return pictures
    }
    const capture = () => page.capture([player.loaded])
    // Capturing requested pictures does not count against the budget.
    const png: Buffer = await (capturesOnlyPictures ? budget.exclude(capture) : capture())
    // Most particles begin blank; a picture equal to the last blank one need not be decoded.
    if (!painted && !blank?.equals(png)) {
      painted = !(await isTransparentPng(png))
      blank = png
    }
    while (pictureFrames[pictures.length] === to) pictures.push(png)
    frame = to + 1
  }
  if (skippedFrom !== undefined) problems.push(partialPlayWarning(skippedFrom / fps, duration))
  else if (!painted && !problems.some(isError))
    problems.push({ severity: 'warning', message: 'draws nothing' })
  return pictures
}

function partialPlayWarning(seconds: number, duration: number): ParticleProblem {
  const played = `every frame was played up to ${seconds.toFixed(1)} of ${duration} s`
  const message = `takes long to play: ${played}, after that only single frames`
  return { severity: 'warning', message }
}

/** Removes repeated problems. */
function uniqueProblems(problems: readonly ParticleProblem[]): ParticleProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()]
}

/** Times in ms. */
interface ElapsedTimes {
  readonly cpuMs: number
  readonly wallMs: number
}

/** Limits how long playing takes: in processor time, so that a busy machine plays as far as an idle one, and in real time. */
class PlayBudget {
  readonly #browser: Browser
  #latest: ElapsedTimes

  private constructor(browser: Browser, latest: ElapsedTimes) {
    this.#browser = browser
    this.#latest = latest
  }

  /** Starts a budget of `playCpuMs` and `playWallMs`. */
  static async start({ browser, limits }: { browser: Browser; limits: BrowserLimits }): Promise<PlayBudget> {
    const { cpuMs, wallMs } = await elapsedTimes(browser)
    return new PlayBudget(browser, { cpuMs: cpuMs + limits.playCpuMs, wallMs: wallMs + limits.playWallMs })
  }

  async isExhausted(): Promise<boolean> {
    const { cpuMs, wallMs } = await elapsedTimes(this.#browser)
    return cpuMs > this.#latest.cpuMs || wallMs > this.#latest.wallMs
  }

  /** Runs work without counting its time. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    const before = await elapsedTimes(this.#browser)
    const result = await work()
    const after = await elapsedTimes(this.#browser)
    this.#latest = {
      cpuMs: this.#latest.cpuMs + after.cpuMs - before.cpuMs,
      wallMs: this.#latest.wallMs + after.wallMs - before.wallMs,
    }
    return result
  }
}

async function elapsedTimes(browser: Browser): Promise<ElapsedTimes> {
  return { cpuMs: await browser.cpuTimeMs(), wallMs: performance.now() }
}

/** Byte offsets of width and colour type in a PNG (W3C PNG, 11.2.1). */
const pngHeader = { width: 16, colourType: 25 }
const rgbaColourType = 6

/** Whether a PNG has alpha and all samples are 0; every PNG filter maps zeros to zeros. */
async function isTransparentPng(png: Buffer): Promise<boolean> {
  if (png[pngHeader.colourType] !== rgbaColourType) return false
  const stride = 1 + png.readUInt32BE(pngHeader.width) * 4
  const rows = await promisify(inflate)(imageData(png))
  return rows.every((byte, index) => byte === 0 || index % stride === 0)
}

/** Returns the joined content of the IDAT chunks. */
function imageData(png: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue
    chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return Buffer.concat(chunks)
}
