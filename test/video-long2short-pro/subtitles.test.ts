import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { burnVideo } from '../../src/engines/subtitles/burn.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { assFile } from '../../src/media/subtitles/ass-file.ts'
import { presetStyle } from '../../src/media/subtitles/style-presets.ts'
import { estimatedTypeface } from '../../src/media/subtitles/text-width.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, setModel, startModelServer } from '../engines/language-model/model-server.ts'
import { useNoPacks, useTestPacks } from '../engines/vision/test-packs.ts'
import { correctAnswer, isTranslation, requestedLines } from '../subtitle-translate/translator.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { subtitleCues } from '../../tools/video-long2short-pro/clip-subtitles.ts'
import { videoLong2shortPro } from '../../tools/video-long2short-pro/contract.ts'
import { Degradations } from '../../tools/video-long2short-pro/degradations.ts'
import { type ProRun, runPro, talkRate, type ToneTalk, writeToneTalk } from './run-pro.ts'

const folder = await scratchFolder()
const picture = 'gradients=c0=0x406080:c1=0xb08040:nb_colors=2:speed=0.02:seed=5'

const small = { output_size: '180x320', duration: { pref: 'short' }, camera_move: { enable: false } }

describe('subtitles in two languages', () => {
  let server: ModelServer
  let talk: ToneTalk
  let brief: ToneTalk
  const asked: string[] = []
  beforeAll(async () => {
    // Three sentences, which are one clip.
    talk = await writeToneTalk(join(folder, 'short.mp4'), 12)
    brief = await writeToneTalk(join(folder, 'brief.mp4'), 4)
    useNoPacks(join(folder, 'none'))
    // It translates, and answers no other question in a usable way.
    server = await startModelServer((body) => {
      const requested = isTranslation(body) ? requestedLines(body) : undefined
      asked.push(...(requested ?? []).map(({ text }) => text))
      return requested ? { lines: correctAnswer(requested) } : {}
    })
    setModel(server)
  })
  afterAll(async () => {
    configureServices({})
    await server[Symbol.asyncDispose]()
  })

  it('have the translation of each line below it', async () => {
    const scratch = await mkdtemp(join(folder, 'two-'))
    const request = {
      ...small,
      output_size: '90x160',
      stt: talk.stt,
      subtitle: { translate_language: 'zh-CN' },
    }
    const { output } = await runPro(talk.path, request, { folder, scratch })
    expect(output.errors.subtitle).toBeUndefined()
    const ass = await readFile(join(scratch, 'clip1.ass'), 'utf8')
    const events = ass.split('\n').filter((line) => line.startsWith('Dialogue:'))
    const translated = events.filter((line) => line.includes('translation-'))
    const original = events.filter((line) => line.includes('original-'))
    expect(original.length).toBeGreaterThan(2)
    expect(translated).toHaveLength(original.length)
    expect(translated.every((line) => line.includes('译文'))).toBe(true)
    // The translator reads where sentences end; nobody else does.
    expect(asked.length).toBeGreaterThan(2)
    const sentences = talk.stt.sentence_tc_list.map(({ text }) => text)
    expect(asked.filter((text) => !sentences.includes(text))).toEqual([])
    const textOf = (line: string) =>
      line
        .split(',')
        .slice(9)
        .join(',')
        .replaceAll(/\{[^}]*\}/g, '')
    expect(events.filter((line) => /[.,]/.test(textOf(line)))).toEqual([])
    const margin = (line: string | undefined) => Number(line?.split(',')[7])
    // The margin of the style, which is lower.
    expect(margin(translated[0])).toBe(0)
    expect(margin(original[0])).toBeGreaterThan(160 * 0.2)
  })

  it('that are one are drawn once, which notes state', async () => {
    const scratch = await mkdtemp(join(folder, 'same-'))
    const request = {
      ...{ ...small, output_size: '64x36' },
      stt: brief.stt,
      language: 'zh-CN',
      subtitle: { translate_language: 'zh-CHS' },
    }
    const { output } = await runPro(brief.path, request, { folder, scratch })
    expect(output.errors.subtitle).toBeUndefined()
    expect(output.notes).toContain(
      'subtitle.translate_language: zh-CHS is the language of the video, so its lines have no translation',
    )
    const ass = await readFile(join(scratch, 'clip1.ass'), 'utf8')
    expect(ass).toMatch(/^Dialogue:.*original-/m)
    expect(ass).not.toMatch(/^Dialogue:.*translation-/m)
  })
})

