import { expect, it } from 'vitest'
import { configuredService, configureServices } from '../../src/engines/services/configured.ts'
import { srtOf, startTranslationService } from './translation-service.ts'

// What is refused at creation costs nothing and makes no task; the model is asked nothing.

const studio = startTranslationService()

const assHead = [
  '[Script Info]',
  '[V4+ Styles]',
  'Format: Name, Fontname',
  'Style: Default,Arial',
  'Style: Sign,Arial',
  '[Events]',
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
]
const assOf = (...events: readonly string[]) => [...assHead, ...events, ''].join('\n')
const line = (layer: number, style: string, text: string, at = 1) =>
  `Dialogue: ${layer},0:00:0${at}.00,0:00:0${at + 2}.00,${style},,0,0,0,,${text}`
const many = (count: number, length: number) => srtOf(Array.from({ length: count }, () => 'x'.repeat(length)))

const refused: readonly (readonly [
  what: string,
  name: string,
  content: string,
  said: RegExp,
  request?: object,
])[] = [
  [
    'two entries of one time',
    'both.srt',
    srtOf(['Hello']) + '\n' + srtOf(['你好']),
    /bilingual: line 1 and line 5/,
  ],
  [
    'two languages stacked',
    'stacked.srt',
    srtOf(Array(4).fill('Hello there\n你好')),
    /bilingual: line 1 has two/,
  ],
  ['only line breaks', 'blank.srt', '\n'.repeat(8 * 2 ** 20), /no text to translate/],
  ['no entry', 'none.ass', assOf(), /no text to translate/],
  [
    'only drawings',
    'drawn.ass',
    assOf(line(0, 'Sign', String.raw`{\p1}m 0 0 l 9 9`)),
    /no text to translate/,
  ],
  [
    'WebVTT by another name',
    'web.srt',
    'WEBVTT\n\nNOTE a\n\n00:01.000 --> 00:02.000\nHi\n',
    /malformed: it is WebVTT/,
  ],
  [
    'ASS by another name',
    'named.srt',
    `[Script Info]\n${assOf(line(0, 'Default', 'Said'))}`,
    /malformed: it is ASS/,
  ],
  ['SRT by another name', 'named.ass', srtOf(['Hello']), /malformed: it is SRT/],
  ['a number alone', 'number.ass', `1${'\n'.repeat(400_000)}x`, /malformed: line 1 cannot be read$/],
  [
    'times before zero',
    'early.srt',
    '1\n-00:00:02,000 --> -00:00:01,000\nHi\n',
    /malformed: line 1 cannot be read: it has times before zero/,
  ],
  ['no subtitles', 'letter.srt', 'Dear reader,\nthis is a letter.\n', /malformed: line 1 cannot be read/],
  [
    'two layers',
    'layers.ass',
    assOf(line(0, 'Default', 'Said'), line(1, 'Sign', 'Shop').replace('0:00:01.00', '0:00:01.50')),
    /several layers: lines 8 and 9/,
  ],
  ['8.1 MB', 'large.srt', many(1, 1) + '\n'.repeat(8.1 * 2 ** 20), /larger than 8 MB/],
  ['2001 entries', 'many.srt', many(2001, 1), /more than 2000 entries/],
  ['80,001 characters', 'long.srt', many(3, 26_667), /more than 80,000 characters/],
  ['another format', 'lines.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n', /not \.srt or \.ass/],
  [
    'a look without ass',
    'plain.srt',
    srtOf(['Hi']),
    /subtitle_type: only with ass/,
    { subtitle_type: 'default' },
  ],
  [
    'languages without ass',
    'plain.ass',
    assOf(line(0, 'Default', 'Hi')),
    /lingual_type: only with ass output.*subtitle_color: only with ass/s,
    { output_format: 'srt', lingual_type: 'monolingual', subtitle_color: '雅黑' },
  ],
]

const cases = refused.map(([what, name, content, said, request = {}]) => ({
  what,
  name,
  content,
  said,
  request,
}))

it.each(cases)('$what', async ({ name, content, said, request }) => {
  const file_id = await studio.upload(name, content)
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN', ...request }
  const { status, code, msg } = await studio.calls.create('subtitle_translate', body)
  expect([status, code]).toEqual([400, name.endsWith('.vtt') ? 6014 : 6016])
  expect(msg).toMatch(said)
  expect(await studio.calls.balance()).toBe(10_000)
  expect(studio.model.asked).toEqual([])
})

it.each([
  ['2000 entries', many(2000, 1), 2],
  ['80,000 characters', many(2, 40_000), 80],
  ['1000 characters of two units each', srtOf(['𝄞'.repeat(1000)]), 1],
  ['1001 characters', srtOf(['漢'.repeat(1001)]), 2],
  ['nearly 8 MB', many(1, 1) + '\n'.repeat(8 * 2 ** 20 - 100), 1],
  ['tags, which are no text', srtOf([`<i>${'x'.repeat(1000)}</i>`]), 1],
])('%s are taken, and priced by their letters', async (_, content, credits) => {
  const file_id = await studio.upload(`taken ${credits} ${content.length}.srt`, content)
  const { data, msg } = await studio.calls.send<{ credits: number } | null>(
    '/task/subtitle_translate/quote',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file_id, language: 'en-US', translate_language: 'zh-CN' }),
    },
  )
  expect([data?.credits, msg]).toEqual([credits, 'success'])
})

it('creation without a language model names the required setting', async () => {
  const set = configuredService('language_model')
  configureServices({})
  const file_id = await studio.upload('unset.srt', srtOf(['Hi']))
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN' }
  const { status, code, msg } = await studio.calls.create('subtitle_translate', body)
  configureServices(set ? { language_model: set } : {})
  expect([status, code]).toEqual([500, 6401])
  expect(msg).toContain('no language model is set')
})
