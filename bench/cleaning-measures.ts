import { spawn } from 'node:child_process'
import { locateFfmpeg } from '../src/engines/ffmpeg/locate.ts'
import { probe } from '../src/engines/ffmpeg/probe.ts'
import { detectText } from '../src/engines/vision/detect-text.ts'
import type { Area, FoundRegion } from '../src/media/clean/region.ts'
import type { Size } from '../src/media/geometry.ts'

/** Number of regions in which text is detected again, overlapping a treated region by a third of their area or more. */
export async function countRemainingText(path: string, treated: readonly FoundRegion[]): Promise<number> {
  const { regions: detected } = await detectText(path, await probe(path), { threads: 2 })
  return detected.filter((one) =>
    treated.some(
      (other) =>
        one.start < other.end && other.start < one.end && intersectionArea(one, other) > (one.w * one.h) / 3,
    ),
  ).length
}

function intersectionArea(one: Area, other: Area): number {
  const overlapWidth = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x)
  const overlapHeight = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y)
  return Math.max(0, overlapWidth) * Math.max(0, overlapHeight)
}

interface CompareOptions {
  readonly clean: string
  readonly source: string
  readonly result: string
  readonly regions: readonly FoundRegion[]
  readonly size: Size
}

/**
 * Returns luma PSNR in dB: source and result against clean footage inside treated regions, result against source
 * outside; and the frame with most treated pixels.
 */
export async function compareWithClean({ clean, source, result, regions, size }: CompareOptions) {
  const sums = { dirty: 0, cleaned: 0, within: 0, outside: 0, rest: 0 }
  const busiest = { treated: 0, frame: 0 }
  const { num, den } = (await probe(source)).video?.frame_rate ?? { num: 30, den: 1 }
  let frame = 0
  for await (const [truth, before, after] of zipLuma([clean, source, result], size)) {
    const mask = maskAt(regions, (frame * den) / num + 1e-6, size)
    let treated = 0
    for (let at = 0; at < mask.length; at += 1) {
      const [one = 0, two = 0, three = 0] = [truth?.[at], before?.[at], after?.[at]]
      if (mask[at] === 1) {
        treated += 1
        sums.dirty += (two - one) ** 2
        sums.cleaned += (three - one) ** 2
      } else {
        sums.outside += (three - two) ** 2
        sums.rest += 1
      }
    }
    sums.within += treated
    if (treated > busiest.treated) Object.assign(busiest, { treated, frame })
    frame += 1
  }
  const means = [sums.dirty / sums.within, sums.cleaned / sums.within, sums.outside / sums.rest]
  return { psnr: means.map(decibels), frame: busiest.frame }
}

function decibels(meanSquare: number): string {
  return (10 * Math.log10(255 ** 2 / Math.max(1e-3, meanSquare))).toFixed(1)
}

function maskAt(regions: readonly FoundRegion[], seconds: number, { width, height }: Size): Uint8Array {
  const mask = new Uint8Array(width * height)
  for (const { x, y, w, h, start, end } of regions) {
    if (seconds < start || seconds >= end) continue
    for (let row = Math.floor(y * height); row < Math.min(height, (y + h) * height); row += 1)
      mask.fill(1, row * width + Math.floor(x * width), row * width + Math.ceil((x + w) * width))
  }
  return mask
}

/** Yields the luma planes of several videos, frame by frame. */
async function* zipLuma(paths: readonly string[], size: Size): AsyncGenerator<(Uint8Array | undefined)[]> {
  const all = paths.map((path) => lumaPlanes(path, size))
  for (;;) {
    const next = await Promise.all(all.map((frames) => frames.next()))
    if (next.some(({ done }) => done === true)) break
    yield next.map(({ value }) => value as Uint8Array | undefined)
  }
  await Promise.all(all.map((frames) => frames.return(undefined)))
}

async function* lumaPlanes(path: string, { width, height }: Size): AsyncGenerator<Uint8Array> {
  const { ffmpeg: program } = await locateFfmpeg()
  const output = ['-map', '0:V:0', '-f', 'rawvideo', '-pix_fmt', 'yuv420p', 'pipe:1']
  const child = spawn(program, ['-v', 'error', '-i', path, ...output], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const frameBytes = (width * height * 3) / 2
  let buffered: Buffer = Buffer.alloc(0)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    for (; buffered.length >= frameBytes; buffered = buffered.subarray(frameBytes))
      yield buffered.subarray(0, width * height)
  }
}

/** Returns the size of a video's picture. */
export async function pictureSize(path: string): Promise<Size> {
  const { video } = await probe(path)
  if (!video) throw new Error(`${path} has no picture`)
  return video
}
