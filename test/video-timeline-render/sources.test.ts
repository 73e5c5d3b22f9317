import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lazy } from '../../src/platform/cache.ts'
import { videoTimelineRender } from '../../tools/video-timeline-render/contract.ts'
import { liveRecording } from '../engines/ffmpeg/live-recording.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import {
  amplitude,
  counter,
  ffmpeg,
  grey,
  solidColour,
  rgb,
  rgbFrames,
  streams,
  samples,
} from '../video-split-screen/media.ts'
import { pixel } from './media.ts'
import { consecutiveClips, render, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

function expectNear(colour: readonly number[], expected: readonly number[]): void {
  for (const [channel, value] of expected.entries()) {
    const label = `${colour.join()} for ${expected.join()}`
    expect(Math.abs((colour[channel] ?? 0) - value), label).toBeLessThanOrEqual(8)
  }
}

it('shows pictures completely, centred on black, with unchanged colours: of other aspect ratios, and transparent ones', async () => {
  const [wide, tall, odd, alpha] = [at('wide.mkv'), at('tall.mkv'), at('odd.mkv'), at('alpha.mov')]
  await Promise.all([
    solidColour(wide, { width: 640, height: 180, seconds: 0.4 }, '0xC04020'),
    solidColour(tall, { width: 180, height: 320, seconds: 0.4 }, '0x20C040'),
    solidColour(odd, { width: 355, height: 201, seconds: 0.4 }, '0x2040C0'),
    ffmpeg(
      ...[
        '-f',
        'lavfi',
        '-i',
        "color=white:s=160x90:r=25,format=rgba,geq=r=255:g=255:b=255:a='255*gt(X,W/2)'",
      ],
      ...['-t', '0.4', '-c:v', 'qtrle', alpha],
    ),
  ])
  const size = [320, 180] as const
  const cuts = [wide, tall, odd, alpha].map((path) => ({ path, from: 0, seconds: 0.4 }))
  const { path } = await render(request({ size, rate: 25, picture: consecutiveClips(cuts) }), folder.path)
  const [first, second, third, fourth] = (await rgbFrames(path, [5, 15, 25, 35])) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  expectNear(pixel(first, size, [0.5, 0.5]), [0xc0, 0x40, 0x20])
  expectNear(pixel(first, size, [0.02, 0.3]), [0xc0, 0x40, 0x20])
  expectNear(pixel(first, size, [0.5, 0.2]), [0, 0, 0])
  expectNear(pixel(first, size, [0.5, 0.8]), [0, 0, 0])
  expectNear(pixel(second, size, [0.5, 0.02]), [0x20, 0xc0, 0x40])
  expectNear(pixel(second, size, [0.3, 0.5]), [0, 0, 0])
  expectNear(pixel(second, size, [0.7, 0.5]), [0, 0, 0])
  expectNear(pixel(third, size, [0.02, 0.02]), [0x20, 0x40, 0xc0])
  expectNear(pixel(fourth, size, [0.25, 0.5]), [0, 0, 0])
  expectNear(pixel(fourth, size, [0.75, 0.5]), [255, 255, 255])
  const [video, ...others] = await streams(path)
  expect(others).toHaveLength(1)
  expect(video).toMatchObject({
    ...{ codec_name: 'h264', pix_fmt: 'yuv420p', sample_aspect_ratio: '1:1', nb_read_frames: '40' },
    ...{ color_range: 'tv', color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709' },
  })
  const bytes = await readFile(path)
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
})

it('repeats the last picture if the sound is longer, or if the end of the file was rounded up', async () => {
  const path = at('short-picture.mkv')
  await ffmpeg(
    ...['-f', 'lavfi', '-i', "color=black:s=160x90:r=25:d=1,format=yuv420p,geq=lum='20+6*N':cb=128:cr=128"],
    ...['-f', 'lavfi', '-i', 'sine=d=2', '-c:v', 'ffv1', path],
  )
  // Then a clip after the last picture, reached by decoding through.
  const after = [0.2, 1.3].map((from) => ({ path, from, seconds: 0.4, muted: true }))
  const { path: rendered } = await render(
    request({ picture: consecutiveClips([{ path, from: 0.5, seconds: 1.55, muted: true }, ...after]) }),
    folder.path,
  )
  const pixels = await grey(rendered)
  expect(pixels).toHaveLength(59 * 160 * 90)
  const numbers = Array.from({ length: 39 }, (_, frame) =>
    Math.round((16 + ((pixels[frame * 160 * 90] ?? 0) * 219) / 255 - 20) / 6),
  )
  expect(numbers.slice(0, 3)).toEqual([12, 13, 14].map((number) => number + (numbers[0] === 13 ? 1 : 0)))
  expect(new Set(numbers.slice(13))).toEqual(new Set([24]))
  expect(Math.abs((pixels[54 * 160 * 90] ?? 0) - (pixels[20 * 160 * 90] ?? 0))).toBeLessThanOrEqual(1)
})

const lateEnds = [
  ['slide-show', soakSize(9.4, 0.4), 'color=black:s=32x18:r=1/5,trim=end_frame=3', "lum='20+62*N'"],
  [
    'still-screen',
    0.4,
    "color=black:s=32x18:r=25,trim=end_frame=23,settb=1/1000,setpts='min(N,20)/25/TB+max(N-20,0)*2/TB'",
    "lum='20+N/2'",
  ],
] as const

/** Creates a film of 14 s with sound, whose last picture starts at 10 s or earlier. */
async function filmWithLateEnd([name, , times, luma]: (typeof lateEnds)[number]): Promise<string> {
  const path = at(`${name}.mp4`)
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `${times},format=yuv420p,geq=${luma}:cb=128:cr=128`],
    ...['-f', 'lavfi', '-i', 'sine=r=8000:d=15', '-vf', 'settb=1/1000,scale=160:90:flags=neighbor'],
    ...['-fps_mode', 'vfr', '-enc_time_base', '1/1000', '-c:v', 'libx264', '-bf', '0', '-t', '14', path],
  )
  return path
}

