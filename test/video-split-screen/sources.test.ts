import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { liveRecording } from '../engines/ffmpeg/live-recording.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { counter, ffmpeg, solidColour, rgb, streams } from './media.ts'
import { renderSplit, type Rendered } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const square = { quality: '720p', output_ratio: '1:1', audio_mode: 'mute' }

/** First frames by the paths of results, each decoded once. */
const decoded = new Map<string, Promise<Buffer>>()

/** Returns the mean colour of a part of a slot. part: shares of the sides of the slot. */
async function colorIn(
  { output, path }: Rendered,
  clip: number,
  part = { x: 0.2, y: 0.2, width: 0.6, height: 0.6 },
) {
  const slot = output.layout.slots.find((one) => one.clip_index === clip)?.destination_rect
  if (!slot) throw new Error(`clip ${clip} is not shown`)
  const decoding = decoded.get(path) ?? rgb(path)
  decoded.set(path, decoding)
  const frame = await decoding
  const sums = [0, 0, 0]
  let count = 0
  const [left, top] = [slot.x + part.x * slot.width, slot.y + part.y * slot.height]
  for (
    let y = Math.round(top * output.height);
    y < (top + part.height * slot.height) * output.height;
    y += 1
  ) {
    for (
      let x = Math.round(left * output.width);
      x < (left + part.width * slot.width) * output.width;
      x += 1
    ) {
      for (const channel of [0, 1, 2])
        sums[channel] = (sums[channel] ?? 0) + (frame[(y * output.width + x) * 3 + channel] ?? 0)
      count += 1
    }
  }
  return sums.map((sum) => Math.round(sum / count))
}

function expectNear(color: readonly number[], expected: readonly number[], tolerance: number) {
  for (const [channel, value] of expected.entries()) {
    expect(
      Math.abs((color[channel] ?? 0) - value),
      `${color.join()} for ${expected.join()}`,
    ).toBeLessThanOrEqual(tolerance)
  }
}

/** Creates a video of one colour in BT.601 without tags, like old cameras and many tools. */
async function untagged601(name: string, color: string, size: string): Promise<string> {
  const path = join(folder.path, name)
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    `color=${color}:s=${size}:r=25,format=rgb24,scale=out_color_matrix=bt601:out_range=tv,format=yuv420p`,
    '-t',
    '0.2',
    '-c:v',
    'ffv1',
    path,
  )
  return path
}

describe('colours', () => {
  it('are preserved from BT.601, BT.709 and full range', async () => {
    const full = join(folder.path, 'full.mp4')
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'color=0xC04020:s=320x240:r=25,format=rgb24,scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p',
      '-t',
      '0.2',
      '-c:v',
      'libx264',
      '-crf',
      '1',
      full,
    )
    const files = [
      await untagged601('601.mkv', '0xC04020', '320x240'),
      await solidColour(join(folder.path, '709.mkv'), { width: 320, height: 240, seconds: 0.2 }, '0xC04020'),
      full,
    ]
    const rendered = await renderSplit(
      { ...square, clips: files.map((file_id) => ({ file_id })) },
      folder.path,
    )
    for (const clip of files.keys()) expectNear(await colorIn(rendered, clip), [0xc0, 0x40, 0x20], 4)
  })

  it('show the background through transparent parts', async () => {
    const path = join(folder.path, 'alpha.mov')
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      "color=white:s=320x320:r=25,format=rgba,geq=r=255:g=255:b=255:a='255*gt(X,W/2)'",
      '-t',
      '0.2',
      '-c:v',
      'qtrle',
      path,
    )
    const clips = [{ file_id: path }, { file_id: path }]
    const halves = { layout_mode: 'template', layout_id: 250_100 }
    const request = { ...square, ...halves, clips, background_color: '#2060A0', fit_mode: 'contain' }
    const rendered = await renderSplit(request, folder.path)
    expectNear(await colorIn(rendered, 0, { x: 0.3, y: 0.4, width: 0.1, height: 0.2 }), [0x20, 0x60, 0xa0], 3)
    expectNear(await colorIn(rendered, 0, { x: 0.6, y: 0.4, width: 0.1, height: 0.2 }), [255, 255, 255], 3)
  })

  it('are tone-mapped from HDR, with a note in the result', async (context) => {
    const { encoders, filters } = await locateFfmpeg()
    if (!encoders.has('libx265') || !filters.has('zscale'))
      context.skip('this ffmpeg has no libx265 or zscale')
    const path = join(folder.path, 'hdr.mp4')
    const tags = [
      '-colorspace',
      'bt2020nc',
      '-color_primaries',
      'bt2020',
      '-color_trc',
      'smpte2084',
      '-color_range',
      'tv',
    ]
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      "color=gray:s=320x240:r=25,format=yuv420p10le,geq=lum='if(lt(X,W/2),64+876*0.5081,64+876*0.3)':cb=512:cr=512," +
        'setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084',
      ...['-t', '0.2', '-c:v', 'libx265', '-x265-params', 'log-level=none', ...tags],
      path,
    )
    const rendered = await renderSplit(
      { ...square, clips: [{ file_id: path }, { file_id: path }] },
      folder.path,
    )
    expect(rendered.output.notes?.join()).toContain('hdr.mp4')
    const left = await colorIn(rendered, 0, { x: 0.1, y: 0.4, width: 0.2, height: 0.2 })
    const right = await colorIn(rendered, 0, { x: 0.7, y: 0.4, width: 0.2, height: 0.2 })
    // Grey stays grey. 100 cd/m², the white of SDR, is bright. 10 cd/m² is much darker, but not black.
    expect(Math.max(...left) - Math.min(...left)).toBeLessThanOrEqual(4)
    expect(left[0]).toBeGreaterThan(120)
    expect(right[0]).toBeGreaterThan(20)
    expect(right[0]).toBeLessThan((left[0] ?? 0) - 50)
  })
})

