import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurred, packets, purify } from './purify.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }

const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2']
const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=44100:duration=2`]

/** A subtitle file, and chapters and tags, as inputs. */
async function texts(): Promise<{ subtitles: string; tags: string }> {
  const [subtitles, tags] = [at('words.srt'), at('tags.txt')]
  await writeFile(subtitles, '1\n00:00:00,500 --> 00:00:01,500\nWords that stay\n')
  const chapter = (start: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${start + 1000}\ntitle=${title}\n`
  await writeFile(tags, `;FFMETADATA1\ntitle=A talk\n${chapter(0, 'First')}${chapter(1000, 'Second')}`)
  return { subtitles, tags }
}

interface Told {
  readonly streams: readonly {
    readonly codec_name: string
    readonly start_time: string
    readonly tags?: { readonly language?: string }
  }[]
  readonly chapters: readonly { readonly tags: { readonly title: string } }[]
  readonly format: { readonly format_name: string; readonly tags?: { readonly title?: string } }
}

async function told(path: string): Promise<Told> {
  const entries =
    'stream=codec_name,start_time:stream_tags=language:format=format_name:format_tags=title:chapter=start_time:chapter_tags=title'
  return JSON.parse((await askFfprobe(path, ['-show_entries', entries], {})).text) as Told
}

/** A film with two sounds and subtitles, in two languages, with chapters and a title. */
async function film(name: string, sound: string, words: string): Promise<string> {
  const { subtitles, tags } = await texts()
  const inputs = [...picture, ...tone(440), ...tone(880), '-i', subtitles, '-i', tags]
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
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    sound,
    '-c:s',
    words,
    ...languages,
    '-metadata:s:s:0',
    'language=deu',
  ]
  await ffmpeg(...inputs, ...maps, ...coding, at(name))
  return at(name)
}

describe('sound, subtitles, chapters, languages and titles stay', () => {
  it.each([
    { name: 'film.mp4', sound: 'aac', words: 'mov_text', becomes: '.mp4', reads: 'mov_text' },
    { name: 'film.mkv', sound: 'libvorbis', words: 'subrip', becomes: '.mkv', reads: 'subrip' },
    { name: 'raw.mov', sound: 'pcm_s16le', words: 'mov_text', becomes: '.mkv', reads: 'subrip' },
  ])('of $name in a file $becomes', async ({ name, sound, words, becomes, reads }) => {
    const source = await film(name, sound, words)
    const { path, name: called, output } = await blurred(source, folder, box)
    expect(called).toBe(name.replace(/\..*/, `-clean${becomes}`))
    const [before, after] = [await told(source), await told(path)]
    const sounds = before.streams.slice(1, 3).map(({ codec_name }) => codec_name)
    // Chapters of an mp4 lie in a stream too.
    const streams = after.streams.filter(({ codec_name }) => codec_name !== 'bin_data')
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', ...sounds, reads])
    expect(streams.slice(1).map(({ tags }) => tags?.language)).toEqual(
      before.streams.slice(1, 4).map(({ tags }) => tags?.language),
    )
    expect(before.streams[1]?.tags?.language).toBe('eng')
    expect(output.notes).toBeUndefined()
    expect(after.chapters.map(({ tags }) => tags.title)).toEqual(['First', 'Second'])
    expect(after.format.tags?.title).toBe('A talk')
    for (const stream of ['a:0', 'a:1'])
      expect(await packets(path, stream)).toBe(await packets(source, stream))
    expect((await ffmpeg('-i', path, '-map', '0:s:0', '-f', 'srt', 'pipe:1')).toString()).toContain(
      'Words that stay',
    )
  })

  it('sound and picture keep their distance to the frame, whichever begins first', async () => {
    for (const [index, delays] of [
      [0, 0.48],
      [0.48, 0],
    ].entries()) {
      const source = at(`apart-${index}.mp4`)
      const [video = 0, audio = 0] = delays
      const inputs = ['-itsoffset', String(video), ...picture, '-itsoffset', String(audio), ...tone(440)]
      await ffmpeg(
        ...inputs,
        '-map',
        '0',
        '-map',
        '1',
        '-vsync',
        'passthrough',
        '-pix_fmt',
        'yuv420p',
        '-c:a',
        'aac',
        source,
      )
      const { path } = await blurred(source, folder, box)
      const distance = ({ streams: [one, other] }: Told) =>
        Number(one?.start_time) - Number(other?.start_time)
      expect(Math.abs(distance(await told(path)) - distance(await told(source)))).toBeLessThan(0.02)
      expect(Math.abs(distance(await told(source)))).toBeGreaterThan(0.4)
    }
  })
})

describe('a list', () => {
  const listed = { id: 'one', source: 'manual', ...box, start: 0, end: 9 }

  it('that is empty copies the file, bit for bit', async () => {
    const source = await film('copied.mkv', 'flac', 'subrip')
    const { path, output, name } = await purify(source, folder, {
      phase: 'purify',
      regions: [],
      purify_func_type: 'raft',
    })
    expect((await readFile(path)).equals(await readFile(source))).toBe(true)
    expect(output).toMatchObject({ phase: 'purify', unchanged: true })
    expect(name).toBe('copied.mkv')
  })

  it('of a file is treated as one of the request: a detection result, edited or not', async () => {
    const source = at('listed.mp4')
    await ffmpeg(...picture, '-pix_fmt', 'yuv420p', source)
    const direct = await purify(source, folder, { phase: 'purify', regions: [listed] })
    const write = async (content: unknown) => {
      await writeFile(at('list.json'), typeof content === 'string' ? content : JSON.stringify(content))
      return at('list.json')
    }
    const file_id = source.slice(-64)
    const result = { version: 1, source: { file_id }, video: {}, regions: [{ ...listed, score: 0.9 }] }
    const by = async (content: unknown) =>
      purify(source, folder, { phase: 'purify', regions_file_id: await write(content) })
    const listedThere = await by(result)
    expect(await packets(listedThere.path, 'v:0')).toBe(await packets(direct.path, 'v:0'))
    expect((await by({ ...result, regions: [] })).output).toMatchObject({ unchanged: true })
    const refused: [unknown, string][] = [
      ['no JSON', 'detection result'],
      [{ ...result, version: 2 }, 'version'],
      [{ ...result, source: { file_id: '5' } }, 'another video'],
      [{ ...result, regions: [listed, listed] }, 'there twice'],
      [{ ...result, regions: [{ ...listed, x: 0.6 }] }, 'regions[0].w'],
      [{ ...result, regions: [{ ...listed, end: undefined }] }, 'regions[0].end'],
      [{ ...result, regions: [{ ...listed, start: 3 }] }, 'end of the video'],
    ]
    for (const [content, words] of refused) {
      await expect(by(content)).rejects.toMatchObject({
        code: 6016,
        message: expect.stringContaining(words) as string,
      })
    }
  })
})
