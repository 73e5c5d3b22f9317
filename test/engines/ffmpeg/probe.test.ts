import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { correctByPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { sampleCases } from '../../soak-size.ts'
import { h264, generateMedia, picture, scratchFolder, tone, setRotation } from './generate-media.ts'
import { generateTogether, planMedia } from './generate-together.ts'
import { vp8 } from './vp8.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const plan = planMedia(folder)

const plain = plan('plain.mp4', [...picture(2), ...tone(1), ...h264, '-c:a', 'aac'])

/** Copies the plain video with another turn. */
async function turned(degrees: number): Promise<string> {
  const path = at(`turned${degrees}.mp4`)
  await copyFile(plain, path)
  return await setRotation(path, degrees)
}

describe('a plain video', () => {
  test('its facts', async () => {
    expect(await probe(plain)).toMatchObject({
      container: 'mov,mp4,m4a,3gp,3g2,mj2',
      duration_ms: 2000,
      size: (await readFile(plain)).length,
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
    await checkDecodable(plain)
  })

  test.each(sampleCases([90, 270, 180]))('turned clockwise by %d', async (degrees) => {
    const path = await turned(degrees)
    const swapped = degrees !== 180
    expect((await probe(path)).video).toMatchObject({
      rotation: degrees,
      width: swapped ? 90 : 160,
      height: swapped ? 160 : 90,
      coded_width: 160,
      coded_height: 90,
    })
    // ffmpeg must agree: its automatic rotation equals the reported one.
    const pixels = ['-map', '0:v', '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24']
    const filter = { 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' }[degrees] ?? 'null'
    const [shown, reported] = [at(`shown${degrees}.raw`), at(`reported${degrees}.raw`)]
    await generateTogether([
      [shown, ['-i', path, ...pixels]],
      [reported, ['-noautorotate', '-i', path, '-vf', filter, ...pixels]],
    ])
    expect((await readFile(shown)).equals(await readFile(reported))).toBe(true)
  })
})

const anamorphic = plan('anamorphic.mp4', [...picture(1), '-vf', 'setsar=4/3', ...h264])

test('non-square samples scale the width', async () => {
  expect((await probe(anamorphic)).video).toMatchObject({
    width: 213,
    height: 90,
    coded_width: 160,
    sample_aspect_ratio: { num: 4, den: 3 },
  })
})

const uneven = plan('uneven.mp4', [
  ...[...picture(4), '-vf', String.raw`select=not(mod(n\,7))+gt(n\,60)`, '-fps_mode', 'vfr', ...h264],
])

test('frames at uneven times have a variable rate', async () => {
  expect((await probe(uneven)).video?.variable_rate).toBe(true)
})

const ntsc = plan('ntsc.mkv', [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30000/1001:duration=1', ...h264],
])

test('the rate of NTSC is exact', async () => {
  expect((await probe(ntsc)).video).toMatchObject({
    frame_rate: { num: 30_000, den: 1001 },
    variable_rate: false,
  })
})

const ticks = plan('ticks.webm', [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=1000:duration=0.075', ...tone(9)],
  ...['-vf', String.raw`settb=1/1000,setpts='N*33+mod(N*7\,25)'`, '-fps_mode', 'passthrough'],
  ...[...vp8, '-c:a', 'libvorbis'],
])

test('pictures are counted if the header states a clock rate as frame rate', async () => {
  const { video } = await probe(ticks)
  const { num, den } = video?.frame_rate ?? { num: 0, den: 1 }
  expect(num / den).toBeCloseTo(75 / (74 * 0.033), 0)
  expect(video?.variable_rate).toBe(true)
  expect(video).not.toHaveProperty('steady_rate')
  // Sound that continues longer does not count.
  expect(Math.abs((video?.duration_ms ?? 0) - 2470)).toBeLessThan(60)
})

const lateArgs = ['-itsoffset', '0.52', ...picture(2), ...tone(4), '-fps_mode', 'passthrough', ...h264]

test.each(
  sampleCases(['mp4', 'mkv'], 1).map(
    (kind) => [kind, plan(`late.${kind}`, [...lateArgs, '-c:a', 'alac'])] as const,
  ),
)(
  'of a %s whose picture starts after the sound, its start and its own duration are reported',
  async (_, path) => {
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

  const pictures = sampleCases(
    [
      ['six pictures after 3 s', 3, 0.24],
      ['six pictures at the start', 0, 0.24],
      ['a picture that starts after 8 s', 8, 4],
    ] as const,
    1,
  ).map(([name, start, duration]) => {
    const inputs = [...late(start, picture(duration)), ...tone(12), '-fps_mode', 'passthrough']
    const path = plan(`picture-after-${start}-${duration}.mkv`, [...inputs, ...h264, '-c:a', 'pcm_s16le'])
    return [name, start, duration, path] as const
  })

  test.each(pictures)('reports start, duration and codec of %s', async (_, start, duration, path) => {
    const facts = await probe(path)
    expect(facts.video).toMatchObject({
      ...{ start_ms: start * 1000, pixel_format: 'yuv420p', frame_rate: { num: 25, den: 1 } },
      variable_rate: false,
    })
    near(facts.video?.duration_ms, duration * 1000)
    near(facts.duration_ms, 12_000)
    expect(await correctByPackets(path, facts, {})).toEqual(facts)
  })

  const path = plan('late-sound.mkv', [
    ...[...picture(12), ...late(8, tone(3)), ...h264, '-c:a', 'pcm_s16le'],
  ])

  test('reports start and duration of sound', async () => {
    const facts = await probe(path)
    near(facts.audio[0]?.start_ms, 8000)
    near(facts.audio[0]?.duration_ms, 3000)
    expect(await correctByPackets(path, facts, {})).toEqual(facts)
  })
})

const interlaced = plan('interlaced.mkv', [
  ...[...picture(2), '-vf', 'setfield=tff', '-flags', '+ilme+ildct', '-c:v', 'mpeg2video'],
])

test('an interlaced picture has a constant rate', async () => {
  expect((await probe(interlaced)).video?.variable_rate).toBe(false)
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

const silent = plan('silent.mp4', [...picture(1), ...h264])

test('a silent file has no audio track', async () => {
  expect((await probe(silent)).audio).toEqual([])
})

const covered = plan('cover.mp3', [
  ...[...tone(1), '-f', 'lavfi', '-i', 'color=red:size=64x64:d=0.04', '-map', '0', '-map', '1'],
  ...['-disposition:v:0', 'attached_pic', '-frames:v', '1', '-c:v', 'png'],
])

test('a cover is not a video', async () => {
  expect(await probe(covered)).toMatchObject({ container: 'mp3', video: null, audio: [{ codec: 'mp3' }] })
  await expect(checkDecodable(covered)).rejects.toMatchObject({ code: 6021 })
})

describe('still pictures', () => {
  const still = (name: string) =>
    plan(name, ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:d=0.04', '-frames:v', '1'])

  test.each(
    sampleCases(['.png', '.jpg', '.bmp', '.webp'], 2).map(
      (extension) => [extension, still(`still${extension}`)] as const,
    ),
  )('%s has a size, but no duration and no rate', async (_, path) => {
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
  })

  const photo = still('photo.jpg')

  test('a photo is rotated by its orientation, even if its extension is wrong', async () => {
    const upright = await readFile(photo)
    // Exif with one entry: orientation (0x112), a short, one value: 6, a quarter turn clockwise.
    const exif = Buffer.from(
      '4578696600004949 2a000800000001 0012010300010000000600000000000000'.replaceAll(' ', ''),
      'hex',
    )
    const header = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
    const path = at('photo.png')
    await writeFile(path, Buffer.concat([upright.subarray(0, 2), header, exif, upright.subarray(2)]))
    expect((await probe(path)).video).toMatchObject({ codec: 'mjpeg', rotation: 90, width: 48, height: 64 })
  })
})

const clear = ['-f', 'lavfi', '-i', 'color=red@0.5:size=64x64:rate=25:duration=1,format=yuva420p']
const webm = plan('clear.webm', [...clear, ...vp8, '-auto-alt-ref', '0'])
const mov = plan('clear.mov', [...clear, '-c:v', 'qtrle', '-pix_fmt', 'argb'])

test('detects transparency in pixels and in a separate plane', async () => {
  expect((await probe(webm)).video).toMatchObject({ alpha: true, pixel_format: 'yuv420p', duration_ms: 1000 })
  expect((await probe(mov)).video).toMatchObject({ alpha: true, pixel_format: 'argb' })
})

const transfers = (
  [
    ['smpte2084', true],
    ['arib-std-b67', true],
    ['bt709', false],
  ] as const
).map(([transfer, hdr]) => {
  const colours = ['-vf', `setparams=color_trc=${transfer}:color_primaries=bt2020:colorspace=bt2020nc`]
  return [transfer, hdr, plan(`${transfer}.mp4`, [...picture(0.2), ...h264, ...colours])] as const
})

test.each(transfers)('the transfer %s is HDR: %s', async (_, hdr, path) => {
  expect((await probe(path)).video?.hdr).toBe(hdr)
})

describe('durations that the header does not state', () => {
  const live = plan('live.webm', [
    ...[...picture(2), ...tone(2), ...vp8, '-c:a', 'libvorbis', '-f', 'webm', '-live', '1'],
  ])

  test('a live recording is measured', async () => {
    const facts = await probe(live)
    expect(facts.duration_ms).toBeGreaterThanOrEqual(1950)
    expect(facts.duration_ms).toBeLessThanOrEqual(2100)
    expect((facts.video?.start_ms ?? 0) + (facts.video?.duration_ms ?? 0)).toBe(facts.duration_ms)
  })

  const changing = ['-f', 'lavfi', '-i', 'aevalsrc=if(lt(t\\,2)\\,0\\,random(0)):s=48000:d=12']
  const raw = plan('raw.aac', [...changing, '-c:a', 'aac', '-b:a', '256k'])

  test('raw sound of changing rate is measured, not estimated', async () => {
    const facts = await probe(raw)
    expect(Math.abs(facts.duration_ms - 12_000)).toBeLessThan(100)
    expect(facts.audio[0]?.duration_ms).toBe(facts.duration_ms)
  })
})

test('an abort ends the probe with its reason', async () => {
  const reason = new Error('no longer wanted')
  await expect(probe(plain, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
