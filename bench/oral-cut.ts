import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CutCase, measureCut, type MeasuredCut } from '../test/video-oral-cut/measure-cut.ts'
import { recordingRates } from '../test/recordings/frame-marks.ts'
import { recordingLanguages } from '../test/recordings/sentences.ts'

// Quality of the cut of generated recordings with known truth, by language, with and without a script: kept-time F1
// (least and mean), kept words that lose more than 20 ms, words that are missing, pauses that differ from the table,
// swallowed repetitions that are found, kept breaths and fillers. The recogniser has errors of 80 ms, 5 % wrong words
// and swallows half of the repetitions that it hears together with the next attempt.
// npm run bench -- oral-cut [seeds, default 6] [language]

const [seeds = '6', only] = process.argv.slice(2)
const presets = [undefined, 'steady', 'concise', 'compact'] as const

const folder = await mkdtemp(join(tmpdir(), 'reelwright-oral-cut-'))
try {
  console.log(
    'language  script  F1 least  mean   clipped missing  pauses wrong  swallowed found  retakes found  fillers s',
  )
  for (const language of recordingLanguages.filter((one) => only === undefined || one === only)) {
    for (const withScript of [true, false]) {
      const cuts: MeasuredCut[] = []
      for (let seed = 1; seed <= Number(seeds); seed += 1) {
        const options: CutCase = {
          ...{ language, seed, withScript, pickups: seed % 3 === 0 ? 2 : 0 },
          ...{
            rate: recordingRates[seed % recordingRates.length] ?? { num: 25, den: 1 },
            preset: presets[seed % presets.length],
          },
        }
        const cut = await measureCut(folder, options)
        cuts.push(cut)
        if (process.env['VERBOSE'])
          console.log(
            seed,
            JSON.stringify([
              cut.judged.f1,
              cut.judged.precision,
              cut.judged.recall,
              cut.judged.clippedWords,
              cut.wrongPauses,
              cut.swallowedFound,
              cut.attemptsFound,
              cut.fillerSeconds,
              cut.judged.breathSeconds,
            ]),
          )
      }
      printRow(language, withScript, cuts)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

function printRow(language: string, withScript: boolean, cuts: readonly MeasuredCut[]): void {
  const sum = (value: (cut: MeasuredCut) => number) => cuts.reduce((total, cut) => total + value(cut), 0)
  const least = Math.min(...cuts.map(({ judged }) => judged.f1))
  const of = (part: number, whole: number) => `${part} of ${whole}`
  console.log(
    [
      language.padEnd(9),
      (withScript ? 'given' : 'rebuilt').padEnd(8),
      least.toFixed(4).padEnd(9),
      (sum(({ judged }) => judged.f1) / cuts.length).toFixed(4).padEnd(7),
      String(sum(({ judged }) => judged.clippedWords.length)).padEnd(8),
      String(sum(({ judged }) => judged.missingWords.length)).padEnd(8),
      of(
        sum(({ wrongPauses }) => wrongPauses.length),
        sum(({ judged }) => judged.pauses.length),
      ).padEnd(14),
      of(
        sum(({ swallowedFound }) => swallowedFound.found),
        sum(({ swallowedFound }) => swallowedFound.all),
      ).padEnd(16),
      of(
        sum(({ attemptsFound }) => attemptsFound.found),
        sum(({ attemptsFound }) => attemptsFound.all),
      ).padEnd(14),
      sum(({ fillerSeconds }) => fillerSeconds).toFixed(1),
    ].join(' '),
  )
}
