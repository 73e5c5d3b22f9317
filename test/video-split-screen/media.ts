import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { generateOnce } from '../engines/ffmpeg/media-cache.ts'

const execute = promisify(execFile)
const program = process.env['REELWRIGHT_FFMPEG'] ?? 'ffmpeg'

/** Runs ffmpeg and returns its standard output. A file that an equal command has created is copied instead. */
export async function ffmpeg(...args: string[]): Promise<Buffer> {
  let output = Buffer.alloc(0)
  const path = args.at(-1) ?? ''
  await generateOnce(path, {
    // Located once per process, also while a test replaces the program.
    program: [program, (await locateFfmpeg()).version],
    args: args.slice(0, -1),
    async generate(to) {
      const all = ['-v', 'error', '-nostdin', '-y', ...args.slice(0, -1), to]
      output = (await execute(program, all, { encoding: 'buffer', maxBuffer: 2 ** 29 })).stdout
    },
  })
  return output
}

interface ClipFormat {
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly rate?: string
  /** Sample aspect ratio. */
  readonly sar?: string
  /** Frequency of the sound; silent if omitted. */
  readonly hertz?: number
  readonly soundSeconds?: number
}

/**
 * Lossless encoding with a key frame every fifth frame. The matrix is set here and by `tagged`, because versions of
 * ffmpeg take it from the encoder options or from the filters.
 */
const losslessArgs = [
  '-c:v',
  'ffv1',
  '-g',
  '5',
  '-colorspace',
  'bt709',
  '-color_range',
  'tv',
  '-c:a',
  'pcm_s16le',
]
const tagged = 'range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709'

/** Creates a still grid of lines over gradients of brightness and colour, which reveals shifts, rotation and mirroring. */
export async function markers(path: string, clip: ClipFormat): Promise<string> {
  const grid = 'gt(lt(mod(X+7,32),4)+lt(mod(Y+11,32),4),0)'
  const picture = `lum='30+60*X/W+50*Y/H+90*${grid}':cb='108+40*X/W':cr='108+40*Y/H'`
  // Odd sides require 4:4:4 chroma.
  const format = clip.width % 2 || clip.height % 2 ? 'yuv444p' : 'yuv420p'
  return await createVideo(path, clip, `format=${format},trim=end_frame=1,geq=${picture},loop=-1:1:0`)
}

/** Creates a video whose frame n is uniform grey with luma 20 + 6n. Draws it small, because the filter is slow per pixel. */
export async function counter(path: string, clip: ClipFormat): Promise<string> {
  const smallPicture = "scale=16:16,format=yuv420p,geq=lum='20+6*N':cb=128:cr=128"
  return await createVideo(path, clip, `${smallPicture},scale=${clip.width}:${clip.height}:flags=neighbor`)
}

/** Creates a video of one colour. */
export async function solidColour(path: string, clip: ClipFormat, color: string): Promise<string> {
  return await createVideo(
    path,
    clip,
    `drawbox=c=${color}:t=fill,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`,
  )
}

async function createVideo(path: string, clip: ClipFormat, filters: string): Promise<string> {
  const { width, height, seconds, rate = '25', sar = '1', hertz, soundSeconds = seconds } = clip
  const picture = `color=black:s=${width}x${height}:r=${rate},${filters},setparams=${tagged},setsar=${sar}`
  const sound = hertz ? ['-f', 'lavfi', '-t', String(soundSeconds), '-i', sine(hertz)] : []
  await ffmpeg('-f', 'lavfi', '-i', picture, ...sound, '-t', String(seconds), ...losslessArgs, path)
  return path
}

/** Returns the filter of a sine at half of full scale, so that two of them reach full scale. */
export function sine(hertz: number): string {
  return `aevalsrc=0.5*sin(2*PI*${hertz}*t):s=44100`
}

/** Returns the brightness of every pixel of every frame, 0 to 255, without correction of the sample aspect ratio. */
export async function grey(path: string, options: string[] = []): Promise<Buffer> {
  return await ffmpeg('-i', path, '-map', '0:V:0', ...options, '-f', 'rawvideo', '-pix_fmt', 'gray', '-')
}

/** Returns a frame as red, green and blue bytes. */
export async function rgb(path: string, frame = 0): Promise<Buffer> {
  return (await rgbFrames(path, [frame]))[0] ?? Buffer.alloc(0)
}

/** Returns frames as red, green and blue bytes. numbers: ascending. */
export function rgbFrames(path: string, numbers: readonly number[]): Promise<Buffer[]> {
  return rawFrames(path, numbers, 'rgb24')
}

/** Returns the coded samples of frames, 4:2:0: the planes Y, Cb and Cr. numbers: ascending. */
export function yuvFrames(path: string, numbers: readonly number[]): Promise<Buffer[]> {
  return rawFrames(path, numbers, 'yuv420p')
}

async function rawFrames(path: string, numbers: readonly number[], format: string): Promise<Buffer[]> {
  const condition = numbers.map((number) => `eq(n\\,${number})`).join('+')
  const selectArgs = [
    '-vf',
    `select=${condition}`,
    '-fps_mode',
    'passthrough',
    '-frames:v',
    String(numbers.length),
  ]
  const bytes = await ffmpeg('-i', path, ...selectArgs, '-f', 'rawvideo', '-pix_fmt', format, '-')
  const size = bytes.length / numbers.length
  return numbers.map((_, index) => bytes.subarray(index * size, (index + 1) * size))
}

/** Returns the left channel of the sound at 48 kHz, -1 to 1. */
export async function samples(path: string): Promise<Float32Array> {
  const bytes = await ffmpeg(
    '-i',
    path,
    '-map',
    '0:a:0',
    '-af',
    'pan=mono|c0=c0',
    '-f',
    'f32le',
    '-ar',
    '48000',
    '-',
  )
  return new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4))
}

/** Returns the amplitude of one frequency in 48 kHz samples (discrete Fourier transform at that frequency). */
export function amplitude(sound: Float32Array, hertz: number): number {
  const radiansPerSample = (2 * Math.PI * hertz) / 48_000
  let real = 0
  let imaginary = 0
  for (const [index, sample] of sound.entries()) {
    real += sample * Math.cos(radiansPerSample * index)
    imaginary += sample * Math.sin(radiansPerSample * index)
  }
  return (2 * Math.hypot(real, imaginary)) / sound.length
}

/** Returns the streams of a file as ffprobe prints them. */
export async function streams(path: string): Promise<Record<string, string>[]> {
  const probe = program.replace(/ffmpeg(?=[^/\\]*$)/, 'ffprobe')
  const { stdout } = await execute(probe, [
    '-v',
    'error',
    '-count_frames',
    '-show_streams',
    '-of',
    'json',
    path,
  ])
  return (JSON.parse(stdout) as { streams: Record<string, string>[] }).streams
}
