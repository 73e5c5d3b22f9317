import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { MediaError } from '../../../src/contract/errors.ts'
import { defaultBrowserLimits, type BrowserLimits } from '../../../src/engines/chromium/browser-failure.ts'
import { Browser } from '../../../src/engines/chromium/browser.ts'
import {
  captureFrames,
  preferredCaptureMethod,
  type CaptureFramesOptions,
} from '../../../src/engines/chromium/capture.ts'
import { HostPage } from '../../../src/engines/chromium/host-page.ts'
import type { CaptureParticle, ParticleProblem } from '../../../src/engines/chromium/particle.ts'
import { findChromium } from '../../../src/engines/chromium/locate.ts'
import { dryRun } from '../../../src/engines/chromium/dry-run.ts'
import { splitSearchPath, setSearchPath } from '../../../src/platform/environment.ts'

setSearchPath(process.env['PATH'])

/** Whether to skip tests of Chromium because it is missing; in CI it is required. */
export const lacksBrowser =
  findChromium(splitSearchPath(process.env['PATH'])) === undefined && !process.env['CI']

/** Path of a full browser, if installed in addition to the headless shell. */
export const wholeBrowser = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) =>
    ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) =>
      join(folder, name),
    ),
  )
  .find((file) => existsSync(file))

/** Whether to skip tests of a full browser; in CI on Linux it is required, because the set-up installs it. */
export const lacksWholeBrowser =
  wholeBrowser === undefined && !(process.env['CI'] && process.platform === 'linux')

export const size = { width: 320, height: 180 }

/** Creates a particle of the tests' canvas size from the content of its template and a script. */
export function particle(
  body: string,
  script: string,
  overrides: Partial<CaptureParticle> = {},
): CaptureParticle {
  const { width, height } = { ...size, ...overrides }
  return {
    name: 'title',
    html: `<template data-composition-id="test" data-width="${width}" data-height="${height}">${body}<script>
${script}
</script></template>`,
    compositionId: 'test',
    width,
    height,
    start: 0,
    duration: 1,
    zIndex: 0,
    opaque: false,
    ...overrides,
  }
}

/** Returns a script that registers a minimal timeline with this body of `seek(t)`. */
export function timeline(seek: string, duration = 1): string {
  return `window.__timelines = { test: { duration: () => ${duration}, seek: (t) => { ${seek} } } }`
}

/** A picture and the frames that show it. */
export interface FrameShot {
  readonly frame: number
  readonly count: number
  readonly png: Uint8Array
}

type PlayOptions = Partial<CaptureFramesOptions> & { readonly limits?: Partial<BrowserLimits> }

/** Captures particles on the tests' canvas; by default 10 frames of one second. */
export async function play(
  particles: readonly CaptureParticle[],
  options: PlayOptions = {},
): Promise<FrameShot[]> {
  const { limits, ...job } = options
  const shots: FrameShot[] = []
  for await (const shot of captureFrames(
    {
      particles,
      ...size,
      fps: 10,
      frames: 10,
      threads: 1,
      scratch: await captureFolder(),
      signal: new AbortController().signal,
      ...job,
    },
    { ...defaultBrowserLimits, ...limits },
  )) {
    shots.push(shot)
  }
  return shots
}

/** Runs a dry run of a particle like `play`, and returns its problems. */
export async function dryRunProblems(
  page: CaptureParticle,
  { fps = 10, ...limits }: Partial<BrowserLimits> & { readonly fps?: number } = {},
): Promise<readonly ParticleProblem[]> {
  const scratch = await captureFolder()
  const { signal } = new AbortController()
  const options = { ...size, fps, pictureTimes: [], scratch, signal }
  return (await dryRun(page, options, { ...defaultBrowserLimits, ...limits })).problems
}

