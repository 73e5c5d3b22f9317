import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { correctByPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { sampleCases } from '../../soak-size.ts'
import { h264, generateMedia, picture, scratchFolder, tone, setRotation } from './generate-media.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

beforeAll(() => generateMedia(at('plain.mp4'), [...picture(2), ...tone(1), ...h264, '-c:a', 'aac']))

/** Copies the plain video with another turn. */
async function turned(degrees: number): Promise<string> {
  return await setRotation(
    await generateMedia(at(`turned${degrees}.mp4`), ['-i', at('plain.mp4'), '-c', 'copy']),
    degrees,
  )
}

describe('a plain video', () => {
  test('its facts', async () => {
    expect(await probe(at('plain.mp4'))).toMatchObject({
      container: 'mov,mp4,m4a,3gp,3g2,mj2',
      duration_ms: 2000,
      size: (await readFile(at('plain.mp4'))).length,
      video: {
        codec: 'h264',
        width: 160,
        height: 90,
        coded_width: 160,
        coded_height: 90,
        rotation: 0,
        sample_aspect_ratio: { num: 1, den: 1 },
        frame_rate: { num: 25, den: 1 },
        variable_rate: false,
        duration_ms: 2000,
        pixel_format: 'yuv420p',
        hdr: false,
        alpha: false,
      },
      audio: [{ codec: 'aac', channels: 1, sample_rate: 48_000, duration_ms: 1000 }],
      subtitles: [],
    })
    await checkDecodable(at('plain.mp4'))
  })

  test.each(sampleCases([90, 270, 180]))('turned clockwise by %d', async (degrees) => {
    const path = await turned(degrees)
    const swapped = degrees !== 180
    const facts = await probe(path)
    expect(facts.video).toMatchObject({
      rotation: degrees,
      width: swapped ? 90 : 160,
      height: swapped ? 160 : 90,
      coded_width: 160,
      coded_height: 90,
    })
    // ffmpeg must agree: its automatic rotation equals the reported one.
    const pixels = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24']
    const shown = await generateMedia(at(`shown${degrees}.raw`), ['-i', path, ...pixels])
    const filter = { 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' }[degrees] ?? 'null'
    const reported = await generateMedia(at(`reported${degrees}.raw`), [
      ...['-noautorotate', '-i', path, '-vf', filter, ...pixels],
    ])
    expect((await readFile(shown)).equals(await readFile(reported))).toBe(true)
  })
})

test('non-square samples scale the width', async () => {
  const path = await generateMedia(at('anamorphic.mp4'), [...picture(1), '-vf', 'setsar=4/3', ...h264])
  expect((await probe(path)).video).toMatchObject({
    width: 213,
    height: 90,
    coded_width: 160,
    sample_aspect_ratio: { num: 4, den: 3 },
  })
})

test('frames at uneven times have a variable rate', async () => {
  const path = at('uneven.mp4')
  await generateMedia(path, [
    ...picture(4),
    '-vf',
    String.raw`select=not(mod(n\,7))+gt(n\,60)`,
    '-fps_mode',
    'vfr',
    ...h264,
  ])
  expect((await probe(path)).video?.variable_rate).toBe(true)
})

test('the rate of NTSC is exact', async () => {
  const path = at('ntsc.mkv')
  await generateMedia(path, ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30000/1001:duration=1', ...h264])
  expect((await probe(path)).video).toMatchObject({
    frame_rate: { num: 30_000, den: 1001 },
    variable_rate: false,
  })
})

test('pictures are counted if the header states a clock rate as frame rate', async () => {
  const uneven = String.raw`settb=1/1000,setpts='N*33+mod(N*7\,25)'`
  const ticks = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=1000:duration=0.075']
  const args = [...ticks, ...tone(9), '-vf', uneven, '-fps_mode', 'passthrough']
  const { video } = await probe(
    await generateMedia(at('ticks.webm'), [...args, '-c:v', 'libvpx', '-c:a', 'libvorbis']),
  )
  const { num, den } = video?.frame_rate ?? { num: 0, den: 1 }
  expect(num / den).toBeCloseTo(75 / (74 * 0.033), 0)
  expect(video?.variable_rate).toBe(true)
  expect(video).not.toHaveProperty('steady_rate')
  // Sound that continues longer does not count.
  expect(Math.abs((video?.duration_ms ?? 0) - 2470)).toBeLessThan(60)
})

test.each(sampleCases(['mp4', 'mkv'], 1))(
  'of a %s whose picture starts after the sound, its start and its own duration are reported',
  async (kind) => {
    const late = ['-itsoffset', '0.52', ...picture(2), ...tone(4), '-fps_mode', 'passthrough']
    const path = await generateMedia(at(`late.${kind}`), [...late, ...h264, '-c:a', 'alac'])
    const { duration_ms, video } = await probe(path)
    expect(video?.start_ms).toBe(520)
    expect(Math.abs((video?.duration_ms ?? 0) - 2000)).toBeLessThan(5)
    expect(Math.abs(duration_ms - 4000)).toBeLessThan(30)
  },
)

describe('late or very short streams of a Matroska file', () => {
  const late = (seconds: number, args: readonly string[]) => ['-itsoffset', String(seconds), ...args]
  const near = (reportedMs: number | undefined, ms: number) =>
    expect(Math.abs((reportedMs ?? 0) - ms)).toBeLessThan(30)

  test.each(
    sampleCases(
      [
        ['six pictures after 3 s', 3, 0.24],
        ['six pictures at the start', 0, 0.24],
        ['a picture that starts after 8 s', 8, 4],
      ] as const,
      1,
    ),
  )('reports start, duration and codec of %s', async (_, start, duration) => {
    const inputs = [...late(start, picture(duration)), ...tone(12), '-fps_mode', 'passthrough']
    const path = await generateMedia(at('late-picture.mkv'), [...inputs, ...h264, '-c:a', 'pcm_s16le'])
    const facts = await probe(path)
    expect(facts.video).toMatchObject({
      ...{ start_ms: start * 1000, pixel_format: 'yuv420p', frame_rate: { num: 25, den: 1 } },
      variable_rate: false,
    })
    near(facts.video?.duration_ms, duration * 1000)
    near(facts.duration_ms, 12_000)
    expect(await correctByPackets(path, facts, {})).toEqual(facts)
  })

  test('reports start and duration of sound', async () => {
    const inputs = [...picture(12), ...late(8, tone(3)), ...h264]
    const path = await generateMedia(at('late-sound.mkv'), [...inputs, '-c:a', 'pcm_s16le'])
    const facts = await probe(path)
    near(facts.audio[0]?.start_ms, 8000)
    near(facts.audio[0]?.duration_ms, 3000)
    expect(await correctByPackets(path, facts, {})).toEqual(facts)
  })
})

test('an interlaced picture has a constant rate', async () => {
  const path = at('interlaced.mkv')
  await generateMedia(path, [
    ...picture(2),
    '-vf',
    'setfield=tff',
    '-flags',
    '+ilme+ildct',
    '-c:v',
    'mpeg2video',
  ])
  expect((await probe(path)).video?.variable_rate).toBe(false)
})

test('reports all audio tracks and subtitles', async () => {
  await writeFile(at('words.srt'), '1\n00:00:00,000 --> 00:00:01,000\nwords\n')
  const inputs = [...picture(1), ...tone(1), ...tone(0.5), '-i', at('words.srt')]
  const maps = ['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-metadata:s:s:0', 'language=deu']
  const codecs = [...h264, '-c:a', 'aac', '-ac:a:1', '2', '-c:s', 'srt']
  const facts = await probe(await generateMedia(at('tracks.mkv'), [...inputs, ...maps, ...codecs]))
  expect(facts.audio.map(({ channels }) => channels)).toEqual([1, 2])
  expect(facts.audio.map(({ duration_ms }) => Math.round(duration_ms / 100))).toEqual([10, 5])
  expect(facts.subtitles).toEqual([{ codec: 'subrip', language: 'deu' }])
})

test('a silent file has no audio track', async () => {
  const facts = await probe(await generateMedia(at('silent.mp4'), [...picture(1), ...h264]))
  expect(facts.audio).toEqual([])
})

test('a cover is not a video', async () => {
  await generateMedia(at('cover.png'), ['-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1'])
  const inputs = [
    ...tone(1),
    '-i',
    at('cover.png'),
    '-map',
    '0',
    '-map',
    '1',
    '-disposition:v:0',
    'attached_pic',
  ]
  const path = await generateMedia(at('cover.mp3'), [...inputs, '-c:v', 'copy'])
  const facts = await probe(path)
  expect(facts).toMatchObject({ container: 'mp3', video: null, audio: [{ codec: 'mp3' }] })
  await expect(checkDecodable(path)).rejects.toMatchObject({ code: 6021 })
})

describe('still pictures', () => {
  test.each(sampleCases(['.png', '.jpg', '.bmp', '.webp'], 2))(
    '%s has a size, but no duration and no rate',
    async (extension) => {
      const path = await generateMedia(at(`still${extension}`), [
        '-f',
        'lavfi',
        '-i',
        'testsrc2=s=64x48',
        '-frames:v',
        '1',
      ])
      expect(await probe(path)).toMatchObject({
        duration_ms: 0,
        video: {
          width: 64,
          height: 48,
          frame_rate: { num: 0, den: 1 },
          variable_rate: false,
          duration_ms: 0,
        },
        audio: [],
      })
      await checkDecodable(path)
    },
  )

  test('a photo is rotated by its orientation, even if its extension is wrong', async () => {
    const plain = await readFile(
      await generateMedia(at('photo.jpg'), ['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1']),
    )
    // Exif with one entry: orientation (0x112), a short, one value: 6, a quarter turn clockwise.
    const exif = Buffer.from(
      '4578696600004949 2a000800000001 0012010300010000000600000000000000'.replaceAll(' ', ''),
      'hex',
    )
    const header = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
    const path = at('photo.png')
    await writeFile(path, Buffer.concat([plain.subarray(0, 2), header, exif, plain.subarray(2)]))
    expect((await probe(path)).video).toMatchObject({ codec: 'mjpeg', rotation: 90, width: 48, height: 64 })
  })
})

test('detects transparency in pixels and in a separate plane', async () => {
  const clear = ['-f', 'lavfi', '-i', 'color=red@0.5:size=64x64:rate=25:duration=1,format=yuva420p']
  const webm = await generateMedia(at('clear.webm'), [...clear, '-c:v', 'libvpx', '-auto-alt-ref', '0'])
  const mov = await generateMedia(at('clear.mov'), [...clear, '-c:v', 'qtrle', '-pix_fmt', 'argb'])
  expect((await probe(webm)).video).toMatchObject({ alpha: true, pixel_format: 'yuv420p', duration_ms: 1000 })
  expect((await probe(mov)).video).toMatchObject({ alpha: true, pixel_format: 'argb' })
})

test.each([
  ['smpte2084', true],
  ['arib-std-b67', true],
  ['bt709', false],
])('the transfer %s is HDR: %s', async (transfer, hdr) => {
  const colours = ['-vf', `setparams=color_trc=${transfer}:color_primaries=bt2020:colorspace=bt2020nc`]
  const path = await generateMedia(at(`${transfer}.mp4`), [...picture(0.2), ...h264, ...colours])
  expect((await probe(path)).video?.hdr).toBe(hdr)
})

describe('durations that the header does not state', () => {
  test('a live recording is measured', async () => {
    const codecs = ['-c:v', 'libvpx', '-c:a', 'libvorbis', '-f', 'webm', '-live', '1']
    const args = [...picture(2), ...tone(2), ...codecs]
    const facts = await probe(await generateMedia(at('live.webm'), args))
    expect(facts.duration_ms).toBeGreaterThanOrEqual(1950)
    expect(facts.duration_ms).toBeLessThanOrEqual(2100)
    const { start_ms = 0, duration_ms = 0 } = facts.video ?? {}
    expect(start_ms + duration_ms).toBe(facts.duration_ms)
  })

  test('raw sound of changing rate is measured, not estimated', async () => {
    const sound = ['-f', 'lavfi', '-i', 'aevalsrc=if(lt(t\\,2)\\,0\\,random(0)):s=48000:d=12']
    const facts = await probe(await generateMedia(at('raw.aac'), [...sound, '-c:a', 'aac', '-b:a', '256k']))
    expect(Math.abs(facts.duration_ms - 12_000)).toBeLessThan(100)
    expect(facts.audio[0]?.duration_ms).toBe(facts.duration_ms)
  })
})

test('an abort ends the probe with its reason', async () => {
  const reason = new Error('no longer wanted')
  await expect(probe(at('plain.mp4'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
