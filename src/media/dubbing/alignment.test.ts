import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FitCase, someFitCase, spansOf } from '../../../test/dubbing/some-lines.ts'
import { alignmentRecord, type DubbedLine, fitReport } from './alignment.ts'
import { fitLines } from './fit.ts'

const head = { task_type: 'some_task', source_lang: 'en-US', target_lang: 'zh-CN' }

/** Lines of a case as lines of a source, which are disjoint. */
function dubbedLines(fitCase: FitCase): DubbedLine[] {
  return spansOf(fitCase).map(({ start, end }, index) => ({
    line: { index, speaker: index % 2, text: `  source ${index}\u00a0`, start, end },
    text: `target ${'x'.repeat(index)}`,
    synth: fitCase.lines[index]?.synth ?? 0,
    clipId: `clip-${index + 1}`,
  }))
}

describe('the record and the report', () => {
  it('agree in every sum and count', () => {
    fc.assert(
      fc.property(someFitCase, (fitCase) => {
        const { lines, options } = fitCase
        const fit = fitLines(lines, options)
        const record = alignmentRecord(head, dubbedLines(fitCase), fit)
        const report = fitReport(fit)
        const sum = (ms: (line: (typeof record.lines)[number]) => number) =>
          record.lines.reduce((total, line) => total + ms(line), 0)
        const count = (is: (line: (typeof record.lines)[number]) => boolean) => record.lines.filter(is).length
        expect(report).toEqual({
          ratio: fit.ratio,
          over_band_lines: count((line) => line.trim_ms > 300),
          borrowed_total_ms: sum((line) => line.borrowed_before_ms + line.borrowed_after_ms),
          yielded_total_ms: sum((line) => line.yielded_before_ms + line.yielded_after_ms),
          delayed_lines: count((line) => line.delay_ms > 0),
          rewrite_lines: count((line) => line.rewrite_rounds > 0),
          rewrite_rounds_hist: {
            0: count((line) => line.rewrite_rounds === 0),
            1: count((line) => line.rewrite_rounds === 1),
            2: count((line) => line.rewrite_rounds === 2),
          },
          freeze_total_ms: sum((line) => line.freeze_ms),
          freeze_points: report.freeze_points,
          freeze_cap_hit: fit.freezeCapHit,
          trimmed_lines: count((line) => line.trim_ms > 0),
          output_duration_ms: options.duration + sum((line) => line.freeze_ms),
          lines_count: record.lines.length,
        })
        expect({
          frozen: report.freeze_points.reduce((total, [, ms]) => total + ms, 0),
          // Time after a line is what the next one is delayed by.
          delayed: sum((line) => line.delay_ms),
          misplaced: misplacedLines(record.lines),
        }).toEqual({
          frozen: report.freeze_total_ms,
          delayed: sum((line) => line.yielded_after_ms),
          misplaced: [],
        })
      }),
      { numRuns: 10_000, seed: 23 },
    )
  })

  /** Lines whose start, duration or pads do not follow from the source span and the other fields. */
  function misplacedLines(lines: ReturnType<typeof alignmentRecord>['lines']) {
    let frozen = 0
    return lines.filter((line, index) => {
      const next = lines[index + 1]
      const early = line.borrowed_before_ms + line.yielded_before_ms
      const start = line.src_st_ms + frozen - early + line.delay_ms + line.pad_before_ms
      frozen += line.freeze_ms
      const late = line.borrowed_after_ms + line.yielded_after_ms - (next?.yielded_before_ms ?? 0)
      const end = line.st_ms + line.dur_ms
      return !(
        line.st_ms === start &&
        end + line.pad_after_ms === line.src_ed_ms + late + frozen &&
        line.dur_ms === Math.round(line.synth_ms / line.speed) - line.trim_ms &&
        end <= (next?.st_ms ?? Infinity)
      )
    })
  }

  it('have the fields of the contract, and texts unchanged', () => {
    const lines = [
      { start: 0, end: 2000, synth: 2200, rewriteRounds: 1 },
      { start: 2500, end: 4500, synth: 1600, rewriteRounds: 0 },
    ]
    const fitCase: FitCase = { lines, options: { policy: 'strict', band: [1, 1.15], duration: 5000 } }
    const record = alignmentRecord(head, dubbedLines(fitCase), fitLines(lines, fitCase.options))
    expect(record).toEqual({
      ...head,
      lines: [
        {
          ...{ index: 0, clip_id: 'clip-1', src_text: '  source 0\u00a0', src_st_ms: 0, src_ed_ms: 2000 },
          // 6 characters in 2.2 s of speech, and 2 s.
          ...{ tgt_text: 'target ', budget_chars: 5, synth_ms: 2200, st_ms: 0, dur_ms: 2200, speed: 1 },
          ...{ borrowed_before_ms: 0, borrowed_after_ms: 200, yielded_before_ms: 0, yielded_after_ms: 0 },
          ...{ delay_ms: 0, pad_before_ms: 0, pad_after_ms: 0, freeze_ms: 0, trim_ms: 0 },
          ...{ rewrite_rounds: 1, action: 'borrow' },
        },
        {
          ...{ index: 1, clip_id: 'clip-2', src_text: '  source 1\u00a0', src_st_ms: 2500, src_ed_ms: 4500 },
          ...{ tgt_text: 'target x', budget_chars: 10, synth_ms: 1600, st_ms: 2500, dur_ms: 1600, speed: 1 },
          ...{ borrowed_before_ms: 0, borrowed_after_ms: 0, yielded_before_ms: 0, yielded_after_ms: 0 },
          ...{ delay_ms: 0, pad_before_ms: 0, pad_after_ms: 400, freeze_ms: 0, trim_ms: 0 },
          ...{ rewrite_rounds: 0, action: 'fit' },
        },
      ],
    })
  })
})
