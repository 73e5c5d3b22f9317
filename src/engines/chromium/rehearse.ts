import { MediaError } from '../../contract/errors.ts'
import { Actor } from './actor.ts'
import { Breakdown, twice, usualLimits, type Limits } from './breakdown.ts'
import { Browser } from './browser.ts'
import { Budget } from './budget.ts'
import { usualMethod } from './capture.ts'
import { HostPage } from './host-page.ts'
import type { CaptureMethod } from './painter.ts'
import type { CaptureParticle, ParticleProblem } from './particle.ts'
import { spanOf } from './schedule.ts'
import { isTransparent } from './transparency.ts'

export interface RehearseOptions {
  /** Of the picture that it is to be shown in. */
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Times to take pictures at, s of the particle, rising. */
  readonly moments: readonly number[]
  /** An existing folder. */
  readonly scratch: string
  readonly signal: AbortSignal
  readonly method?: CaptureMethod
}

/** What came of a particle that was played alone. */
export interface Rehearsal {
  readonly problems: readonly ParticleProblem[]
  /** PNGs of the moments; none where it cannot be played. */
  readonly pictures: readonly Buffer[]
}

/**
 * Plays one particle alone, from its beginning through every frame that a render takes, and answers every problem
 * found. One that takes too long is at last only looked at, which a warning tells. Throws 6401 without a browser.
 */
export async function rehearse(
  particle: CaptureParticle,
  options: RehearseOptions,
  limits = usualLimits,
): Promise<Rehearsal> {
  try {
    return await twice(options.signal, () => attempt(particle, options, limits))
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof Breakdown)) throw error
    if (error.particle === undefined) throw error.toMediaError()
    return { problems: [{ message: error.message }], pictures: [] }
  }
}

async function attempt(
  particle: CaptureParticle,
  options: RehearseOptions,
  limits: Limits,
): Promise<Rehearsal> {
  const method = options.method ?? usualMethod()
  const browser = await Browser.launch({ ...options, limits, beginFrame: method === 'begin-frame' })
  const problems: ParticleProblem[] = []
  try {
    const page = await HostPage.open(browser, { ...options, method, limits })
    const { actor, problems: found } = await Actor.enter(page, particle, { fps: options.fps, first: 0 })
    problems.push(...found)
    const pictures = actor ? await playThrough(page, actor, { ...options, browser, limits, problems }) : []
    return { problems: each(problems), pictures: problems.some(isError) ? [] : pictures }
  } catch (error) {
    // A particle that is gone, such as to another page, is one more problem.
    if (!(error instanceof MediaError && error.code === 6016)) throw error
    return { problems: each([...problems, { message: error.message }]), pictures: [] }
  } finally {
    await browser[Symbol.asyncDispose]()
  }
}

interface Playing extends RehearseOptions {
  readonly browser: Browser
  readonly limits: Limits
  /** Those that are found are added. */
  readonly problems: ParticleProblem[]
}

/** More help nobody; one that fails on every frame is not played to its end. */
const mostProblems = 100

/** Plays through all frames. Until something is seen every frame is looked at, from then on the moments are. */
async function playThrough(page: HostPage, actor: Actor, playing: Playing): Promise<Buffer[]> {
  const { fps, moments, problems } = playing
  const { duration } = actor.loaded.particle
  const last = Math.max(0, spanOf({ start: 0, duration }, { fps, frames: Infinity }).end - 1)
  const looks = moments.map((moment) => Math.min(last, Math.floor(moment * fps)))
  const budget = await Budget.of(playing)
  const pictures: Buffer[] = []
  let painted = false
  let blank: Buffer | undefined
  let cut: number | undefined
  for (let frame = 0; frame <= last;) {
    const isLookingOnly: boolean = painted || cut !== undefined || actor.still
    const to = isLookingOnly ? (looks[pictures.length] ?? last) : frame
    while (!actor.isAt(to)) {
      if (cut === undefined && (await budget.isSpent())) cut = actor.next
      if (cut !== undefined) actor.skipTo(to)
      problems.push(...(await actor.playTowards(to)))
      if (problems.length >= mostProblems) return pictures
    }
    const look = () => page.capture([actor.loaded])
    // The pictures that were asked for are not part of playing.
    const png: Buffer = await (isLookingOnly ? budget.leaveOut(look) : look())
    // Most particles begin with nothing, which need not be read on every frame.
    if (!painted && !blank?.equals(png)) {
      painted = !(await isTransparent(png))
      blank = png
    }
    while (looks[pictures.length] === to) pictures.push(png)
    frame = to + 1
  }
  if (cut !== undefined) problems.push(lookedAt(cut / fps, duration))
  else if (!painted && !problems.some(isError))
    problems.push({ severity: 'warning', message: 'draws nothing' })
  return pictures
}

function lookedAt(seconds: number, duration: number): ParticleProblem {
  const tried = `frame by frame it was tried up to ${seconds.toFixed(1)} of ${duration} s`
  const message = `takes long to play: ${tried}, from there on only at moments`
  return { severity: 'warning', message }
}

function isError({ severity }: ParticleProblem): boolean {
  return severity !== 'warning'
}

/** Each problem once, however many frames have it. */
function each(problems: readonly ParticleProblem[]): ParticleProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()]
}
