import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { fails } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { dubModel, dubQuestion } from './dub-model.ts'
import { type DubStage, hearStage, openDubStage, runDub } from './run-dub.ts'
import type { VoiceFault } from './spoken-services.ts'

// Services and steps that fail: derived outputs are reported in errors, everything else fails the task.

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub whose (REELWRIGHT_TESTDATA)', () => {
  let stage: DubStage
  let folder: string
  /** The steps before the translation are the same in most tests. */
  let heard: string

  beforeAll(async () => {
    folder = await scratchFolder()
    stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences: 4 })
    heard = await hearStage(stage, folder)
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  afterEach(() => {
    stage.services.faultOf = () => undefined
    stage.model.says = dubModel()
  })

  /** Makes the model translate lines this many times as long as requested, and rewrite none. */
  const translateLong = (factor: number) => {
    const answers = dubModel({ spread: 0, factor })
    stage.model.says = (body, received) =>
      dubQuestion(body).lines?.some(({ change }) => change) === true ? fails(400) : answers(body, received)
  }
  /** Makes ffmpeg fail where its arguments contain a text. */
  const failWith = (text: string) =>
    replaceFfmpeg(join(folder, 'failing'), `case "$*" in *"${text}"*) exit 1;; esac; exec "$FFMPEG" "$@"`)
  const withoutText = { subtitle: 'none', project_formats: ['otio'] }
  const voiceAlone = { ...withoutText, keep_bgm: false }

  it('lines are too long holds frames at their ends', async () => {
    translateLong(1.4)
    const request = { speed_band: [1, 1.05], local_output_dir: 'C:\\dubs', project_formats: ['otio'] }
    const { output, paths, record } = await runDub(stage, request, { folder, heard })
    const { report } = output
    expect(output.errors).toEqual({})
    expect(output.notes?.join()).toContain('lines that do not fit their time were not rewritten, because ')
    expect(report.freeze_points.length).toBeGreaterThan(0)
    expect(report.freeze_cap_hit).toBe(true)
    expect(report.output_duration_ms).toBe(report.source_duration_ms + report.freeze_total_ms)
    expect(report.output_duration_ms).toBeLessThanOrEqual(1.03 * report.source_duration_ms)
    for (const name of ['base.mp4', 'source.zh-CN.mp4']) {
      const { duration_ms } = await probe(paths.get(name) ?? '')
      expect(Math.abs(duration_ms - report.output_duration_ms)).toBeLessThanOrEqual(40)
    }
    expect(output.base_video_file_id).toBeDefined()
    for (const [index, line] of record.lines.entries())
      expect(line.st_ms + line.dur_ms).toBeLessThanOrEqual(record.lines[index + 1]?.st_ms ?? Infinity)
    // What no step helps is reported with its times.
    expect(report.over_band_lines).toBeGreaterThan(0)
    expect(report.doubtful_lines.filter(({ reasons }) => reasons.includes('over_band'))).toHaveLength(
      report.over_band_lines,
    )
  })

  it('video with held frames fails is fitted without them', async () => {
    translateLong(1.4)
    using _ = await failWith('tpad')
    const { output } = await runDub(stage, { ...voiceAlone, speed_band: [1, 1.05] }, { folder, heard })
    expect(output.errors).toEqual({ base_video: expect.any(String) as string })
    expect(output).not.toHaveProperty('base_video_file_id')
    expect(output.report).toMatchObject({ fit_policy: 'natural', freeze_points: [], freeze_total_ms: 0 })
    expect(output.report.output_duration_ms).toBe(output.report.source_duration_ms)
  })

  it('subtitles cannot be drawn has none in its picture', async () => {
    using _ = await failWith('ass=filename')
    const { output, paths } = await runDub(stage, { subtitle: 'burn' }, { folder, heard })
    expect(output.errors).toEqual({ subtitle: expect.any(String) as string })
    expect(output.report).toMatchObject({ subtitle: 'burn', subtitle_burned: false })
    expect((await probe(paths.get('source.zh-CN.mp4') ?? '')).video?.codec).toBe('h264')
  })

  it('sound cannot be separated has no music, and asks nothing again at its next attempt', async () => {
    const dub = async () =>
      (await runDub(stage, withoutText, { folder, scratch: join(folder, 'mixed') })).output
    const first = await (async () => {
      using _ = await failWith('voice-spleeter.wav')
      return await dub()
    })()
    expect(first.errors).toEqual({ bgm: expect.any(String) as string })
    expect(first.report).toMatchObject({ bgm: 'dropped', bgm_ratio: 0, engines: { separator: null } })
    expect(first).not.toHaveProperty('bgm_audio_file_id')
    expect(first.report.ref?.separated).toBeTypeOf('boolean')
    const asked = stage.model.asked.length
    expect(await dub()).toMatchObject({ errors: first.errors, report: first.report })
    expect(stage.model.asked).toHaveLength(asked)
  })

  it('subtitles cannot be added to the video has them as a file', async () => {
    using _ = await failWith('mov_text')
    const { output, paths } = await runDub(stage, { project_formats: ['otio'] }, { folder, heard })
    expect(output.errors).toEqual({ subtitle: expect.any(String) as string })
    expect(output.subtitle_file_id).not.toBe('')
    const facts = await probe(paths.get('source.zh-CN.mp4') ?? '')
    expect([facts.video?.codec, facts.audio.length]).toEqual(['h264', 1])
  })

  it('text files cannot be written is complete without them', async () => {
    const full = Object.assign(new Error('ENOSPC'), { syscall: 'write' })
    let count = 0
    const keep = ({ name }: { readonly name: string }) => {
      if (/json$|otio$/.test(name)) throw full
      return { file_id: `${(count += 1)}`, download_url: '/base/file/1/download' }
    }
    const { output } = await runDub(
      stage,
      { project_formats: ['otio'] },
      { folder, heard, context: { keep } },
    )
    const reason = 'a file could not be written'
    expect(output.errors).toEqual({ transcript: reason, project: reason })
    expect(output).toMatchObject({ transcript_file_id: '', transcript_file_download_url: '', files: [] })
  })

  it.each<[VoiceFault, boolean]>([
    ['refuse', false],
    // It may follow an internal failure, which ends.
    ['silence', true],
  ])('voice service responds to all lines with %s fails', async (fault, retryable) => {
    stage.services.faultOf = () => fault
    const failure = { code: 6401, retryable }
    await expect(runDub(stage, voiceAlone, { folder, heard })).rejects.toMatchObject(failure)
  })

  it('voice responds with silence twice is spoken in the third attempt', async () => {
    stage.model.says = dubModel({ seed: 9 })
    const before = stage.services.requests.length
    stage.services.faultOf = ({ attempt }) => (attempt < 2 ? 'silence' : undefined)
    const { output, record } = await runDub(stage, voiceAlone, { folder, heard })
    expect(output.report.doubtful_lines.flatMap(({ reasons }) => reasons)).not.toContain('unspoken')
    for (const { dur_ms } of record.lines) expect(dur_ms).toBeGreaterThan(0)
    const texts = stage.services.requests.slice(before).map(({ text }) => text)
    for (const text of new Set(texts)) expect(texts.filter((other) => other === text)).toHaveLength(3)
  })

  it.each(['refuse', 'silence'] as const)(
    'voice responds to one line with %s is silent there, with its subtitle',
    async (fault) => {
      stage.model.says = dubModel({ seed: 5 })
      const before = stage.services.requests.length
      stage.services.faultOf = ({ text }) =>
        text === stage.services.requests[before]?.text ? fault : undefined
      const request = { ...voiceAlone, subtitle: 'soft' }
      const { output, record, paths } = await runDub(stage, request, { folder, heard })
      const silent = record.lines.filter(({ dur_ms }) => dur_ms === 0)
      expect(silent).toMatchObject([{ synth_ms: 0, rewrite_rounds: 0 }])
      expect(output.report.doubtful_lines).toContainEqual(
        expect.objectContaining({ index: silent[0]?.index, reasons: ['unspoken'] }),
      )
      expect(output.notes?.join()).toContain('1 line is silent, because the voice did not speak its text')
      const [, subtitles = ''] = [...paths].find(([name]) => name.endsWith('.srt')) ?? []
      const words = (text = '') => text.replaceAll(/\P{L}/gu, '')
      expect(words(await readFile(subtitles, 'utf8'))).toContain(words(silent[0]?.tgt_text))
    },
  )

  it('voice drops or repeats words names the lines, after three attempts', async () => {
    const texts = () => stage.services.requests.map(({ text }) => text)
    const before = texts().length
    stage.services.faultOf = ({ text }) => (text === texts()[before] ? 'drop' : 'repeat')
    const { output } = await runDub(stage, { ...voiceAlone, speed_band: [1, 1.3] }, { folder, heard })
    const reasons = output.report.doubtful_lines.map((line) => line.reasons)
    expect(reasons).toHaveLength(4)
    for (const list of reasons) expect(list.includes('words_lost') || list.includes('words_added')).toBe(true)
    const spoken = texts().slice(before)
    expect(spoken.filter((text) => text === spoken[0])).toHaveLength(3)
  })

  it('voice repeats words once is spoken again', async () => {
    stage.services.faultOf = ({ attempt }) => (attempt === 0 ? 'repeat' : undefined)
    stage.model.says = dubModel({ seed: 7 })
    const { output } = await runDub(stage, voiceAlone, { folder, heard })
    const unsure = output.report.doubtful_lines.filter(({ reasons }) => reasons.includes('words_added'))
    expect(unsure).toEqual([])
  })

  it('speech cannot be checked is complete without checks', async () => {
    const { recogniser, requests } = stage.services
    const { otherwise } = recogniser
    const before = requests.length
    recogniser.otherwise = (response, received) =>
      (requests.length > before ? fails(400) : otherwise)(response, received)
    stage.model.says = dubModel({ seed: 3 })
    const { output } = await runDub(stage, voiceAlone, { folder, heard })
    recogniser.otherwise = otherwise
    expect(output.errors).toEqual({})
    expect(output.report.doubtful_lines.flatMap(({ reasons }) => reasons)).not.toContain('words_lost')
  })

  it('voice speaks half as fast has lines within the band that do not overlap', async () => {
    stage.services.faultOf = () => 'long'
    const { output, record } = await runDub(stage, { ...voiceAlone, fit_policy: 'strict' }, { folder, heard })
    const { report } = output
    expect(report.output_duration_ms).toBe(report.source_duration_ms)
    expect(report.rewrite_lines).toBeGreaterThan(0)
    for (const [index, { st_ms, dur_ms, speed }] of record.lines.entries()) {
      expect(st_ms + dur_ms).toBeLessThanOrEqual(record.lines[index + 1]?.st_ms ?? report.output_duration_ms)
      expect(speed).toBeLessThanOrEqual(1.15)
    }
  })

  it('translation fails, fails', async () => {
    stage.model.says = () => fails(400)
    await expect(runDub(stage, voiceAlone, { folder, heard })).rejects.toMatchObject({ code: 6401 })
  })

  it('line has no usable translation is silent there', async () => {
    const answers = dubModel()
    stage.model.says = (body, received) => {
      const answer = answers(body, received) as { readonly lines?: readonly { readonly id: number }[] }
      // A line in the wrong language.
      const wrong = { text: stage.dialogue.sentences[2] }
      return { lines: answer.lines?.map((line) => (line.id === 3 ? { ...line, ...wrong } : line)) }
    }
    const { output, record } = await runDub(stage, voiceAlone, { folder, heard })
    expect(record.lines[2]).toMatchObject({ tgt_text: '', dur_ms: 0, synth_ms: 0 })
    expect(output.report.doubtful_lines).toContainEqual(
      expect.objectContaining({ index: 2, reasons: ['untranslated'] }),
    )
    expect(output.notes?.join()).toContain('1 line is silent, because the language model')
  })

  it('attempt is aborted ends while the voice service does not respond', async () => {
    stage.services.faultOf = () => 'slow'
    stage.model.says = dubModel({ seed: 9 })
    const abort = new AbortController()
    const next = stage.services.voice.heard.length + 1
    const running = runDub(stage, voiceAlone, { folder, heard, context: { signal: abort.signal } })
    await stage.services.voice.hears(next)
    abort.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
    stage.services.release()
  })
})
