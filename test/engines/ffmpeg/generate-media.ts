import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { generateOnce } from './media-cache.ts'

const run = promisify(execFile)

/** A folder of this test file, removed after its last test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-ffmpeg-'))
  // A program that was killed may still be writing.
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Creates a media file at a path with ffmpeg arguments, the output excepted. Returns the path. */
export async function generateMedia(path: string, args: readonly string[]): Promise<string> {
  const { ffmpeg, version } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])
  const generate = (to: string) => run(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...args, to])
  await generateOnce(path, { program: [ffmpeg, version], args, generate })
  return path
}

/** Sets the display rotation of an mp4's first video track, degrees clockwise. Returns the path. */
export async function setRotation(path: string, degrees: number): Promise<string> {
  const bytes = await readFile(path)
  // The matrix of the first track header, in 16.16 fixed point: a b u c d v.
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  const radians = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.round(Math.cos(radians)), Math.round(Math.sin(radians))]
  for (const [index, value] of [cos, sin, 0, -sin, cos].entries()) {
    bytes.writeInt32BE(value * 65_536, matrix + index * 4)
  }
  await writeFile(path, bytes)
  return path
}

/** Arguments for a small test picture with a duration in seconds. */
export function picture(seconds: number, more = ''): string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=size=160x90:rate=25:duration=${seconds}${more}`]
}

/** Arguments for a tone with a duration in seconds. */
export function tone(seconds: number): string[] {
  return ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`]
}

/** Small and fast H.264. */
export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** Folder of the public test videos; undefined where they are not present. */
export function videoFolder(): string | undefined {
  return testdata('video')
}

/** A folder of the public test files; undefined where they are not present. */
export function testdata(name: string): string | undefined {
  const root =
    process.env['REELWRIGHT_TESTDATA'] ?? resolve(import.meta.dirname, '../../../../shared/testdata')
  const folder = join(root, name)
  return existsSync(folder) ? folder : undefined
}

/** Decodes a picture to RGB, 3 bytes per pixel, row by row. */
export async function pixelsOf(path: string): Promise<Buffer> {
  const { ffmpeg } = await locateFfmpeg()
  const args = ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const { stdout } = await run(ffmpeg, args, { encoding: 'buffer', maxBuffer: 2 ** 28 })
  return stdout
}
