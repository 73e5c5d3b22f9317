import { describe, expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { plainText } from '../../src/media/subtitles/tokens.ts'
import { burnedOnGrey } from '../engines/subtitles/burn-pixels.ts'
import { sampleCases } from '../soak-size.ts'
import { startTranslationRuns } from './run-translation.ts'
import { srtOf } from './translation-service.ts'
import { correctAnswer, translatingModel } from './translator.ts'

const runs = startTranslationRuns()

const head = [
  '[Script Info]',
  '; made by hand',
  'PlayResX: 1280',
  'PlayResY: 720',
  '',
  '[Aegisub Project Garbage]',
  'Last Style Storage: Default',
  '',
  '[V4+ Styles]',
  'Format: Name, Fontname, Fontsize, PrimaryColour, Alignment, MarginL, MarginR, MarginV',
  'Style: Speech,Arial,40,&H00FFFFFF,2,10,10,10',
  'Style: Sign,Georgia,30,&H0000FFFF,8,10,10,10',
  '',
  '[Events]',
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
]
const events = [
  'Comment: 0,0:00:00.00,0:00:01.00,Speech,,0,0,0,,a note of the maker',
  String.raw`Dialogue: 0,0:00:01.00,0:00:03.00,Speech,Ann,0,0,0,,{\i1}We were on the way{\i0}`,
  'Dialogue: 0,0:00:03.10,0:00:05.00,Speech,Ann,0,0,0,,to the old station.',
  String.raw`Dialogue: 3,0:00:06.00,0:00:07.00,Sign,,0,0,0,,{\pos(640,100)\fad(200,200)}SHOP`,
  String.raw`Dialogue: 4,0:00:06.00,0:00:07.00,Sign,,0,0,0,,{\p1}m 0 0 l 100 0 100 100{\p0}`,
  String.raw`Dialogue: 0,0:00:08.00,0:00:09.00,Sign,,0,0,0,,{\k20}la{\k30}la`,
  'Dialogue: 0,0:00:10.00,0:00:09.00,Speech,,0,0,0,,ends before it begins',
]
const source = [...head, ...events, ''].join('\r\n')

describe('ass from ass', () => {
  it('changes only words and the main style in keep mode', async () => {
    const { output, text, name } = await runs.translate('film.ass', source, { line_mode: 'keep' })
    expect(output).toMatchObject({
      output_format: 'ass',
      stats: { input_lines: 3, output_lines: 3, skipped_total: 1 },
    })
    expect(name).toBe('film.zh-CN.ass')
    const changed = text.split('\r\n')
    // The last event is malformed and therefore dropped.
    const before = source.split('\r\n').filter((line) => line !== events.at(-1))
    expect(changed).toHaveLength(before.length)
    const differ = before.flatMap((line, at) => (line === changed[at] ? [] : [line]))
    expect(differ).toEqual([before[10], ...events.slice(1, 4)])
    expect(changed[10]).toMatch(/^Style: Speech,/)
    const at = before.indexOf(events[1] ?? '')
    expect(changed[at]).toBe(
      String.raw`Dialogue: 0,0:00:01.00,0:00:03.00,Speech,Ann,0,0,0,,{\i1}译文We were on the way译文{\i0}`,
    )
    expect(changed[at + 2]).toBe(
      String.raw`Dialogue: 3,0:00:06.00,0:00:07.00,Sign,,0,0,0,,{\pos(640,100)\fad(200,200)}译文SHOP译文`,
    )
  })

  it('finds the style name in any field order and escapes it in tags', async () => {
    const moved = source
      .replace('Format: Name, Fontname,', 'Format: Fontname, Name,')
      .replace('Style: Speech,Arial,', 'Style: Arial,A}B,')
      .replace('Style: Sign,Georgia,', 'Style: Georgia,Sign,')
      .replaceAll(',Speech,', ',A}B,')
    const { text } = await runs.translate('moved.ass', moved, {
      ...{ line_mode: 'keep', lingual_type: 'bilingual', strip_punctuation: false },
    })
    const styles = text.split('\r\n').filter((line) => line.startsWith('Style:'))
    expect(styles.map((line) => line.split(',')[1])).toEqual(['A}B', 'Sign', 'AB original'])
    expect(styles[0]).not.toContain('Arial,A}B,40,')
    expect(text).toContain(String.raw`}译文SHOP译文\N{\rAB original}SHOP`)
  })

  it('puts the original below in its own style if bilingual', async () => {
    const request = {
      line_mode: 'keep',
      lingual_type: 'bilingual',
      subtitle_type: 'boxed',
      strip_punctuation: false,
    }
    const { text } = await runs.translate('film.ass', source, request)
    expect(text).toContain('\r\nStyle: Speech original,')
    const dialogueLines = text.split('\r\n').filter((line) => line.includes(',0:00:05.00,'))
    expect(dialogueLines.map((line) => line.replace(/,0,0,\d+,,/, ',0,0,N,,'))).toEqual([
      'Dialogue: 0,0:00:03.10,0:00:05.00,Speech original,Ann,0,0,N,,to the old station.',
      'Dialogue: 0,0:00:03.10,0:00:05.00,Speech,Ann,0,0,N,,译文to the old station.译文',
    ])
    expect(text).toContain(String.raw`}译文SHOP译文\N{\rSpeech original}SHOP`)
  })

  it('joins entries of a sentence in resegment mode and keeps the others', async () => {
    const plain = source.replace(String.raw`{\i1}We were on the way{\i0}`, 'We were on the way')
    const requested = runs.model.asked.length
    const { output, text } = await runs.translate('plain.ass', plain, { strip_punctuation: false })
    expect(JSON.stringify(runs.model.asked.slice(requested))).toContain(
      'We were on the way to the old station.',
    )
    expect(output).toMatchObject({ stats: { input_lines: 3, output_lines: 2 } })
    const dialogue = text.split('\r\n').filter((line) => line.includes(',Speech,Ann,'))
    expect(dialogue).toEqual([
      String.raw`Dialogue: 0,0:00:01.00,0:00:05.00,Speech,Ann,0,0,0,,译文We were on the way\Nto the old station.译文`,
    ])
    for (const event of [events[0], ...events.slice(4, -1)]) expect(text).toContain(`\r\n${event}\r\n`)
    expect(text).not.toContain('ends before it begins')
  })

  it('keeps the tags that srt supports', async () => {
    const { text } = await runs.translate('film.ass', source, {
      ...{ line_mode: 'keep', output_format: 'srt', strip_punctuation: false },
    })
    expect(text.split('\r\n')).toEqual([
      ...['1', '00:00:01,000 --> 00:00:03,000', '<i>译文We were on the way译文</i>', ''],
      ...['2', '00:00:03,100 --> 00:00:05,000', '译文to the old station.译文', ''],
      ...['3', '00:00:06,000 --> 00:00:07,000', '译文SHOP译文', ''],
      ...['4', '00:00:08,000 --> 00:00:09,000', 'lala', ''],
    ])
  })
})

describe('from srt', () => {
  it('omits and counts entries shorter than the resolution of ass', async () => {
    const brief = '\n3\n00:00:07,001 --> 00:00:07,004\nGone\n\n4\n00:00:08,004 --> 00:00:08,006\nSeen\n'
    for (const line_mode of ['keep', 'resegment']) {
      const { output, text } = await runs.translate('brief.srt', srtOf(['One.', 'Two.']) + brief, {
        ...{ line_mode, output_format: 'ass', strip_punctuation: false },
      })
      expect(output).toMatchObject({ stats: { input_lines: 4, output_lines: 3, skipped_total: 1 } })
      expect(text.match(/^Dialogue: .*/gm)).toEqual([
        'Dialogue: 0,0:00:00.00,0:00:02.00,Default,,0,0,0,,译文One.译文',
        'Dialogue: 0,0:00:03.00,0:00:05.00,Default,,0,0,0,,译文Two.译文',
        'Dialogue: 0,0:00:08.00,0:00:08.01,Default,,0,0,0,,译文Seen译文',
      ])
    }
  })

  it('keeps the byte order mark and line endings for any encoding', async () => {
    const wide = Buffer.from(
      `\ufeff${srtOf(['Hello there', 'Good bye']).replaceAll('\n', '\r\n')}`,
      'utf16le',
    )
    for (const line_mode of ['keep', 'resegment']) {
      const { bytes, text } = await runs.translate('wide.srt', new Uint8Array(wide), { line_mode })
      expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      expect(text).toContain('\r\n译文Good bye译文\r\n')
    }
  })

  const long =
    'and so we went down to the harbour with the old captain, who had never been out at sea since the war, and asked him for his boat'
  const canvases = [
    [[1080, 1920], 'boxed'],
    [[1920, 1080], 'default'],
    [[1080, 1080], 'deep_shadow'],
  ] as const
  it.each(sampleCases(canvases, 1))(
    'resegmented lines stay within %j when drawn',
    async ([width, height], subtitle_type) => {
      const chinese =
        '于是我们和那位自从战争以来就再也没有出过海的老船长一起走到港口，向他借了他的船，他想了很久，最后还是答应了我们的请求。'
      runs.model.says = translatingModel((requested) => ({
        lines: correctAnswer(requested, () => chinese),
      }))
      const { output, text } = await runs.translate('sea.srt', srtOf([long]), {
        ...{ output_format: 'ass', subtitle_type, video_size: [width, height], strip_punctuation: false },
      })
      runs.model.says = translatingModel()
      const { entries } = readSubtitles(Buffer.from(text), { format: 'ass' })
      expect(entries.length).toBeGreaterThan(1)
      expect(output).toMatchObject({
        stats: { output_lines: entries.length },
        degraded: { width_budget: false },
      })
      const lines = entries.map((entry) => plainText(entry.text, 'ass'))
      expect(lines.join('').replaceAll('\n', '')).toBe(chinese)
      const moved = text.replace(/Dialogue:/g, 'Comment:')
      const files = lines.map((line, at) => {
        expect(line.split('\n').length).toBeLessThanOrEqual(2)
        let commentIndex = -1
        return moved.replace(/Comment:/g, (word) => ((commentIndex += 1) === at ? 'Dialogue:' : word))
      })
      const textColumns: [number, number][] = []
      await burnedOnGrey({ width, height }, files, (pixels) => textColumns.push(inkColumns(pixels, width)))
      expect(textColumns).toHaveLength(lines.length)
      for (const [first, last] of textColumns) {
        expect(first).toBeGreaterThan(width * 0.04)
        expect(last).toBeLessThan(width * 0.96)
        expect(last - first).toBeGreaterThan(width * 0.2)
      }
      // The entries follow each other without gaps.
      expect([entries[0]?.start, entries.at(-1)?.end]).toEqual([0, 2000])
      for (const [at, entry] of entries.entries()) expect(entry.start).toBe(entries[at - 1]?.end ?? 0)
    },
  )
})

/** First and last column in which a picture differs from grey. */
function inkColumns(pixels: Uint8Array, width: number): [number, number] {
  let [first, last] = [width, -1]
  for (let at = 0; at < pixels.length; at += 3) {
    if (Math.abs((pixels[at] ?? 0) - 128) < 20) continue
    const column = (at / 3) % width
    first = Math.min(first, column)
    last = Math.max(last, column)
  }
  return [first, last]
}
