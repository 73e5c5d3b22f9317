import { expect, it } from 'vitest'
import type { ModelServer } from '../engines/language-model/model-server.ts'
import { fails } from '../engines/services/fake-service.ts'
import { startTranslationRuns } from './run-translation.ts'
import { srtOf } from './translation-service.ts'
import { correctAnswer, fakeChinese, translatingModel } from './translator.ts'

// What models add to translations, or leave as it was, does not reach the file.

const runs = startTranslationRuns()
const keepMode = { line_mode: 'keep', strip_punctuation: false }

/** Translates a line by the answer of the model for it. */
function answers(said: Readonly<Record<string, string>>) {
  runs.model.says = translatingModel((requested) => ({
    lines: correctAnswer(requested, (text) => said[text] ?? fakeChinese(text)),
  }))
}

it('an untranslated line is reported, also when it is answered alone', async () => {
  answers({ 'We were on the way home': 'We were on the way home', 'Christopher Nolan': 'Christopher Nolan' })
  const lines = ['We were on the way home', 'Christopher Nolan', 'It is 1984 here', '...']
  const { output, text } = await runs.translate('left.srt', srtOf(lines), keepMode)
  expect(output).toMatchObject({ untranslated_lines: 1, degraded: { translation: true } })
  expect(output['notes']).toEqual([expect.stringMatching(/line of the file\): 1$/)])
  expect(text).toContain('\nChristopher Nolan\n')
  const alone = await runs.translate('alone.srt', srtOf(['We were on the way home']), keepMode)
  expect(alone.status).toBe('failed')
  expect(alone.output['error']).toMatchObject({
    code: 6401,
    message: expect.stringContaining('1 of 1 lines') as string,
  })
})

it.each<[kind: string, says: ModelServer['says'], message: string]>([
  ['gives no valid answer', () => 'I would rather not.', 'no valid answer'],
  ['always fails', () => fails(401, { error: { message: 'no such key' } }), 'asks for a key'],
])('a model that %s makes the task fail with its error', async (_, says, message) => {
  runs.model.says = says
  const { status, output } = await runs.translate('refused.srt', srtOf(['Never said']), keepMode)
  expect(status).toBe('failed')
  expect(output['error']).toMatchObject({
    code: 6401,
    message: expect.stringContaining(message) as string,
  })
})

it('a bare array is accepted', async () => {
  runs.model.says = translatingModel((requested) => correctAnswer(requested))
  const asked = runs.model.asked.length
  const { output, text } = await runs.translate('bare.srt', srtOf(['Good day', 'Good night']), keepMode)
  expect(output).toMatchObject({ untranslated_lines: 0, degraded: { translation: false } })
  expect(text).toContain(fakeChinese('Good night'))
  expect(runs.model.asked).toHaveLength(asked + 1)
})

it.each(['srt', 'ass'])(
  'tags, notes, escapes and control characters of the model do not reach .%s',
  async (output_format) => {
    answers({
      'She left.': String.raw`<i>她走了</i>\N{\an8}真的（注：双关语）`,
      'He stayed.': "\u202e他留下了\u202c\u2066。\u2069\u0007 (Translator's note: literal)",
      'They came.': '他们&lt;b&gt;来了&lt;/b&gt;\\n译者注：复数',
    })
    const { text } = await runs.translate('notes.srt', srtOf(['She left.', 'He stayed.', 'They came.']), {
      ...{ ...keepMode, output_format },
    })
    const plain = text.replaceAll(/^(?:Format|Style|\[).*$/gm, '')
    for (const line of ['她走了真的', '他留下了。', '他们来了']) expect(plain).toContain(line)
    expect(plain).not.toMatch(/注|note|an8|<|&lt;|\\[Nn]|[\u202a-\u202e\u2066-\u2069]|(?!\n)\p{Cc}/u)
  },
)

it('line breaks of ASS and control characters in an .srt do not reach the result', async () => {
  answers({})
  const source = srtOf([String.raw`One\Nline`, 'Two\u202e lines\u0008', '\u200ethree', String.raw`(...)\N♪`])
  const requested = runs.model.asked.length
  const { text } = await runs.translate('signs.srt', `\ufeff${source}`, keepMode)
  expect(JSON.stringify(runs.model.asked.slice(requested))).not.toMatch(/One\\+N|[\u202e\u200e]|\\b/)
  expect(text).toContain(`\n${fakeChinese('One line')}\n`)
  expect(text).toContain(`\n${fakeChinese('Two lines')}\n`)
  expect(text).toContain('\n(...) ♪\n')
  expect(text).not.toMatch(/\\N|[\u202e\u200e]|(?!\n)\p{Cc}/u)
  expect(text.startsWith('\ufeff')).toBe(true)
})

it('resegment reports how many entries became how many, and joins only sentences', async () => {
  answers({})
  const time = (seconds: number) => `00:00:${seconds.toFixed(3).padStart(6, '0').replace('.', ',')}`
  const entry = (start: number, end: number, said: string) => `${time(start)} --> ${time(end)}\n${said}\n`
  const source = [
    entry(1, 3, 'We were on the way'),
    entry(3.1, 5, 'to the station.'),
    entry(6, 8, 'no full stop here'),
    entry(8.5, 11, 'and none here'),
  ].map((one, at) => `${at + 1}\n${one}`)
  const { output, text } = await runs.translate('sentences.srt', source.join('\n'), {})
  expect(output).toMatchObject({ stats: { input_lines: 4, output_lines: 3 } })
  expect(output['notes']).toEqual([
    'line_mode resegment: 4 entries became 3 (2 of one sentence joined into 1)',
  ])
  expect(text).toContain('00:00:06,000 --> 00:00:08,000')
  expect(text).toContain('00:00:08,500 --> 00:00:11,000')
  const kept = await runs.translate('kept.srt', source.join('\n'), keepMode)
  expect(kept.output).not.toHaveProperty('notes')
})

it.each(['utf-32le', 'utf-32be'] as const)('%s is read', async (encoding) => {
  answers({})
  const code = (letter: string) => {
    const unit = Buffer.alloc(4)
    if (encoding === 'utf-32le') unit.writeUInt32LE(letter.codePointAt(0) ?? 0)
    else unit.writeUInt32BE(letter.codePointAt(0) ?? 0)
    return unit
  }
  for (const mark of ['\ufeff', '']) {
    const bytes = Buffer.concat([...`${mark}${srtOf(['Good day 🙂'])}`].map(code))
    const { text } = await runs.translate('wide.srt', new Uint8Array(bytes), keepMode)
    expect(text.replace('\ufeff', '')).toBe(srtOf([fakeChinese('Good day 🙂')]))
    expect(text.startsWith('\ufeff')).toBe(mark !== '')
  }
})
