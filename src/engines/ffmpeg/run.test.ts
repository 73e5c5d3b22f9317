import fc from 'fast-check'
import { expect, test } from 'vitest'
import { percentReader, progressReader, type ProgressReport } from './run.ts'

/** The output of ffmpeg for one report. */
function printed({ timeMs, frames }: ProgressReport, last = false): string {
  return [
    `frame=${frames}`,
    'fps=25.0',
    `out_time_us=${timeMs * 1000}`,
    `out_time_ms=${timeMs * 1000}`,
    'out_time=00:00:01.000000',
    'speed=  1x',
    `progress=${last ? 'end' : 'continue'}`,
    '',
  ].join('\n')
}

const report = fc.record({ timeMs: fc.nat(100_000_000), frames: fc.nat(1_000_000) })

test('reports are parsed however the text is split into chunks', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 8 }), fc.array(fc.nat(400)), (reports, cuts) => {
      const text = reports.map((one) => printed(one)).join('')
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b)
      const seen: ProgressReport[] = []
      const read = progressReader((one) => seen.push(one))
      for (const [index, place] of places.entries()) read(text.slice(place, places[index + 1] ?? place))
      expect(seen).toEqual(reports)
    }),
  )
})

test('"N/A", negative times and noise keep the last known time', () => {
  const seen: number[] = []
  const read = progressReader(({ timeMs }) => seen.push(timeMs))
  read(printed({ timeMs: 500, frames: 1 }))
  read('out_time_us=N/A\nprogress=continue\n')
  read('out_time_us=-21000\r\nprogress=continue\r\n')
  read(`${'x'.repeat(100_000)}\nout_time_us\n=\nprogress=end\n`)
  expect(seen).toEqual([500, 500, 500, 500])
})

test('percentages rise from 0 to 99 for any reported times', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(report), (durationMs, reports) => {
      const seen: number[] = []
      const read = percentReader(durationMs, (percent) => seen.push(percent))
      for (const one of reports) read(one)
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
      expect(seen.every((percent) => Number.isInteger(percent) && percent >= 0 && percent <= 99)).toBe(true)
    }),
  )
})

test('half of the time is 50 percent', () => {
  const seen: number[] = []
  percentReader(8000, (percent) => seen.push(percent))({ timeMs: 4000, frames: 100 })
  expect(seen).toEqual([50])
})
