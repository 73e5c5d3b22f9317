import { describe, expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { plainText } from '../../src/media/subtitles/tokens.ts'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { startTranslationRuns } from './run-translation.ts'
import { srtOf } from './translation-service.ts'
import { requestedLines, correctAnswer, translatingModel } from './translator.ts'

// Effects of single fields of a request on the result file.

const runs = startTranslationRuns()

const assOf = (head: readonly string[], texts: readonly string[]) =>
  [
    ...['[Script Info]', ...head, '', '[V4+ Styles]', 'Format: Name, Fontname, Fontsize, PrimaryColour'],
    ...['Style: Default,Arial,40,&H00123456', '', '[Events]'],
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...texts.map(
      (text, at) => `Dialogue: 0,0:00:${10 + 3 * at}.00,0:00:${12 + 3 * at}.00,Default,,0,0,0,,${text}`,
    ),
    '',
  ].join('\n')

const plainTexts = (text: string, format: 'srt' | 'ass') =>
  readSubtitles(Buffer.from(text), { format }).entries.map((entry) => plainText(entry.text, format))

describe('video_size', () => {
  const long = 'The old captain who had never been out at sea since the war lent us his boat for a day'
  const tall = ['PlayResX: 1080', 'PlayResY: 1920']

  it('takes precedence over PlayRes of the file, which takes precedence over 1920x1080', async () => {
    const translation = '自从战争以来就再也没有出过海的老船长把他的船借给我们一整天而且连一分钱也没有要'
    runs.model.says = translatingModel((requested) => ({
      lines: correctAnswer(requested, () => translation),
    }))
    const linesOf = async (name: 'lines.ass' | 'lines.srt', source: string, request: object = {}) => {
      const { text, output } = await runs.translate(name, source, { line_mode: 'keep', ...request })
      const [lines = '', ...others] = plainTexts(text, output['output_format'] as 'srt' | 'ass')
      expect([others, lines.replaceAll('\n', '')]).toEqual([[], translation])
      return lines.split('\n')
    }
    const wide = await linesOf('lines.srt', srtOf([long]))
    const narrow = await linesOf('lines.ass', assOf(tall, [long]))
    expect(narrow.length).toBeGreaterThan(wide.length)
    expect(await linesOf('lines.ass', assOf([], [long]))).toEqual(wide)
    expect(await linesOf('lines.ass', assOf(tall, [long]), { video_size: [1920, 1080] })).toEqual(wide)
    // An .srt has no canvas size.
    expect(await linesOf('lines.srt', srtOf([long]), { video_size: [1080, 1920] })).toEqual(narrow)
    const asSrt = { output_format: 'srt' }
    expect(await linesOf('lines.ass', assOf(tall, [long]), asSrt)).toEqual(narrow)
  })
})

describe('strip_punctuation', () => {
  const translations: Readonly<Record<string, string>> = { '你好，你。3.14': 'Hi, you. 3.14' }
  const originals = ['你好，你。3.14', '没有，人。1,000'] as const
  const into = { language: 'zh-CN', translate_language: 'en-US', line_mode: 'keep' }

  it.each([
    [{}, 'Hi you 3.14', '你好 你 3.14', '没有 人 1,000'],
    [{ strip_punctuation: true }, 'Hi you 3.14', '你好 你 3.14', '没有 人 1,000'],
    [{ strip_punctuation: false }, 'Hi, you. 3.14', ...originals],
  ])('%j', async (request, translated, original, untranslated) => {
    // The model never returns the second line, which stays untranslated.
    runs.model.says = translatingModel((requested) => ({
      lines: correctAnswer(
        requested.filter(({ text }) => text in translations),
        (text) => translations[text] ?? '',
      ),
    }))
    const alone = await runs.translate('marks.srt', srtOf(originals), { ...into, ...request })
    expect(alone.output).toMatchObject({ untranslated_lines: 1 })
    expect(plainTexts(alone.text, 'srt')).toEqual([translated, untranslated])
    const bilingual = { output_format: 'ass', lingual_type: 'bilingual' }
    const both = await runs.translate('marks.srt', srtOf(originals), {
      ...into,
      ...request,
      ...bilingual,
    })
    expect(plainTexts(both.text, 'ass').toSorted()).toEqual([translated, original, untranslated].toSorted())
  })
})

describe('subtitle_color', () => {
  // In the byte order of ASS: blue, green, red. 雅黑 keeps the letter colour of the style preset.
  const colours = {
    ...{ 雅黑: 'FFFFFF', 淡绿: '98FB98', 森林绿: '4AB234', 湖蓝: 'F2D530', 道奇蓝: 'FF901E', 钢蓝: 'D8A66E' },
    ...{ 浅粉红: 'C1B6FF', 深橙: '008CFF', 珊瑚橙: '507FFF', 橙红: '0045FF', 土豪金: '5EC7F0' },
  }

  it('has a colour for each name', () => {
    expect(Object.keys(colours)).toEqual(subtitleTranslate.input.shape.subtitle_color.unwrap().options)
  })

  it.each(Object.entries(colours))('%s is &H00%s', async (subtitle_color, colour) => {
    runs.model.says = translatingModel()
    const request = { output_format: 'ass', line_mode: 'keep', subtitle_color }
    const sources = { 'said.srt': srtOf(['Well said']), 'said.ass': assOf([], ['Well said']) }
    const tasks = Object.entries(sources).map(([name, source]) => runs.translate(name, source, request))
    for (const { text } of await Promise.all(tasks)) {
      const [, fields = ''] = /^\[V4\+ Styles\]\nFormat: (.*)$/m.exec(text) ?? []
      const [, values = ''] = /^Style: (Default,.*)$/m.exec(text) ?? []
      expect(values.split(',')[fields.split(', ').indexOf('PrimaryColour')]).toBe(`&H00${colour}`)
    }
  })
})

describe('text of an .ass that is not translated', () => {
  const texts = [
    String.raw`{\pos(640,100)\fad(200,200)}Shop`,
    String.raw`{\i1}We were{\i0} on the {\b700\1c&H0000FF&}way{\r}`,
    String.raw`{\fs20\an8}to the station.{a note of the maker}`,
    String.raw`{\p1}m 0 0 l 100 0 100 100{\p0}`,
    String.raw`{\k20}la{\k30}lala`,
    String.raw`{\move(0,0,9,9)}Late{\t(0,500,\alpha&HFF&)}`,
  ]

  it.each(['keep', 'resegment'])(
    'is not sent to the model in %s mode, and stays in the file',
    async (line_mode) => {
      runs.model.says = translatingModel()
      const before = runs.model.asked.length
      const { text } = await runs.translate('film.ass', assOf([], texts), { line_mode })
      const questions = runs.model.asked.slice(before)
      const requested = questions.flatMap((body) => requestedLines(body) ?? []).map((line) => line.text)
      expect(requested).toEqual(['Shop', 'We were on the way', 'to the station.', 'Late'])
      const contents = questions.flatMap(({ messages }) => messages.map(({ content }) => content))
      const sent = contents.filter((content) => typeof content === 'string').join('\n')
      expect(sent).not.toMatch(/[{}]\\|\\[a-z]+[\d(&]|m 0 0 l|lala|a note/)
      const tags = (source: string) => source.match(/\{[^{}]*\}/g)
      expect(tags(text)).toEqual(tags(texts.join('')))
      expect(text).toContain(`,,${texts[3]}\n`)
      expect(text).toContain(`,,${texts[4]}\n`)
    },
  )
})
