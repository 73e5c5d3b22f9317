import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { queryFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { lazy } from '../../src/platform/cache.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { withCaptions, withSphere } from './side-data.ts'
import { blurBoxes, checksums, longFilm, probeStreams, purify } from './run-purify.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }

const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=10:duration=2']
const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=44100:duration=2`]

/** Creates a subtitle file, and chapters and tags, as inputs. */
async function texts(): Promise<{ subtitles: string; tags: string }> {
  const [subtitles, tags] = [at('words.srt'), at('tags.txt')]
  await writeFile(subtitles, '1\n00:00:00,500 --> 00:00:01,500\nWords that stay\n')
  const chapter = (start: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${start + 1000}\ntitle=${title}\n`
  await writeFile(tags, `;FFMETADATA1\ntitle=A talk\n${chapter(0, 'First')}${chapter(1000, 'Second')}`)
  return { subtitles, tags }
}

interface ProbedFile {
  readonly streams: readonly {
    readonly codec_name: string
    readonly disposition: { readonly attached_pic: number }
    readonly tags?: { readonly language?: string }
  }[]
  readonly chapters: readonly { readonly tags: { readonly title: string } }[]
  readonly format: { readonly format_name: string; readonly tags?: { readonly title?: string } }
}

async function probeContents(path: string): Promise<ProbedFile> {
  const entries =
    'stream=codec_name:stream_disposition=attached_pic:stream_tags=language:format=format_name:format_tags=title:chapter=start_time:chapter_tags=title'
  return JSON.parse((await queryFfprobe(path, ['-show_entries', entries], {})).text) as ProbedFile
}

interface ProbedPackets {
  readonly packets: readonly { readonly stream_index: number; readonly pts_time: string }[]
}

/** Returns the time of the first packet of each stream, seconds. Versions of ffmpeg differ in whether a stream starts there. */
async function firstPacketTimes(path: string): Promise<readonly number[]> {
  const { text } = await queryFfprobe(path, ['-show_entries', 'packet=stream_index,pts_time'], {})
  const times: number[] = []
  for (const { stream_index: stream, pts_time } of (JSON.parse(text) as ProbedPackets).packets)
    times[stream] = Math.min(times[stream] ?? Infinity, Number(pts_time))
  return times
}

const cover = at('cover.jpg')
await ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=48x48', '-frames:v', '1', cover)

/** Returns arguments that add a cover; QuickTime has none. */
function coverOf(name: string): { input: string[]; output: string[] } {
  if (name.endsWith('.mov')) return { input: [], output: [] }
  if (name.endsWith('.mp4'))
    return {
      input: ['-i', cover],
      output: ['-map', '5', '-c:v:1', 'copy', '-disposition:v:1', 'attached_pic'],
    }
  const tags = ['-metadata:s:t', 'mimetype=image/jpeg', '-metadata:s:t', 'filename=cover.jpg']
  return { input: [], output: ['-attach', cover, ...tags] }
}

/** Creates a video with two audio and subtitle streams in two languages, chapters, a title and a cover. */
async function film(name: string, sound: string, words: string): Promise<string> {
  const { subtitles, tags } = await texts()
  const covered = coverOf(name)
  const inputs = [...picture, ...tone(440), ...tone(880), '-i', subtitles, '-i', tags, ...covered.input]
  const maps = [
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    '-map',
    '3',
    '-map_metadata',
    '4',
    '-map_chapters',
    '4',
  ]
  const languages = ['eng', 'fra'].flatMap((language, place) => [
    `-metadata:s:a:${place}`,
    `language=${language}`,
  ])
  const coding = [
    '-pix_fmt:v:0',
    'yuv420p',
    '-c:a',
    sound,
    '-c:s',
    words,
    ...languages,
    '-metadata:s:s:0',
    'language=ger',
  ]
  await ffmpeg(...inputs, ...maps, ...coding, ...covered.output, at(name))
  return at(name)
}