/** Opens a page that plays harmless particles one after another. */
export async function openPlayer(overrides: Partial<BrowserLimits> = {}) {
  const scratch = await mkdtemp(join(tmpdir(), 'reelwright-capture-'))
  const limits = { ...defaultBrowserLimits, ...overrides }
  const { signal } = new AbortController()
  const method = preferredCaptureMethod()
  const browser = await Browser.launch({ scratch, limits, signal, beginFrame: method === 'begin-frame' })
  const page = await HostPage.open(browser, { ...size, method, limits })
  return {
    /** Loads a particle, plays ten frames of one second, and returns its problems. */
    async problemsOf(one: CaptureParticle): Promise<ParticleProblem[]> {
      const problems: ParticleProblem[] = []
      try {
        const { loaded, problems: loadProblems } = await page.load(one)
        problems.push(...loadProblems)
        if (!loaded) return problems
        for (let frame = 0; frame < 10 && problems.length === 0; frame += 1) {
          problems.push(...(await page.advance(loaded, [frame / 10])).problems)
        }
        await page.draw(loaded)
        problems.push(...(await page.settle(loaded)).problems)
        await page.remove(loaded)
      } catch (error) {
        if (!(error instanceof MediaError)) throw error
        problems.push({ message: error.message.replace(`${one.name}: `, '') })
      }
      return problems
    },
    /** Whether the frame at the last of these times (s) must be drawn even if it is not captured. */
    async isDrawn(one: CaptureParticle, times: readonly number[] = [0]): Promise<boolean> {
      const { loaded, problems } = await page.load(one)
      if (!loaded) throw new Error(JSON.stringify(problems))
      let drawn = false
      for (const time of times) drawn = (await page.advance(loaded, [time])).needsDraw
      await page.remove(loaded)
      return drawn
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]()
      // A process of the browser that was killed may still be writing.
      await rm(scratch, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Creates a folder that is removed when the test ends. */
export async function captureFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-capture-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Pixels of a picture: RGBA, not premultiplied, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
  at(x: number, y: number): readonly [number, number, number, number]
}

/** Decodes an 8-bit RGB or RGBA PNG; RGB pixels become opaque. */
export function readPng(png: Uint8Array): Pixels {
  const view = Buffer.from(png)
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)]
  const samples = { '0802': 3, '0806': 4 }[view.toString('hex', 24, 26)]
  if (samples === undefined) throw new Error('not an 8-bit RGB or RGBA PNG')
  const parts: Buffer[] = []
  for (let at = 8; at < view.length; at += 12 + view.readUInt32BE(at)) {
    const length = view.readUInt32BE(at)
    if (view.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(view.subarray(at + 8, at + 8 + length))
  }
  const rows = unfilter(inflateSync(Buffer.concat(parts)), { stride: width * samples, height, samples })
  const data = samples === 4 ? rows : withAlpha(rows)
  const at = (x: number, y: number) => {
    const [r = 0, g = 0, b = 0, a = 0] = data.subarray((y * width + x) * 4)
    return [r, g, b, a] as const
  }
  return { width, height, data, at }
}

/** Reverses the PNG filters (W3C PNG, 9.2). samples: per pixel; stride: bytes per row. */
function unfilter(
  rows: Uint8Array,
  { stride, height, samples }: { stride: number; height: number; samples: number },
): Uint8Array {
  const data = new Uint8Array(stride * height)
  for (let y = 0; y < height; y += 1) {
    const kind = rows[y * (stride + 1)]
    for (let x = 0; x < stride; x += 1) {
      const to = y * stride + x
      const left = x >= samples ? (data[to - samples] ?? 0) : 0
      const up = y > 0 ? (data[to - stride] ?? 0) : 0
      const corner = x >= samples && y > 0 ? (data[to - stride - samples] ?? 0) : 0
      let guess = 0
      if (kind === 1) guess = left
      else if (kind === 2) guess = up
      else if (kind === 3) guess = (left + up) >> 1
      else if (kind === 4) guess = paeth(left, up, corner)
      data[to] = (rows[y * (stride + 1) + 1 + x] ?? 0) + guess
    }
  }
  return data
}

function withAlpha(rgb: Uint8Array): Uint8Array {
  const rgba = new Uint8Array((rgb.length / 3) * 4).fill(255)
  for (let from = 0; from < rgb.length; from += 1) rgba[from + Math.floor(from / 3)] = rgb[from] ?? 0
  return rgba
}

function paeth(left: number, up: number, corner: number): number {
  // Distance of each from left + up - corner.
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

const bits = 12
const cell = 20

/** A row of squares that shows a number as bits, white for 1 and black for 0. */
export const counterCells = Array.from(
  { length: bits },
  (_, bit) =>
    `<i id="bit${bit}" style="position:absolute;left:${bit * cell}px;top:0;width:${cell}px;height:${cell}px;background:#000"></i>`,
).join('')

/** Script of a function that shows a number in the squares. */
export const showNumber = `function show(n) {
  for (let bit = 0; bit < ${bits}; bit += 1)
    document.getElementById('bit' + bit).style.background = (n >> bit) & 1 ? '#fff' : '#000'
}`

/** Returns the number shown by the squares of a picture. */
export function readNumber(png: Uint8Array): number {
  const pixels = readPng(png)
  let number = 0
  for (let bit = 0; bit < bits; bit += 1) {
    const [red] = pixels.at(bit * cell + cell / 2, cell / 2)
    if (red > 127) number += 2 ** bit
  }
  return number
}

/** Returns the number shown by each frame; pictures of several frames are repeated. */
export function numbersShown(shots: readonly FrameShot[]): number[] {
  return shots.flatMap(({ count, png }) => Array.from({ length: count }, () => readNumber(png)))
}
