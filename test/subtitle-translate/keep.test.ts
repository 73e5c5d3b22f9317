import { describe, expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { fails } from '../engines/services/stand-in.ts'
import { srtOf, translateStudio } from './studio.ts'
import { cutOff, faulty, inChinese, rightly, translating } from './translator.ts'

const studio = translateStudio({ concurrency: 4 })
const keep = { line_mode: 'keep', strip_punctuation: false }

/** What is not text of an entry. */
const skeleton = (srt: string) => srt.split('\n').filter((line) => /^\d+$|-->|^$/.test(line))

describe('line by line', () => {
  it('2000 entries keep their number and their times to the byte, whatever a model does', async () => {
    const lines = Array.from(
      { length: 2000 },
      (_, at) => `Line ${String(at + 1).padStart(4, '0')} of the film`,
    )
    const wrong = faulty()
    let questions = 0
    studio.model.says = translating((asked) => {
      questions += 1
      return questions % 7 === 0 && asked.length > 1 ? cutOff(asked) : wrong(asked)
    })
    const source = srtOf(lines)
    const { status, output, text, cost, name } = await studio.translate('count.srt', source, keep)
    expect([status, output['error']]).toEqual(['completed', undefined])
    expect(skeleton(text)).toEqual(skeleton(source))
    const { entries } = readSubtitles(Buffer.from(text), { format: 'srt' })
    expect(entries.map((entry) => entry.text)).toEqual(lines.map((line) => inChinese(line)))
    expect(output).toMatchObject({
      output_format: 'srt',
      line_mode: 'keep',
      stats: { input_lines: 2000, output_lines: 2000, skipped_total: 0 },
      degraded: { summary: false, translation: true },
      untranslated_lines: 0,
    })
    expect(cost).toBe(Math.ceil(lines.join('').length / 1000))
    expect(name).toBe('count.zh-CN.srt')
  })

  it('tags never reach the model, and none is lost', async () => {
    studio.model.says = translating()
    const source = srtOf([
      String.raw`{\an8}<i>Over there</i>`,
      'She said <b>no</b> to him',
      '<font color="#ff0000">Red</font>',
    ])
    const asked = studio.model.asked.length
    const { text } = await studio.translate('tags.srt', source, keep)
    const told = JSON.stringify(studio.model.asked.slice(asked))
    expect(told).not.toMatch(/an8|<i>|<b>|font/)
    const entries = readSubtitles(Buffer.from(text), { format: 'srt' }).entries.map((entry) => entry.text)
    expect(entries[0]).toBe(String.raw`{\an8}<i>译文Over there译文</i>`)
    expect(entries[1]).toMatch(/^译文.*<b>.*<\/b>.*译文$/s)
    expect(entries[2]).toBe('<font color="#ff0000">译文Red译文</font>')
  })

  it('a line that never comes keeps its own words, and is told', async () => {
    studio.model.says = translating((asked) => ({ lines: rightly(asked).filter(({ id }) => id !== 2) }))
    const { output, text } = await studio.translate(
      'gap.srt',
      srtOf(['One here', 'Two here', 'Three here']),
      keep,
    )
    expect(output).toMatchObject({ untranslated_lines: 1, degraded: { translation: true } })
    expect(output['notes']).toEqual([expect.stringMatching(/line of the file\): 5$/)])
    expect(text).toContain('\nTwo here\n')
    expect(text).toContain(inChinese('Three here'))
  })

  it('without a summary the work goes on', async () => {
    studio.model.says = translating(undefined, 'No idea.')
    const lines = Array.from({ length: 60 }, (_, at) => `Number ${at} comes`)
    const { output } = await studio.translate('long.srt', srtOf(lines), keep)
    expect(output).toMatchObject({ untranslated_lines: 0, degraded: { summary: true, translation: false } })
  })

  it('a model that fails altogether fails the task with its error, and nothing is charged', async () => {
    studio.model.says = () => fails(401, { error: { message: 'no such key' } })
    const { status, output, cost } = await studio.translate('refused.srt', srtOf(['Never said']), keep)
    expect([status, cost]).toEqual(['failed', 0])
    expect(output['error']).toMatchObject({
      code: 6401,
      message: expect.stringContaining('asks for a key') as string,
    })
  })

  it('a model that answers nothing usable fails the task', async () => {
    studio.model.says = () => 'I would rather not.'
    const { status, output, cost } = await studio.translate('rather.srt', srtOf(['Never said either']), keep)
    expect([status, cost]).toEqual(['failed', 0])
    expect(output['error']).toMatchObject({
      code: 6401,
      message: expect.stringContaining('no usable answer') as string,
    })
  })
})
