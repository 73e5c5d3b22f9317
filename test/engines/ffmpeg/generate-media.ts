import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
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

/** Generated media by program and arguments. Later runs and other test files copy it. */
const cacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/media')

/** Creates a media file at a path with ffmpeg arguments, the output excepted. Returns the path. */
export async function generateMedia(path: string, args: readonly string[]): Promise<string> {
  const { ffmpeg, version } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])
  const generate = (to: string) => run(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...args, to])
  if (!isReproducible(path, args)) {
    await generate(path)
    return path
  }
  const key = createHash('sha256').update(JSON.stringify([ffmpeg, version, args]))
  const cached = join(cacheFolder, `${key.digest('hex')}${extname(path)}`)
  if (!existsSync(cached)) {
    await mkdir(cacheFolder, { recursive: true })
    // Several test files may generate it at the same time.
    const unfinished = join(cacheFolder, `${randomUUID()}${extname(path)}`)
    await generate(unfinished)
    await rename(unfinished, cached)
  }
  await copyFile(cached, path, constants.COPYFILE_FICLONE)
  return path
}

/** Whether arguments read no file and write a single one, so that equal arguments create equal files. */
function isReproducible(path: string, args: readonly string[]): boolean {
  const generates = args.every(
    (arg, at) => arg !== '-i' || (args[at - 2] === '-f' && args[at - 1] === 'lavfi'),
  )
  const namesFile = args.some((arg) => arg.startsWith('/') || arg.includes('=/'))
  return generates && !namesFile && !path.includes('%')
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
