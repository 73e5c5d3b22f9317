import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll } from 'vitest'
import { locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { generateOnce } from './media-cache.ts'

/** A media file to create: its path, and the arguments of `generateMedia`. Streams are named only by `-map`. */
export type MediaFile = readonly [path: string, args: readonly string[]]

/**
 * Creates several media files like `generateMedia`, but with one start of ffmpeg, which takes longer than a short film. Each
 * file contains all streams of its inputs unless it maps some of them. All inputs end.
 */
export async function generateTogether(files: readonly MediaFile[]): Promise<void> {
  const { ffmpeg, version } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])
  const missing: MediaFile[] = []
  const creation = Promise.withResolvers<void>()
  const steps = files.map(([path, args]) => {
    const known = Promise.withResolvers<void>()
    const generate = (to: string) => {
      missing.push([to, args])
      known.resolve()
      return creation.promise
    }
    const created = generateOnce(path, { program: [ffmpeg, version], args, generate })
    return { isKnown: Promise.race([known.promise, created]), created }
  })
  const created = Promise.all(steps.map((step) => step.created))
  await Promise.all(steps.map(({ isKnown }) => isKnown))
  creation.resolve(missing.length > 0 ? run(ffmpeg, joinArguments(missing)) : undefined)
  await created.catch((error: unknown) => {
    throw new Error(`Not created: ${files.map(([path]) => path).join(', ')}`, { cause: error })
  })
}

async function run(ffmpeg: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...args])
}

/** Returns the arguments of all inputs, then those of all outputs, whose maps name the inputs by their new numbers. */
function joinArguments(files: readonly MediaFile[]): string[] {
  const inputs: string[] = []
  const outputs: string[] = []
  let before = 0
  for (const [path, args] of files) {
    const end = args.lastIndexOf('-i') + 2
    const count = args.filter((arg) => arg === '-i').length
    const [given, options] = [args.slice(0, end), args.slice(end)]
    inputs.push(...given)
    if (!options.includes('-map'))
      for (let index = 0; index < count; index += 1) outputs.push('-map', String(before + index))
    for (const [at, option] of options.entries())
      outputs.push(
        options[at - 1] === '-map' ? option.replace(/^\d+/, (n) => String(Number(n) + before)) : option,
      )
    outputs.push(path)
    before += count
  }
  return [...inputs, ...outputs]
}

/** Returns a function that plans a media file of a folder and returns its path. All are created before the first test. */
export function planMedia(folder: string): (name: string, args: readonly string[]) => string {
  const planned: MediaFile[] = []
  beforeAll(() => generateTogether(planned))
  return (name, args) => {
    const path = join(folder, name)
    if (planned.some(([other]) => other === path)) throw new RangeError(`${name} is planned twice`)
    planned.push([path, args])
    return path
  }
}