describe('a sentence of several captions', () => {
  const said = 'When I was a child, my grandmother read me a story about the sea that I have never forgotten.'
  const translated = '我小时候，奶奶给我讲过一个关于大海的故事，我从来没有忘记。'
  const words = said.split(' ').map((text, index, all) => ({
    ...{ text, start: 0.35 * index, end: 0.35 * index + 0.3 },
    endsSentence: index === all.length - 1,
  }))
  const metadata = {
    ...{ title: '', summary: '', tags: [], score: 5, score_reason: '', highlight_words: [] },
    ...{ genres: [], moods: [], themes: [] },
  }
  const clip = { index: 1, ranges: [{ first: 0, end: 200 }], frames: 200, words, text: said, metadata }

  it('is translated as a whole, and its translation is divided over them', async () => {
    const asked: string[] = []
    await using server = await startModelServer((body) => {
      const requested = requestedLines(body) ?? []
      asked.push(...requested.map(({ text }) => text))
      return { lines: correctAnswer(requested, () => translated) }
    })
    setModel(server)
    const { signal } = new AbortController()
    const scratch = await mkdtemp(join(folder, 'sentence-'))
    const input = videoLong2shortPro.input.parse({
      ...{ file_id: 'a', language: 'en-US', subtitle: { translate_language: 'zh-CN' } },
    })
    const cues = await subtitleCues([clip], {
      ...{ input, rate: { num: 25, den: 1 }, size: { width: 1080, height: 1920 } },
      degradations: new Degradations(signal),
      context: { signal, scratch, steps: scratch, askTask: undefined, progress: () => undefined },
    })
    configureServices({})
    expect(asked).toEqual([said])
    const list = cues.get(1) ?? []
    // Punctuation is removed where the lines are drawn.
    expect(list.map(({ lines }) => lines.join(' '))).toEqual([
      'When I was a child,',
      'my grandmother read me a story',
      'about the sea that I have never forgotten.',
    ])
    expect(list.map(({ translation }) => translation)).toEqual([
      '我小时候，',
      '奶奶给我讲过一个关于大海的故事，',
      '我从来没有忘记。',
    ])
  })
})

const clipOf = ({ paths }: ProRun) => paths.get('clip1.mp4') ?? ''

/** Luma of a frame of a video. */
async function lumaAt(path: string, seconds: number): Promise<Buffer> {
  return await ffmpeg(
    ...['-ss', seconds.toFixed(3), '-i', path, '-frames:v', '1'],
    ...['-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'],
  )
}

/** Mean difference of two pictures, levels. */
function difference(one: Buffer, other: Buffer): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
}

describe.skipIf(testdata('models') === undefined)(
  'burned-in subtitles of the source (REELWRIGHT_TESTDATA)',
  () => {
    let burned = ''
    let talk: ToneTalk
    beforeAll(async () => {
      talk = await writeToneTalk(join(folder, 'talk.mp4'), 6, { picture })
      useTestPacks(join(folder, 'packs'))
      burned = join(folder, 'burned.mp4')
      const canvas = { width: 640, height: 360 }
      const style = presetStyle({
        ...{ preset: 'outline', colour: '雅黑', canvas, name: 'main', scale: 1.3 },
        typeface: estimatedTypeface('DejaVu Sans'),
      })
      const events = talk.stt.sentence_tc_list.map(({ text, start_time, end_time }) => ({
        ...{ start: 1000 * start_time, end: 1000 * end_time, style: 'main' },
        text: text.split(' ').slice(0, 4).join(' '),
      }))
      await burnVideo({
        ...{ path: talk.path, output: burned, crf: 18, threads: 2, timeoutMs: 120_000, durationMs: 6000 },
        ...{ ass: assFile({ canvas, styles: [style], events }), signal: undefined },
        folder: await mkdtemp(join(folder, 'ass-')),
      })
    })

    it('are removed from the clips only if requested', { timeout: 240_000 }, async () => {
      // Only the first words are shown.
      const words = talk.stt.word_tc_list.slice(0, 4)
      const text = words.map((word) => word.text).join(' ')
      const said = { text, start_time: words[0]?.start_time, end_time: words.at(-1)?.end_time }
      const firstWords = { word_tc_list: words, sentence_tc_list: [said] }
      // The shape of the source, so that letters do not influence the framing.
      const request = {
        ...{ ...small, output_size: '320x180', duration: { max_clip_sec: 6 } },
        ...{ stt: firstWords, subtitle: { enable: false } },
      }
      const kept = await runPro(burned, request, { folder })
      const scratch = await mkdtemp(join(folder, 'removed-'))
      const removed = await runPro(
        burned,
        { ...request, subtitle: { enable: false, purify_source: true } },
        { folder, scratch },
      )
      expect(removed.output.errors.subtitle).toBeUndefined()
      expect(removed.output.clips[0]?.file.duration).toBe(kept.output.clips[0]?.file.duration)
      const seconds = 1.4
      const wanted = await lumaAt(talk.path, (kept.output.clips[0]?.source_start ?? 0) + seconds)
      const before = difference(wanted, await lumaAt(clipOf(kept), seconds))
      expect(before).toBeGreaterThan(2)
      expect(difference(wanted, await lumaAt(clipOf(removed), seconds))).toBeLessThan(before / 2)
      // Of the frames of 6 s, those of the clip with a margin are coded.
      const parts = (await readdir(join(scratch, 'clean'))).filter((name) => name.startsWith('part-'))
      const frames = parts.reduce((sum, name) => sum + Number(/^part-\d+-(\d+)-/.exec(name)?.[1]), 0)
      expect(frames).toBeGreaterThan(0)
      expect(frames).toBeLessThan(6 * talkRate)
    })
  },
)
