import { describe, expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { fails } from '../engines/services/fake-service.ts'
import { soakSize } from '../soak-size.ts'
import { srtOf, startTranslationService } from './translation-service.ts'
import {
  truncatedAnswer,
  faultyAnswers,
  fakeChinese,
  requestedLines,
  correctAnswer,
  translatingModel,
} from './translator.ts'

const service = startTranslationService({ concurrency: 4 })
const keepMode = { line_mode: 'keep', strip_punctuation: false }

/** Lines of an SRT file without the text of its entries. */
const numbersAndTimes = (srt: string) => srt.split('\n').filter((line) => /^\d+$|-->|^$/.test(line))

describe('keep mode', () => {
  it('hundreds of entries keep their numbers and times, whatever mistakes the model makes', async () => {
    const count = soakSize(200, 2000)
    const lines = Array.from(
      { length: count },
      (_, at) => `Line ${String(at + 1).padStart(4, '0')} of the film`,
    )
    const faultyAnswer = faultyAnswers()
    let questions = 0
    service.model.says = translatingModel((requested) => {
      questions += 1
      return questions % 7 === 0 && requested.length > 1
        ? truncatedAnswer(requested)
        : faultyAnswer(requested)
    })
    const source = srtOf(lines)
    const { status, output, text, cost, name } = await service.translate('count.srt', source, keepMode)
    expect([status, output['error']]).toEqual(['completed', undefined])
    expect(numbersAndTimes(text)).toEqual(numbersAndTimes(source))
    const { entries } = readSubtitles(Buffer.from(text), { format: 'srt' })
    expect(entries.map((entry) => entry.text)).toEqual(lines.map((line) => fakeChinese(line)))
    expect(output).toMatchObject({
      output_format: 'srt',
      line_mode: 'keep',
      stats: { input_lines: count, output_lines: count, skipped_total: 0 },
      degraded: { summary: false, translation: true },
      untranslated_lines: 0,
    })
    expect(cost).toBe(Math.ceil(lines.join('').length / 1000))
    expect(name).toBe('count.zh-CN.srt')
  })

  it('tags are not sent to the model and are all kept', async () => {
    service.model.says = translatingModel()
    const source = srtOf([
      String.raw`{\an8}<i>Over there</i>`,
      'She said <b>no</b> to him',
      '<font color="#ff0000">Red</font>',
    ])
    const requested = service.model.asked.length
    const { text } = await service.translate('tags.srt', source, keepMode)
    const sent = JSON.stringify(service.model.asked.slice(requested))
    expect(sent).not.toMatch(/an8|<i>|<b>|font/)
    const entries = readSubtitles(Buffer.from(text), { format: 'srt' }).entries.map((entry) => entry.text)
    expect(entries[0]).toBe(String.raw`{\an8}<i>译文Over there译文</i>`)
    expect(entries[1]).toMatch(/^译文.*<b>.*<\/b>.*译文$/s)
    expect(entries[2]).toBe('<font color="#ff0000">译文Red译文</font>')
  })

  it('a line without a translation is unchanged and reported', async () => {
    service.model.says = translatingModel((requested) => ({
      lines: correctAnswer(requested).filter(({ id }) => id !== 2),
    }))
    const { output, text } = await service.translate(
      'gap.srt',
      srtOf(['One here', 'Two here', 'Three here']),
      keepMode,
    )
    expect(output).toMatchObject({ untranslated_lines: 1, degraded: { translation: true } })
    expect(output['notes']).toEqual([expect.stringMatching(/line of the file\): 5$/)])
    expect(text).toContain('\nTwo here\n')
    expect(text).toContain(fakeChinese('Three here'))
  })

  it('a missing summary does not fail the task', async () => {
    service.model.says = translatingModel(undefined, 'No idea.')
    const lines = Array.from({ length: 60 }, (_, at) => `Number ${at} comes`)
    const { output } = await service.translate('long.srt', srtOf(lines), keepMode)
    expect(output).toMatchObject({ untranslated_lines: 0, degraded: { summary: true, translation: false } })
  })

  it('the next attempt after a service failure asks for the remaining lines only', async () => {
    const unavailable = fails(503, {}, { 'retry-after': '3600' })
    let questions = 0
    // Two of five requests succeed; the second attempt of the task repeats the others.
    service.model.says = translatingModel((requested) => {
      questions += 1
      return questions > 2 && questions < 6 ? unavailable : { lines: correctAnswer(requested) }
    })
    const lines = Array.from({ length: 200 }, (_, at) => `Half of ${at + 1000} is said`)
    const questionCount = service.model.asked.length
    const { status, output, cost } = await service.translate('half.srt', srtOf(lines), keepMode)
    expect([status, cost]).toEqual(['completed', Math.ceil(lines.join('').length / 1000)])
    expect(output).toMatchObject({ untranslated_lines: 0, degraded: { summary: false, translation: false } })
    const requested = service.model.asked.slice(questionCount).map((question) => requestedLines(question))
    const [brief, ...batches] = requested.map((some) => some?.map(({ id }) => id))
    expect([brief, batches.length]).toEqual([undefined, 8])
    const once = batches.slice(0, 5).flatMap((ids = []) => ids)
    expect(once.toSorted((one, other) => one - other)).toEqual(lines.map((_, at) => at + 1))
    expect(new Set(batches.slice(5))).toEqual(new Set(batches.slice(2, 5)))
  })

  it('a permanent failure of the service fails the task with its error and charges nothing', async () => {
    let batches = 0
    service.model.says = translatingModel((requested) => {
      batches += 1
      return batches > 4
        ? fails(401, { error: { message: 'no credit' } })
        : { lines: correctAnswer(requested) }
    })
    const lines = Array.from({ length: 200 }, (_, at) => `Most of ${at + 1000} is said`)
    const { status, output, cost } = await service.translate('most.srt', srtOf(lines), keepMode)
    expect([status, cost]).toEqual(['failed', 0])
    expect(output['error']).toMatchObject({
      code: 6401,
      message: expect.stringMatching(/ asks for a key \(HTTP 401\)$/) as string,
    })
  })

  it('a line for which the service fails is unchanged', async () => {
    service.model.says = translatingModel((requested) =>
      requested.some(({ text }) => text.includes('poison'))
        ? fails(422, {})
        : { lines: correctAnswer(requested) },
    )
    const { output, text } = await service.translate(
      'poison.srt',
      srtOf(['One of these', 'is poison', 'and two not']),
      keepMode,
    )
    expect(output).toMatchObject({ untranslated_lines: 1, degraded: { translation: true } })
    expect(text).toContain(fakeChinese('and two not'))
  })
})
