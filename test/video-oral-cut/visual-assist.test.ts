import { readFileSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifactOf } from '../packs/pack-fixtures.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { requirements } from '../../tools/video-oral-cut/requirements.ts'
import { scratchFolder, setRotation, testdata } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import { assemble, type Recording, type TruthWord } from '../recordings/assemble.ts'
import { judgeCut } from '../recordings/judge.ts'
import { canSpeak } from '../recordings/speak.ts'
import { writeScript } from '../recordings/script.ts'
import { type OmittedWords, startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { type FilmOptions, filmSpeaker } from '../recordings/talking-head.ts'
import { sampleCases } from '../soak-size.ts'
import { type CutRecording, cutSpoken, type FilmRecording } from './run-cut.ts'

/** The last words of the two longest phrases: one is recognised when asked again, the other never is. */
function omittedWords({ truth: { passages, words } }: Recording): readonly [OmittedWords, OmittedWords] {
  const [longest, second] = passages.toSorted(
    (one, other) => other.words.to - other.words.from - (one.words.to - one.words.from),
  )
  const end = (passage: typeof longest, isHeardAlone: boolean) => {
    const to = passage?.words.to ?? 0
    // At least 0.8 s.
    const from = words.findLastIndex(({ start }, at) => at < to && (words[to - 1]?.end ?? 0) - start >= 0.8)
    return { from, to, isHeardAlone }
  }
  return [end(longest, true), end(second, false)]
}

const plainText = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join(' ')
const spanOf = (words: readonly TruthWord[]) => ({ start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 })

function keptSpans(xml: string) {
  const [track] = readXmeml(xml).tracks
  return (track?.clips ?? []).map(({ from, to }) => ({ start: from.num / from.den, end: to.num / to.den }))
}

const rate = { num: 30, den: 1 }
const isAvailable = canSpeak && hasSpeechFiles && testdata('video') !== undefined

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})

type Cut = Omit<CutRecording, 'script' | 'swallowed'>

interface CutOptions extends Pick<Parameters<typeof cutSpoken>[2], 'film' | 'packs' | 'context'> {
  readonly request?: Readonly<Record<string, unknown>>
}

/** The recording of these tests, and a recogniser that knows it. */
const script = writeScript({ language: 'en-US', seed: 5, sentences: 3, mistakes: false })
let spoken: Recording
let recogniser: Awaited<ReturnType<typeof startStandInRecogniser>>

/** Cuts the recording; with `visual_assist` unless the request differs. */
async function cut({ request = {}, ...options }: CutOptions = {}): Promise<Cut> {
  const service = { address: `${recogniser.origin}/v1`, model: 'stand-in' }
  const done = await cutSpoken(folder, spoken, {
    ...{ rate, service, ...options },
    request: {
      ...{ la: 'en-US', script: script.text, adaptive_rhythm: false, visual_assist: true },
      ...{ source_path: '/footage/talk.mp4', ...request },
    },
  })
  return { ...done, recording: spoken }
}

/** Films the speaker with some of the options. */
const filmed =
  (more: Partial<FilmOptions>): FilmRecording =>
  (place, recording, options) =>
    filmSpeaker(place, recording, { ...options, height: 160, ...more })

/** Films the speaker in a rotated picture, with frames of 1/30 s, and between 2 s and 5 s of 1/15 s. */
const filmRotated: FilmRecording = async (place, recording, options) => {
  const filters = "transpose=clock,select='not(between(t,2,5)*mod(n,2))'"
  const output = ['-vf', filters, '-fps_mode', 'vfr']
  return await setRotation(await filmed({ output })(place, recording, options), 270)
}

