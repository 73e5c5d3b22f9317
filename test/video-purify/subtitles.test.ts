import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurBoxes } from './run-purify.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }

const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=10:duration=2']
const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=44100:duration=2`]

/** Returns a script that logs the arguments of each run. */
function logging(log: string): string {
  return `echo "$@" >> '${log}'; exec "$FFMPEG" "$@"`
}

/** Returns the streams of each container trial. */
async function trialsIn(log: string): Promise<number[][]> {
  const runs = (await readFile(log, 'utf8')).split('\n').filter((run) => run.includes('trial-'))
  return runs.map((run) => Array.from(run.matchAll(/ -map 0:(\d+) /g), ([, index]) => Number(index)))
}

describe('subtitles', () => {
  it('that start late are read to their end once, even if other streams do not fit', async () => {
    const [source, lines, log] = [at('beside.mov'), at('beside.srt'), at('beside.log')]
    await writeFile(lines, '1\n00:00:01,800 --> 00:00:01,900\nWords that stay\n')
    const inputs = [...picture, ...tone(440), ...tone(880), '-i', lines]
    const maps = ['0', '1', '2', '3'].flatMap((input) => ['-map', input])
    const coding = ['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-c:a:0', 'adpcm_ima_qt', '-c:s', 'mov_text']
    await ffmpeg(...inputs, ...maps, ...coding, source)
    using _ = await replaceFfmpeg(at('ffmpeg'), logging(log))
    const { output } = await blurBoxes(source, folder, box)
    expect(output.notes).toEqual(['a stream could not be kept: audio (adpcm_ima_qt)'])
    // A rejected set fails immediately.
    expect(await trialsIn(log)).toEqual([[1, 2, 3], [1, 2], [1], [2], [3]])
  })

  it('without valid text in many streams are dropped, and read no more often than in one', async () => {
    const [source, lines, log] = [at('unread.mov'), at('unread.srt'), at('unread.log')]
    await writeFile(lines, '1\n00:00:01,800 --> 00:00:01,900\nWords that go\n')
    const maps = ['0', '1', '2', '2', '2', '2'].flatMap((input) => ['-map', input])
    const coding = ['-pix_fmt', 'yuv420p', '-c:a', 'pcm_s16le', '-c:s', 'mov_text']
    await ffmpeg(...picture, ...tone(440), '-i', lines, ...maps, ...coding, source)
    const text = (await readFile(source)).toString('latin1')
    // The first one stays valid.
    let index = 0
    const corrupted = text.replaceAll('Words that go', (words) =>
      index++ === 0 ? words : `\xff${words.slice(1)}`,
    )
    await writeFile(source, corrupted, 'latin1')
    using _ = await replaceFfmpeg(at('ffmpeg-unread'), logging(log))
    const { output } = await blurBoxes(source, folder, box)
    expect(output.notes).toEqual(Array(3).fill('a stream could not be kept: subtitle (mov_text)'))
    expect(await trialsIn(log)).toEqual([[1, 2, 3, 4, 5]])
  })

  it('lose lines without valid text, which is reported', async () => {
    const [source, lines] = [at('lines.mov'), at('lines.srt')]
    const line = (index: number) => {
      const words = index === 3 ? '<i>3</i>' : String(index)
      return `${index}\n00:00:0${index},100 --> 00:00:0${index},500\n${words}\n`
    }
    await writeFile(lines, [0, 1, 2, 3].map(line).join('\n'))
    const maps = ['-map', '0', '-map', '1', '-map', '2', '-pix_fmt', 'yuv420p', '-c:s', 'mov_text']
    await ffmpeg(...picture, ...tone(440), '-i', lines, ...maps, '-c:a', 'pcm_s16le', source)
    const bytes = await readFile(source)
    bytes[bytes.indexOf(Buffer.from([0, 1, 0x32])) + 2] = 0xff
    // A line without text but with a style is not a lost line.
    bytes[bytes.indexOf('styl') - 6] = 0
    await writeFile(source, bytes)
    const { path, output } = await blurBoxes(source, folder, box)
    const omissionNote = 'unreadable lines were omitted from the subtitles in stream 2: 1 of 3'
    expect(output.notes).toEqual([omissionNote])
    expect((await ffmpeg('-i', path, '-f', 'srt', 'pipe:1')).toString().match(/^\d$/gm)).toHaveLength(4)
  })
})
