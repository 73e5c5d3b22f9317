import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'

const run = promisify(execFile)

/** A folder of this test file, removed after its last test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-ffmpeg-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs ffmpeg freely, as a test's own tool; the output's path comes last. */
export async function make(path: string, args: readonly string[]): Promise<string> {
  const { ffmpeg } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])
  await run(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...args, path])
  return path
}

/** Makes an mp4's first picture one that is to be turned clockwise for display. */
export async function turn(path: string, degrees: number): Promise<string> {
  const bytes = await readFile(path)
  // The matrix of the first track header, in 16.16 fixed point: a b u c d v.
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  const radians = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.round(Math.cos(radians)), Math.round(Math.sin(radians))]
  for (const [place, value] of [cos, sin, 0, -sin, cos].entries()) {
    bytes.writeInt32BE(value * 65_536, matrix + place * 4)
  }
  await writeFile(path, bytes)
  return path
}

/** Arguments for a small test picture of a length in seconds. */
export function picture(seconds: number, more = ''): string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=size=160x90:rate=25:duration=${seconds}${more}`]
}

/** Arguments for a tone of a length in seconds. */
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

/** Decodes a picture into four-byte pixels. */
export async function pixelsOf(path: string): Promise<Buffer> {
  const { ffmpeg } = await locateFfmpeg()
  const args = ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const { stdout } = await run(ffmpeg, args, { encoding: 'buffer', maxBuffer: 2 ** 28 })
  return stdout
}