/** Expects that the speech without words was found, and that what can be recognised was recovered. */
async function expectRecovered(result: Cut): Promise<void> {
  const { recording, report } = result
  const { words } = recording.truth
  const [first, second] = omittedWords(recording).map(({ from, to }) => words.slice(from, to))
  const expected = [
    { words: first ?? [], recovered: true },
    { words: second ?? [], recovered: false },
  ].toSorted((one, other) => spanOf(one.words).start - spanOf(other.words).start)
  expect(report.suspect_omissions).toEqual(
    expected.map(({ words: omitted, recovered }) => ({
      start: expect.closeTo(spanOf(omitted).start, 0.3) as number,
      end: expect.closeTo(spanOf(omitted).end, 0.3) as number,
      ...{ overlap: 0, recovered },
    })),
  )
  expect(report.stt_recovered).toEqual([
    {
      start: expect.closeTo(spanOf(first ?? []).start, 1) as number,
      end: expect.closeTo(spanOf(first ?? []).end, 1) as number,
      text: expect.stringMatching(new RegExp(`^${plainText(first ?? [])}\\W*$`)) as string,
    },
  ])
  expect(report.visual_assist_degraded).toBe(false)
  expect(result.notes.join()).not.toContain('visual_assist')
  const transcript = JSON.parse(await result.text('transcript', 'json')) as {
    word_tc_list: { text: string; start_time: number; end_time: number }[]
  }
  const heard = transcript.word_tc_list.map(({ text }) => text.replaceAll(/[^\w']/g, ''))
  const missing = new Set(second)
  expect(heard).toEqual(words.filter((word) => !missing.has(word)).map(({ text }) => text))
  for (const [index, { start_time }] of transcript.word_tc_list.entries())
    expect(start_time).toBeGreaterThanOrEqual(transcript.word_tc_list[index - 1]?.end_time ?? 0)
}

describe.skipIf(!isAvailable)('visual_assist', () => {
  let without: Cut
  let spans: ReturnType<typeof keptSpans>
  beforeAll(async () => {
    spoken = await assemble(script)
    recogniser = await startStandInRecogniser(spoken, { jitter: 0.05, omitted: omittedWords(spoken) })
    without = await cut({ request: { visual_assist: false } })
    spans = keptSpans(await without.text('project', 'xml'))
  })

  afterAll(() => recogniser[Symbol.asyncDispose]())

  /** Words of the recording that a cut shortens or misses. */
  const damagedWords = async (result: Cut) => {
    const kept = keptSpans(await result.text('project', 'xml'))
    const judged = judgeCut(result.recording.truth, kept, rhythmTable.default)
    return [...judged.missingWords, ...judged.clippedWords]
  }

  /** The cut of the filmed speaker, and its finished steps, which another cut of it does not repeat. */
  let seen: Cut
  let steps: string
  /** Why an attempt was aborted, what it had measured, and the progress it had reported, %. */
  let [stop, stored]: [unknown, string] = [undefined, '']
  const reported: number[] = []
  beforeAll(async () => {
    steps = await mkdtemp(join(folder, 'steps-'))
    const controller = new AbortController()
    const abort = (percent: number) => {
      reported.push(percent)
      if (percent > 75) controller.abort(new Error('stopped by the user'))
    }
    const aborted = cut({ film: filmRotated, context: { steps, signal: controller.signal, progress: abort } })
    stop = await aborted.catch((error: unknown) => error)
    stored = await readFile(join(steps, 'mouth-motion.jsonl'), 'utf8')
    seen = await cut({ film: filmRotated, context: { steps } })
  })

  it('recovers speech that is seen in rotated footage of a variable rate, into transcript, report and cut', async () => {
    const result = seen
    await expectRecovered(result)
    expect(result.notes.join()).toMatch(/the frame rate of the footage varies; .* 30 frames/)
    const { words } = result.recording.truth
    const [first, second] = omittedWords(result.recording).map(({ from, to }) => words.slice(from, to))
    const omitted = [...(first ?? []), ...(second ?? [])]
    expect(await damagedWords(without)).toEqual(expect.arrayContaining(omitted))
    const damaged = await damagedWords(result)
    expect(damaged).toEqual(expect.arrayContaining(second ?? []))
    expect(damaged).toHaveLength(second?.length ?? 0)
    expect(result.report.coverage).toBeGreaterThan(without.report.coverage)
    for (const percents of [reported, result.progress])
      expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(reported.filter((percent) => percent > 48 && percent < 94).length).toBeGreaterThan(10)
  })

  it('adds its fields only where it is requested', () => {
    expect(Object.keys(without.report).filter((key) => /visual|suspect|recovered/.test(key))).toEqual([])
  })

  it('adds the recovered words to a reconstructed script, without the model for what is stored', async () => {
    const complete = await readFile(join(steps, 'mouth-motion.jsonl'), 'utf8')
    const again = { context: { steps }, packs: brokenFaceDetection() }
    const result = await cut({ film: filmRotated, ...again, request: { script: undefined } })
    expect(await readFile(join(steps, 'mouth-motion.jsonl'), 'utf8')).toBe(complete)
    await expectRecovered(result)
    expect(result.report.script_source).toBe('rebuilt')
    const { from, to } = omittedWords(result.recording)[0]
    expect(result.report.final_script).toContain(plainText(result.recording.truth.words.slice(from, to)))
  })

  it('continues where an aborted attempt ended', async () => {
    expect(stop).toEqual(new Error('stopped by the user'))
    expect(stored.split('\n').length).toBeGreaterThan(1)
    const complete = await readFile(join(steps, 'mouth-motion.jsonl'), 'utf8')
    expect(complete.length).toBeGreaterThan(stored.length)
    expect(complete.slice(0, stored.length)).toBe(stored)
  })

  const pictures: readonly (readonly [string, CutOptions, RegExp])[] = [
    ['has no face', {}, /a face is large enough .* in only 0 % of the speech/],
    ['shows a tiny face', { film: filmed({ height: 24 }) }, /a face is large enough .* in only 0 %/],
    ['is a still photograph', { film: filmed({ moves: false }) }, /the mouth moves in only \d %/],
    [
      'cannot be analysed',
      { film: filmed({ moves: false }), packs: brokenFaceDetection() },
      /the picture was not analysed: face detec/,
    ],
  ]
  // Without the tiny face, which is as good as none.
  it.each(sampleCases(pictures, 3))(
    'states that the picture %s, and cuts as without it',
    async (_, options, note) => {
      const result = await cut(options)
      expect(result.report).toMatchObject({
        ...{ suspect_omissions: [], stt_recovered: [], visual_assist_degraded: true },
      })
      expect(result.notes).toEqual([expect.stringMatching(note)])
      expect(result.notes[0]).toMatch(/^visual_assist: /)
      expect(keptSpans(await result.text('project', 'xml'))).toEqual(spans)
      const {
        suspect_omissions: _1,
        stt_recovered: _2,
        visual_assist_degraded: _3,
        ...report
      } = result.report
      expect(report).toEqual(without.report)
    },
  )
})

/** A model that is not one of faces. */
function brokenFaceDetection() {
  const file = 'squeezenet-fp16.onnx'
  const path = join(testdata('models') ?? '', file)
  const artifact = { ...artifactOf(file, readFileSync(path)), address: 'https://models.invalid/' }
  return { 'face-detection': { ...manifest['face-detection'], artifact } }
}

describe('requirements of visual_assist', () => {
  it('are the model of faces, only where it is requested', async () => {
    const request = { file_id: '1', source_path: '/footage/talk.mp4' }
    const needed = (more: object) => requirements(videoOralCut.input.parse({ ...request, ...more }))
    const names = (more: object) => needed(more).map((one) => ('name' in one ? one.name : one.kind))
    expect(names({ visual_assist: true })).toEqual([
      ...names({}).slice(0, 3),
      'face-detection',
      ...names({}).slice(3),
    ])
    expect(requirements().map((one) => ('name' in one ? one.name : one.kind))).toEqual(names({}))
    configurePacks({ folder: join(folder, 'none'), automatic: false, mirror: undefined, own: {}, manifest })
    const faces = needed({ visual_assist: true }).filter(
      (one) => 'name' in one && one.name === 'face-detection',
    )
    await expect(requireAll(faces)).rejects.toMatchObject({
      ...{ code: 6401, message: expect.stringContaining('YuNet face detection is not installed') as string },
      hint: 'reelwright models pull face-detection',
    })
  })
})