/** Times in seconds that a result shows of an excluded picture and of films with a late end, and its brightness there. */
const lateRendering = lazy(async () => {
  const films = sampleCases(lateEnds, 1)
  const paths = await Promise.all(films.map(filmWithLateEnd))
  const excluded = at('excluded-picture.mp4')
  const bytes = await readFile(paths[0] ?? '')
  // Duration of the picture, in the time scale of the file: milliseconds. Its last picture starts at 10 s.
  bytes.writeUInt32BE(10_000, bytes.indexOf('elst') + 12)
  await writeFile(excluded, bytes)
  const cuts = [
    ...[6, 11].map((from) => ({ path: excluded, from, seconds: 1, muted: true })),
    ...paths.flatMap((path, index) => {
      const from = films[index]?.[1] ?? 0
      return [
        { path, from: 11, seconds: 1, muted: true },
        { path, from, seconds: 13 - from, muted: true },
      ]
    }),
  ]
  const { path } = await render(request({ rate: 5, picture: consecutiveClips(cuts) }), folder.path)
  const pixels = await grey(path)
  const levels = Array.from(
    { length: pixels.length / (160 * 90) },
    (_, frame) => pixels[frame * 160 * 90] ?? 0,
  )
  return { levels, count: Math.round(cuts.reduce((sum, { seconds }) => sum + seconds, 0) * 5) }
})

it('shows the picture before one that an edit list excludes', async () => {
  const { levels, count } = await lateRendering()
  expect(levels).toHaveLength(count)
  expect(Math.abs((levels[0] ?? 0) - (levels[9] ?? 0))).toBeLessThanOrEqual(1)
})

it.each(sampleCases(lateEnds, 1))(
  'shows the last picture of a %s up to the duration that the file states',
  async (name, from) => {
    // The excluded picture is first; each film has the same number of frames in the full form.
    const count = Math.round((14 - from) * 5)
    const start = 10 + count * lateEnds.findIndex(([one]) => one === name)
    const { levels } = await lateRendering()
    const level = (frame: number) => levels[start + frame] ?? 0
    expect(Math.abs(level(0) - level(count - 1))).toBeLessThanOrEqual(1)
    expect(level(count - 1)).toBeGreaterThan(level(6))
  },
)

