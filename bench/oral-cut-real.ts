import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rhythmTable } from '../src/media/cut/pauses.ts'
import type { TimeSpan } from '../src/media/speech/speech-types.ts'
import { assemble, type Recording, type RecordingTruth } from '../test/recordings/assemble.ts'
import { judgeCut } from '../test/recordings/judge.ts'
import { writeScript } from '../test/recordings/script.ts'
import { readXmeml } from '../test/projects/readers/xmeml.ts'
import { cutSpoken } from '../test/video-oral-cut/run-cut.ts'
import { pocketsphinxVersion, startPocketsphinx } from './pocketsphinx.ts'
import { loadRealSpeech } from './real-speech.ts'

// Cuts real speech with a real recogniser that is often wrong (pocketsphinx): sentences of public recordings, spliced into
// retakes, restarts and misread sentences, with and without their script. The truth is known from the splices; words
// have the times of a forced alignment. Reports, for each recording: the share of words that were recognised wrongly, F1 of
// the kept time, words that lose more than 20 ms, words that are missing, those of them that uncovered_script does not
// report, and mistakes of which less than a fifth is kept. Skips without pocketsphinx (Debian: apt-get install pocketsphinx
// pocketsphinx-en-us) or the test data.
// npm run bench -- oral-cut-real <folder of test data> [number of recordings]

const [testdata = '', count = '6'] = process.argv.slice(2)
const version = await pocketsphinxVersion()
if (version === undefined) {
  console.log('Skipped: pocketsphinx is not installed (apt-get install pocketsphinx pocketsphinx-en-us).')
} else if (!existsSync(join(testdata, 'speech', 'librivox'))) {
  console.log(
    `Skipped: "${testdata}" has no speech/librivox. npm run bench -- oral-cut-real <folder of test data>`,
  )
} else await measure(version)

async function measure(recogniserName: string): Promise<void> {
  console.log(recogniserName)
  console.log('| seed | script | length | wrong words | F1 | clipped | missing | unreported | mistakes cut |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  process.env['REELWRIGHT_TESTDATA'] ??= testdata
  const folder = await mkdtemp(join(tmpdir(), 'bench-oral-cut-'))
  await using recogniser = await startPocketsphinx()
  const service = { address: `${recogniser.origin}/v1`, model: 'pocketsphinx' }
  const rows: Row[] = []
  try {
    const speech = await loadRealSpeech(join(testdata, 'speech'))
    for (let seed = 1; seed <= Number(count); seed += 1) {
      const script = writeScript({ language: 'en-US', seed, sentences: 5, table: speech.table })
      const recording = await assemble(script, { seed, clipOf: speech.clipOf })
      for (const given of [true, false]) {
        const row = await cutAndJudge(folder, recording, {
          service,
          script: given ? script.text : undefined,
        })
        rows.push({ ...row, given })
        print([String(seed), given ? 'yes' : 'no', `${recording.truth.seconds.toFixed(0)} s`], row)
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  for (const given of [true, false]) {
    const ofKind = rows.filter((row) => row.given === given)
    const mean = (value: (row: Row) => number) => sum(ofKind, value) / ofKind.length
    const total = {
      ...{ wrong: mean(({ wrong }) => wrong), f1: mean(({ f1 }) => f1) },
      ...{ words: sum(ofKind, ({ words }) => words), clipped: sum(ofKind, ({ clipped }) => clipped) },
      ...{ missing: sum(ofKind, ({ missing }) => missing), cut: sum(ofKind, ({ cut }) => cut) },
      unreported: sum(ofKind, ({ unreported }) => unreported),
      mistakes: sum(ofKind, ({ mistakes }) => mistakes),
    }
    print(['all', given ? 'yes' : 'no', ''], total)
  }
}

/** Cuts a recording and judges the spans that its project keeps. */
async function cutAndJudge(
  folder: string,
  recording: Recording,
  {
    service,
    script,
  }: {
    readonly service: { readonly address: string; readonly model: string }
    readonly script: string | undefined
  },
): Promise<Measures> {
  const request = { la: 'en-US', source_path: '/talk.mp4', adaptive_rhythm: false, script }
  const { text, report } = await cutSpoken(folder, recording, { rate: { num: 25, den: 1 }, service, request })
  const [track] = readXmeml(await text('project', 'xml')).tracks
  const kept = (track?.clips ?? []).map(({ from, to }) => ({
    start: from.num / from.den,
    end: to.num / to.den,
  }))
  const heard = JSON.parse(await text('transcript', 'json')) as HeardTranscript
  return judge(recording.truth, kept, { heard, uncovered: report.uncovered_script })
}

interface HeardTranscript {
  readonly word_tc_list: readonly {
    readonly text: string
    readonly start_time: number
    readonly end_time: number
  }[]
}

interface Measures {
  /** Share of the words spoken that were not recognised at their time, 0 to 1. */
  readonly wrong: number
  readonly f1: number
  readonly words: number
  readonly clipped: number
  readonly missing: number
  /** Missing words that no passage of `uncovered_script` contains. */
  readonly unreported: number
  readonly mistakes: number
  readonly cut: number
}

interface Row extends Measures {
  readonly given: boolean
}

function judge(
  truth: RecordingTruth,
  kept: readonly TimeSpan[],
  { heard, uncovered }: { readonly heard: HeardTranscript; readonly uncovered: readonly string[] },
): Measures {
  const judged = judgeCut(truth, kept, rhythmTable.default)
  const mistakes = truth.passages.filter((passage) => !passage.kept && passage.kind !== 'filler')
  const spoken = truth.words.filter(({ passage }) => truth.passages[passage]?.kind !== 'filler')
  const right = spoken.filter((word) =>
    heard.word_tc_list.some(
      ({ text, start_time, end_time }) =>
        text.toLowerCase() === word.text.toLowerCase() && start_time < word.end && end_time > word.start,
    ),
  )
  return {
    ...{ wrong: 1 - right.length / spoken.length, f1: judged.f1 },
    words: sum(truth.passages, ({ kept: isKept, words }) => (isKept ? words.to - words.from : 0)),
    ...{ clipped: judged.clippedWords.length, missing: judged.missingWords.length },
    unreported: judged.missingWords.filter(
      ({ text }) => !uncovered.some((passage) => passage.split(/[\s,.]+/).includes(text)),
    ).length,
    ...{ mistakes: mistakes.length, cut: mistakes.filter((one) => keptShare(one, kept) < 0.2).length },
  }
}

/** Share of a passage that the spans keep, 0 to 1. */
function keptShare({ start, end }: TimeSpan, kept: readonly TimeSpan[]): number {
  return (
    sum(kept, (span) => Math.max(0, Math.min(end, span.end) - Math.max(start, span.start))) / (end - start)
  )
}

function print(head: readonly string[], row: Measures): void {
  const { wrong, f1, words, clipped, missing, unreported, mistakes, cut } = row
  const cells = [
    ...[...head, `${(100 * wrong).toFixed(0)} %`, f1.toFixed(3)],
    ...[`${clipped} of ${words}`, String(missing), String(unreported), `${cut} of ${mistakes}`],
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
