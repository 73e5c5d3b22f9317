import { expect, it } from 'vitest'
import { configuredService, configureServices } from '../../src/engines/services/configured.ts'
import { srtOf, startTranslationService } from './translation-service.ts'

// Files rejected at creation cost nothing, create no task and send nothing to the model.

const service = startTranslationService()

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

const rejectedFiles: readonly (readonly [
  what: string,
  name: string,
  content: string,
  said: RegExp,
  request?: object,
])[] = [
  [
    'a second language in entries of the same times',
    'both.srt',
    srtOf(['Hello']) + '\n' + srtOf(['你好']),
    /bilingual: line 1 and line 5/,
  ],
  [
    'two languages in each entry',
    'stacked.srt',
    srtOf(Array(4).fill('Hello there\n你好')),
    /bilingual: line 1 has two/,
  ],
  ['a file of line breaks', 'blank.srt', '\n'.repeat(8 * 2 ** 20), /no text to translate/],
  [
    'an .ass without Dialogue lines',
    'none.ass',
    assOf(),
    /no text to translate: its \[Events\] section has no Dialogue line/,
  ],
  [
    'an .ass without the section of its events',
    'styles.ass',
    assHead.slice(0, 5).join('\n'),
    /no text to translate: it has no \[Events\] section/,
  ],
  [
    'an .ass of comments',
    'notes.ass',
    assOf(line(0, 'Sign', 'To do').replace('Dialogue', 'Comment')),
    /no text to translate: all its events are comments/,
  ],
  [
    'a file of drawings',
    'drawn.ass',
    assOf(line(0, 'Sign', String.raw`{\p1}m 0 0 l 9 9`)),
    /no text to translate/,
  ],
  [
    'WebVTT named .srt',
    'web.srt',
    'WEBVTT\n\nNOTE a\n\n00:01.000 --> 00:02.000\nHi\n',
    /malformed: it is WebVTT/,
  ],
  [
    'ASS named .srt',
    'named.srt',
    `[Script Info]\n${assOf(line(0, 'Default', 'Said'))}`,
    /malformed: it is ASS/,
  ],
  ['SRT named .ass', 'named.ass', srtOf(['Hello']), /malformed: it is SRT/],
  [
    'a number without an entry',
    'number.ass',
    `1${'\n'.repeat(400_000)}x`,
    /malformed: line 1 cannot be read$/,
  ],
  [
    'times before zero',
    'early.srt',
    '1\n-00:00:02,000 --> -00:00:01,000\nHi\n',
    /malformed: line 1 cannot be read: it has times before zero/,
  ],
  [
    'text that is not subtitles',
    'letter.srt',
    'Dear reader,\nthis is a letter.\n',
    /malformed: line 1 cannot be read/,
  ],
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
    'subtitle_type without ass output',
    'plain.srt',
    srtOf(['Hi']),
    /subtitle_type: only with ass/,
    { subtitle_type: 'default' },
  ],
  [
    'lingual_type and subtitle_color without ass output',
    'plain.ass',
    assOf(line(0, 'Default', 'Hi')),
    /lingual_type: only with ass output.*subtitle_color: only with ass/s,
    { output_format: 'srt', lingual_type: 'monolingual', subtitle_color: '雅黑' },
  ],
]

const cases = rejectedFiles.map(([title, name, content, message, request = {}]) => ({
  title,
  name,
  content,
  message,
  request,
}))

it.each(cases)('rejects $title', async ({ name, content, message, request }) => {
  const file_id = await service.upload(name, content)
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN', ...request }
  const { status, code, msg } = await service.calls.create('subtitle_translate', body)
  expect([status, code]).toEqual([400, name.endsWith('.vtt') ? 6014 : 6016])
  expect(msg).toMatch(message)
  expect(await service.calls.balance()).toBe(10_000)
  expect(service.model.asked).toEqual([])
})

it.each([
  ['2000 entries', many(2000, 1), 2],
  ['80,000 characters', many(2, 40_000), 80],
  ['1000 characters of two units each', srtOf(['𝄞'.repeat(1000)]), 1],
  ['1001 characters', srtOf(['漢'.repeat(1001)]), 2],
  ['nearly 8 MB', many(1, 1) + '\n'.repeat(8 * 2 ** 20 - 100), 1],
  ['tags, which are not counted', srtOf([`<i>${'x'.repeat(1000)}</i>`]), 1],
])('accepts %s, priced by the number of characters', async (_, content, credits) => {
  const file_id = await service.upload(`accepted ${credits} ${content.length}.srt`, content)
  const { data, msg } = await service.calls.send<{ credits: number } | null>(
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
  const file_id = await service.upload('unset.srt', srtOf(['Hi']))
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN' }
  const { status, code, msg } = await service.calls.create('subtitle_translate', body)
  configureServices(set ? { language_model: set } : {})
  expect([status, code]).toEqual([500, 6401])
  expect(msg).toContain('no language model is set')
})