describe('a file with fewer pictures than its header states', () => {
  const late = "setpts='(N+mod(N,3)/4)/25/TB'"
  const variable = ['-vf', `settb=1/1000,${late}`, '-fps_mode', 'vfr', '-enc_time_base', '1/1000']
  // A late clip starts at a key frame in the damaged half.
  const big = ['-vf', 'fps=2,scale=1600:1350:flags=neighbor', '-threads', '1', '-force_key_frames', '5']
  const firstHalf = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)
  const zeroSecondHalf = (bytes: Buffer) => bytes.fill(0, Math.floor(bytes.length / 2))

  const files: readonly [string, string, (bytes: Buffer) => Uint8Array, readonly string[]][] = [
    ['cut off', 'even.mp4', firstHalf, []],
    ['cut off, of a variable rate', 'variable.flv', firstHalf, variable],
    ['damaged, of a variable rate', 'variable.mp4', zeroSecondHalf, variable],
    ['damaged, of big pictures', 'big.mp4', zeroSecondHalf, big],
  ]

  // A few big pictures are decoded before the main group.
  const cases = files.flatMap((file) => [
    [...file, 2, 4] as const,
    [...file, 6, file[3] === big ? 0.08 : 1.5] as const,
  ])

  it.each(sampleCases(cases, 3))(
    '%s: rendering %s fails with its name, wherever the clip starts',
    async (_, name, damage, options, from, seconds) => {
      const [intact, damaged] = [at(`intact-${name}`), at(`damaged-${name}`)]
      await ffmpeg(
        ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=8', ...options],
        ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25'],
        ...(name.endsWith('.mp4') ? ['-movflags', '+faststart', intact] : [intact]),
      )
      await writeFile(damaged, damage(await readFile(intact)))
      const cuts = [
        { path: intact, from: 7, seconds: 0.5 },
        { path: damaged, from, seconds },
      ]
      await expect(render(request({ picture: consecutiveClips(cuts) }), folder.path)).rejects.toMatchObject({
        code: 6021,
        message: expect.stringContaining(
          `video_track[0].track_timeline[1].material: damaged-${name}`,
        ) as string,
      })
    },
  )
})

describe('the examples of the contract', () => {
  const scaled = (side: number) => soakSize(side / 4, side)

  it.each(sampleCases(videoTimelineRender.examples, 1))('$title', async ({ input }) => {
    const parsed = videoTimelineRender.input.parse(input)
    const paths = new Map<string, string>()
    for (const [index, { id }] of parsed.materials.entries()) {
      const path = at(id.replace(/\.(mp4|mp3)$/, (extension) => (extension === '.mp4' ? '.mkv' : '.wav')))
      if (path.endsWith('.mkv'))
        await counter(path, { width: 160, height: 90, seconds: 3, rate: '5', hertz: 300 + 200 * index })
      else await ffmpeg('-f', 'lavfi', '-i', 'sine=f=900', '-t', '3', path)
      paths.set(id, path)
    }
    const body = JSON.parse(JSON.stringify(input), (_, value: unknown) =>
      typeof value === 'string' ? (paths.get(value) ?? value) : value,
    ) as ReturnType<typeof request>
    const { path, output, plan } = await render(
      { ...body, video_rate: soakSize(10, body.video_rate), video_size: parsed.video_size.map(scaled) },
      folder.path,
    )
    expect(plan.credits).toBe(1)
    const [video, audio] = await streams(path)
    const [width, height] = parsed.video_size.map(scaled)
    expect(video).toMatchObject({ codec_name: 'h264', width, height })
    expect(audio).toMatchObject({ codec_name: 'aac' })
    expect(Number(video?.['duration'])).toBeCloseTo(output.duration, 2)
  })
})

it('shows the picture of a live recording from where it starts, and plays its sound before and after', async () => {
  // The same recording as in tests of split screens.
  const options = { picture: 'color=0xC04020:size=32x18', startSeconds: 6, durationSeconds: 7, gop: 100 }
  const path = await liveRecording(at('live.webm'), options)
  const size = [160, 90] as const
  const cut = { path, from: 3, seconds: 4.2 }
  const rendered = await render(
    request({ size, rate: 25, picture: consecutiveClips([cut]), sound: [consecutiveClips([cut])] }),
    folder.path,
  )
  expectNear(pixel(await rgb(rendered.path, 80), size, [0.5, 0.5]), [0xc0, 0x40, 0x20])
  const sound = await samples(rendered.path)
  // The picture starts at 3 s of the result.
  for (const second of [0, 1, 2, 3])
    expect(amplitude(sound.subarray(second * 48_000, (second + 1) * 48_000), 440)).toBeGreaterThan(0.05)
})
