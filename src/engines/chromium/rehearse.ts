import { inflateSync } from 'node:zlib'
import { MediaError } from '../../contract/errors.ts'
import { Breakdown, twice, usualLimits, type Limits } from './breakdown.ts'
import { Browser } from './browser.ts'
import { usualMethod } from './capture.ts'
import { HostPage, type LoadedParticle } from './host-page.ts'
import { chunksOf } from './rgba-png.ts'
import type { CaptureMethod } from './painter.ts'
import type { CaptureParticle, ParticleProblem } from './particle.ts'

export interface RehearseOptions {
  /** An existing folder. */
  readonly scratch: string
  readonly signal: AbortSignal
  readonly method?: CaptureMethod
}

/** Where a particle is looked at, as shares of its duration: its ends, and what lies between. */
const looks = [0, 0.25, 0.5, 0.75, 1]

/** Plays one particle alone, through its ends, and answers every problem found. Throws 6401 without a browser. */
export async function rehearse(
  particle: CaptureParticle,
  options: RehearseOptions,
  limits = usualLimits,
): Promise<readonly ParticleProblem[]> {
  try {
    return await twice(options.signal, () => attempt(particle, options, limits))
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof Breakdown)) throw error
    if (error.particle === undefined) throw error.toMediaError()
    return [{ message: error.message }]
  }
}

async function attempt(
  particle: CaptureParticle,
  options: RehearseOptions,
  limits: Limits,
): Promise<readonly ParticleProblem[]> {
  const method = options.method ?? usualMethod()
  const browser = await Browser.launch({ ...options, limits, beginFrame: method === 'begin-frame' })
  try {
    const page = await HostPage.open(browser, { width: particle.width, height: particle.height, method })
    const { loaded, problems } = await page.load(particle)
    const more = loaded ? await playThrough(page, loaded).catch(problemOf) : []
    return [...new Map([...problems, ...more].map((problem) => [problem.message, problem])).values()]
  } catch (error) {
    return problemOf(error)
  } finally {
    await browser[Symbol.asyncDispose]()
  }
}

async function playThrough(page: HostPage, loaded: LoadedParticle): Promise<ParticleProblem[]> {
  const problems: ParticleProblem[] = []
  let painted = false
  for (const share of looks) {
    const played = await page.advance(loaded, [share * loaded.particle.duration])
    problems.push(...played.problems)
    if (played.turn) {
      await page.draw(loaded)
      problems.push(...(await page.settle(loaded)))
    }
    painted ||= !isTransparent(await page.capture([loaded]))
  }
  if (!painted && problems.length === 0)
    problems.push({ severity: 'warning', message: 'draws nothing at any of five moments, its ends included' })
  return problems
}

/** A particle that is gone, such as to another page, is one more problem. */
function problemOf(error: unknown): ParticleProblem[] {
  if (error instanceof MediaError && error.code === 6016) return [{ message: error.message }]
  throw error
}

/** Whether nothing is to be seen on an RGBA PNG: all its samples are 0, which each of its filters leaves so. */
function isTransparent(png: Buffer): boolean {
  const stride = 1 + png.readUInt32BE(16) * 4
  const rows = inflateSync(Buffer.concat(chunksOf(png, 'IDAT')))
  return rows.every((byte, index) => byte === 0 || index % stride === 0)
}