describe('the examples of the contract', () => {
  it.each(sampleCases(videoSplitScreen.examples, 1))('$title', async ({ input }) => {
    const clips = input['clips'] as { file_id: string }[]
    const clipsWithPaths = await Promise.all(
      clips.map(async (clip, index) => {
        const path = join(folder.path, clip.file_id.replace('.mp4', '.mkv'))
        const format = { width: 320, height: 180, seconds: 1, rate: '5' }
        await counter(path, { ...format, hertz: 500 + 500 * index })
        return { ...clip, file_id: path }
      }),
    )
    const { output, path } = await renderSplit({ ...input, clips: clipsWithPaths }, folder.path)
    expect(output.layout.slots).toHaveLength(clips.length)
    const probed = await streams(path)
    expect(probed).toHaveLength(2)
    // Of the default quality.
    const [width, height] = input['output_ratio'] === '16:9' ? [1920, 1080] : [1080, 1920]
    expect(output).toMatchObject({ width, height })
    expect(probed.find((stream) => stream['codec_type'] === 'video')).toMatchObject({ width, height })
  })
})

describe('a file cut off in the middle', () => {
  it('fails with its name if pictures of the range are missing', async () => {
    const intact = join(folder.path, 'intact.mp4')
    const truncated = join(folder.path, 'cut.mp4')
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=4', '-g', '10', '-movflags', '+faststart', intact],
    )
    const bytes = await readFile(intact)
    await writeFile(truncated, bytes.subarray(0, bytes.length / 2))
    const late = { file_id: truncated, begin_time_ms: 3000, end_time_ms: 3800 }
    await expect(
      renderSplit({ ...square, clips: [late, { file_id: intact }] }, folder.path),
    ).rejects.toMatchObject({
      code: 6021,
      message: expect.stringContaining('cut.mp4: there is no picture at 3.8 s') as string,
    })
    const early = { file_id: truncated, end_time_ms: 1000 }
    const { output } = await renderSplit({ ...square, clips: [early, { file_id: intact }] }, folder.path)
    expect(output.duration_ms).toBe(1000)
  })
})

it.skipIf(process.platform === 'win32')('checks all clips with one ffmpeg process', async () => {
  const at = (name: string) => join(folder.path, name)
  const [one, other, callLog] = [at('one.mkv'), at('other.mkv'), at('calls')] as const
  for (const path of [one, other]) await counter(path, { width: 160, height: 90, seconds: 1.2, rate: '5' })
  using _ = await replaceFfmpeg(at('logging'), `echo "$*" >> '${callLog}'; exec "$FFMPEG" "$@"`)
  const clips = [{ file_id: one }, { file_id: other }, { file_id: one, end_time_ms: 700 }]
  await renderSplit({ ...square, clips }, folder.path)
  expect((await readFile(callLog, 'utf8')).trim().split('\n')).toHaveLength(2)
})

it.each(sampleCases(['mkv', 'mp4'], 1))(
  'the duration of a .%s that does not start at 0 is that of its streams',
  async (extension) => {
    const path = join(folder.path, `late.${extension}`)
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2'],
      ...['-output_ts_offset', '5', path],
    )
    const facts = await probe(path)
    expect(Math.abs(facts.duration_ms - 2000)).toBeLessThan(60)
    expect(Math.abs((facts.video?.duration_ms ?? 0) - 2000)).toBeLessThan(60)
  },
)

const clipStarts = [
  ['after the clip', soakSize(5.8, 3)],
  ['just before the clip', 6.04],
] as const

it.each(sampleCases(clipStarts, 1))(
  'shows the picture of a live recording that starts %s from there on',
  async (_, start) => {
    const path = join(folder.path, 'live.webm')
    await liveRecording(path, {
      picture: 'color=0xC04020:size=32x18',
      startSeconds: 6,
      durationSeconds: 7,
      gop: 100,
    })
    const clip = { file_id: path, begin_time_ms: start * 1000, end_time_ms: 6400 }
    const { path: rendered, output } = await renderSplit({ ...square, clips: [clip, clip] }, folder.path)
    const { destination_rect: slot } = output.layout.slots[0] ?? {}
    if (!slot) throw new Error('nothing is shown')
    const [x, y] = [slot.x + slot.width / 2, slot.y + slot.height / 2]
    const at = 3 * (Math.floor(y * output.height) * output.width + Math.floor(x * output.width))
    const frame = await rgb(rendered, Math.ceil(25 * (6.2 - start)))
    expectNear([...frame.subarray(at, at + 3)], [0xc0, 0x40, 0x20], 8)
  },
)