describe('audio, subtitles, chapters, languages, titles and covers are kept', () => {
  const films = [
    { name: 'film.mp4', sound: 'aac', codec: 'aac', words: 'mov_text', becomes: '.mp4', reads: 'mov_text' },
    // Such files also become Matroska in tests of subtitles.
    {
      name: 'raw.mov',
      sound: 'pcm_s16le',
      codec: 'pcm_s16le',
      words: 'mov_text',
      becomes: '.mkv',
      reads: 'subrip',
    },
    {
      name: 'film.mkv',
      sound: 'libvorbis',
      codec: 'vorbis',
      words: 'subrip',
      becomes: '.mkv',
      reads: 'subrip',
    },
  ] as const

  it.each(sampleCases(films))(
    'of $name in a file $becomes',
    async ({ name, sound, codec, words, becomes, reads }) => {
      const source = await film(name, sound, words)
      const { path, name: called, output } = await blurBoxes(source, folder, box)
      expect(called).toBe(name.replace(/\..*/, `-clean${becomes}`))
      const after = await probeContents(path)
      // Chapters of an mp4 are stored in a stream as well.
      const streams = after.streams.filter(({ codec_name }) => codec_name !== 'bin_data')
      const isCovered = name !== 'raw.mov'
      const last = isCovered ? ['mjpeg'] : []
      expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', codec, codec, reads, ...last])
      if (isCovered) expect(streams.at(-1)?.disposition.attached_pic).toBe(1)
      // The cover is the second video stream.
      const hashed = { packets: ['a:0', 'a:1', ...(isCovered ? ['v:1'] : [])], sounds: ['a:0', 'a:1'] }
      const [kept, original] = await checksums({ path, ...hashed }, { path: source, ...hashed })
      expect(kept).toBe(original)
      expect(streams.slice(1, 4).map(({ tags }) => tags?.language)).toEqual(['eng', 'fra', 'ger'])
      expect(output.notes).toBeUndefined()
      expect(after.chapters.map(({ tags }) => tags.title)).toEqual(['First', 'Second'])
      expect(after.format.tags?.title).toBe('A talk')
      expect((await ffmpeg('-i', path, '-map', '0:s:0', '-f', 'srt', 'pipe:1')).toString()).toContain(
        'Words that stay',
      )
    },
  )

  it('streams that cannot be kept are omitted and reported, such as audio of an unknown codec', async () => {
    const source = at('strange.mov')
    const second = ['-f', 'lavfi', '-i', 'color=red:size=32x32:duration=2']
    const inputs = [...picture, ...tone(440), ...tone(880), ...tone(660), ...second]
    const maps = ['0', '1', '2', '3', '4'].flatMap((input) => ['-map', input])
    const coding = ['-pix_fmt', 'yuv420p', '-c:v:1', 'mpeg4', '-c:a', 'adpcm_ima_qt', '-c:a:0', 'aac']
    await ffmpeg(...inputs, '-i', (await texts()).tags, ...maps, ...coding, source)
    const bytes = await readFile(source)
    // Like position data of cameras: a stream of the same type as chapters, with another tag.
    bytes.write('gpmd', bytes.lastIndexOf('stsd') + 16, 'latin1')
    // Like new formats of phones: a codec tag of the last audio stream that no version of ffmpeg knows.
    bytes.write('zz00', bytes.lastIndexOf('ima4'), 'latin1')
    await writeFile(source, bytes)
    const { path, name, output } = await blurBoxes(source, folder, box)
    expect(name).toBe('strange-clean.mkv')
    expect((await probeStreams(path)).map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    const [kept, original] = await checksums({ path, packets: ['a:0'] }, { path: source, packets: ['a:0'] })
    expect(kept).toBe(original)
    const omittedStreams = ['audio (adpcm_ima_qt)', 'audio (zz00)', 'video (mpeg4)', 'data (gpmd)']
    expect(output.notes).toEqual(omittedStreams.map((one) => `a stream could not be kept: ${one}`))
  })

  it('an undecodable cover and side data of the picture are omitted and reported', async () => {
    const [raw, source] = [at('marked.h264'), at('marked.mp4')]
    await ffmpeg(...picture, '-frames:v', '10', '-bf', '0', '-pix_fmt', 'yuv420p', raw)
    await writeFile(raw, withCaptions(await readFile(raw)))
    const maps = ['-map', '0', '-map', '1', '-disposition:v:1', 'attached_pic']
    await ffmpeg('-i', raw, '-i', cover, ...maps, '-c', 'copy', source)
    const bytes = withSphere(await readFile(source))
    const coverAt = bytes.lastIndexOf(Buffer.from([0xff, 0xd8, 0xff]))
    bytes.fill(0, coverAt, coverAt + 600)
    await writeFile(source, bytes)
    const { path, output } = await blurBoxes(source, folder, box)
    expect(await probeStreams(path)).toHaveLength(1)
    expect(output.notes).toEqual([
      expect.stringContaining('captions'),
      expect.stringContaining('360'),
      'a stream could not be kept: cover (mjpeg)',
    ])
  })

  it('audio streams, one of which ends early, keep their samples and their offset from the picture', async () => {
    const delays = [
      [0, 0.49],
      [0.49, 0],
    ] as const
    for (const [video, audio] of sampleCases(delays, 1)) {
      const source = at(`apart-${video}.mkv`)
      const inputs = ['-itsoffset', String(video), ...picture, '-itsoffset', String(audio), ...tone(440)]
      const early = ['-itsoffset', String(audio), '-t', '0.7', ...tone(880)]
      const maps = ['0', '1', '2'].flatMap((input) => ['-map', input])
      const coding = ['-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-c:a:1', 'ac3']
      await ffmpeg(...inputs, ...early, ...maps, ...coding, source)
      const { path } = await blurBoxes(source, folder, box)
      const [before, after] = [await firstPacketTimes(source), await firstPacketTimes(path)]
      for (const sound of [1, 2]) {
        const distance = (times: readonly number[]) => (times[0] ?? NaN) - (times[sound] ?? NaN)
        expect(Math.abs(distance(after) - distance(before))).toBeLessThan(0.002)
        expect(Math.abs(distance(before))).toBeGreaterThan(0.4)
      }
      const packets = ['a:0', 'a:1']
      const [kept, original] = await checksums({ path, packets }, { path: source, packets })
      expect(kept).toBe(original)
    }
  })
})

const longerFilms: readonly (readonly [number, Readonly<Record<string, unknown>>, number])[] = [
  [121, { purify_scope: 'region', regions: [box] }, 6017],
  [121, { phase: 'purify', regions: [] }, 6017],
  [1201, { purify_scope: 'region', regions: [box], purify_func_type: 'raft' }, 6016],
  [7201, { phase: 'detect' }, 6019],
]
// Over HTTP, the actual length is checked against these limits too.
it.each(sampleCases(longerFilms))(
  'a video longer than its header states, %d s, is checked against limits and price by its actual length',
  async (seconds, request, code) => {
    const source = at(`long-${seconds}.mkv`)
    await writeFile(source, await longFilm(source, seconds))
    await expect(purify(source, folder, request)).rejects.toMatchObject({ code })
  },
)

describe('a list', () => {
  const listed = { id: 'one', source: 'manual', ...box, start: 0, end: 9 }

  const listedFilm = lazy(async () => {
    await ffmpeg(...picture, '-pix_fmt', 'yuv420p', at('listed.mkv'))
    return at('listed.mkv')
  })

  it('that is empty copies the file exactly', async () => {
    const source = await listedFilm()
    const { path, output, name } = await purify(source, folder, {
      phase: 'purify',
      regions: [],
      purify_func_type: 'raft',
    })
    expect((await readFile(path)).equals(await readFile(source))).toBe(true)
    expect(output).toMatchObject({ phase: 'purify', unchanged: true })
    expect(name).toBe('listed.mkv')
  })

  // Detection results have the test that such a list is treated like one in the request.
  it('in a file is checked like one in the request: a detection result, edited or not', async () => {
    const source = await listedFilm()
    const write = async (content: unknown) => {
      await writeFile(at('list.json'), typeof content === 'string' ? content : JSON.stringify(content))
      return at('list.json')
    }
    const file_id = source.slice(-64)
    const result = { version: 1, source: { file_id }, video: {}, regions: [{ ...listed, score: 0.9 }] }
    const by = async (content: unknown) =>
      purify(source, folder, { phase: 'purify', regions_file_id: await write(content) })
    // Limits for treatment do not apply to an empty list; this picture is too small for inpainting.
    const filled = { phase: 'purify', purify_func_type: 'raft' }
    const filledBy = async (regions: readonly unknown[]) =>
      purify(source, folder, { ...filled, regions_file_id: await write({ ...result, regions }) })
    expect((await filledBy([])).output).toMatchObject({ unchanged: true })
    await expect(filledBy([listed])).rejects.toMatchObject({ code: 6035 })
    const rejected: [unknown, string][] = [
      ['text', 'is not valid JSON'],
      [{ regions: [] }, 'detection result'],
      [{ ...result, version: 2 }, 'version'],
      [{ ...result, source: { file_id: '5' } }, 'another video'],
      [{ ...result, regions: [listed, listed] }, 'used twice'],
      [{ ...result, regions: [{ ...listed, x: 0.6 }] }, 'regions[0].w'],
      [{ ...result, regions: [{ ...listed, end: undefined }] }, 'regions[0].end'],
      [{ ...result, regions: [{ ...listed, start: 3 }] }, 'end of the video'],
    ]
    for (const [content, words] of rejected) {
      await expect(by(content)).rejects.toMatchObject({
        code: 6016,
        message: expect.stringContaining(words) as string,
      })
    }
  })
})
