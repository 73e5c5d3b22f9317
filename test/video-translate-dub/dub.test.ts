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

// The files of a dubbed video. Derived ones that fail are reported in errors.

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub (REELWRIGHT_TESTDATA)', () => {
  let stage: DubStage
  let folder: string
  /** The steps before the translation are the same in all tests. */
  let heard: string

  beforeAll(async () => {
    folder = await scratchFolder()
    stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences: 2, codec: 'alac' })
    heard = await hearStage(stage, folder)
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  afterEach(() => {
    stage.model.says = dubModel()
  })

  /** Makes the model translate lines this many times as long as requested, and rewrite none. */
  const translateLong = (factor: number) => {
    const answers = dubModel({ spread: 0, factor })
    stage.model.says = (body, received) =>
      dubQuestion(body).lines?.some(({ change }) => change) === true ? fails(400) : answers(body, received)
  }
  /** Makes ffmpeg fail where its arguments contain one of some texts. */
  const failWith = (...texts: readonly string[]) => {
    const patterns = texts.map((text) => `*"${text}"*`).join('|')
    return replaceFfmpeg(
      join(folder, 'failing'),
      `case "$*" in ${patterns}) exit 1;; esac; exec "$FFMPEG" "$@"`,
    )
  }

  it('with strict and burned-in subtitles is as long as the source, its picture is encoded, and a line without a usable translation is silent', async () => {
    const request = { fit_policy: 'strict', subtitle: 'bilingual_burn', keep_bgm: false }
    const answers = dubModel()
    stage.model.says = (body, received) => {
      const answer = answers(body, received) as { readonly lines?: readonly { readonly id: number }[] }
      // A line in the wrong language.
      const wrong = { text: stage.dialogue.sentences[1] }
      return { lines: answer.lines?.map((line) => (line.id === 2 ? { ...line, ...wrong } : line)) }
    }
    const { output, paths, record, progress } = await runDub(stage, request, { folder, heard })
    expect(output.errors).toEqual({})
    expect(output.report).toMatchObject({
      ...{ fit_policy: 'strict', freeze_points: [], freeze_total_ms: 0, bgm: 'dropped' },
      ...{ subtitle: 'bilingual_burn', subtitle_burned: true },
    })
    expect(output.report.output_duration_ms).toBe(output.report.source_duration_ms)
    expect([...paths.keys()]).toEqual([
      ...['source.zh-CN.mp4', 'dub.wav', 'source.zh-CN.srt', 'source.zh-CN-alignment.json'],
      ...['source.zh-CN.gtrk', 'source.zh-CN-bilingual.srt'],
    ])
    const dubbed = await probe(paths.get('source.zh-CN.mp4') ?? '')
    const source = await probe(stage.source.path)
    expect(Math.abs(dubbed.duration_ms - source.duration_ms)).toBeLessThanOrEqual(40)
    expect([dubbed.subtitles, dubbed.video?.width]).toEqual([[], source.video?.width])
    expect(progress.toSorted((one, other) => one - other)).toEqual(progress)
    expect(record.lines[1]).toMatchObject({ tgt_text: '', dur_ms: 0, synth_ms: 0 })
    expect(output.report.doubtful_lines).toContainEqual(
      expect.objectContaining({ index: 1, reasons: ['untranslated'] }),
    )
    expect(output.notes?.join()).toContain('1 line is silent, because the language model')
  })

  it('whose lines are too long holds frames at their ends, has subtitles as a file if they cannot be added, and a note on unusual paths', async () => {
    translateLong(1.4)
    using _ = await failWith('mov_text')
    const request = {
      ...{ speed_band: [1, 1.05], source_path: 'talk.mp4', local_output_dir: 'C:\\dubs' },
      project_formats: ['otio'],
    }
    const { output, paths, record } = await runDub(stage, request, { folder, heard })
    const { report } = output
    expect(output.errors).toEqual({ subtitle: expect.any(String) as string })
    expect(output.subtitle_file_id).not.toBe('')
    expect(output.notes?.join()).toContain('lines that do not fit their time were not rewritten, because ')
    expect(output.notes?.join()).toContain('source_path "talk.mp4" is not a full path')
    expect(report.freeze_points.length).toBeGreaterThan(0)
    expect(report.freeze_cap_hit).toBe(true)
    expect(report.output_duration_ms).toBe(report.source_duration_ms + report.freeze_total_ms)
    expect(report.output_duration_ms).toBeLessThanOrEqual(1.03 * report.source_duration_ms)
    for (const name of ['base.mp4', 'source.zh-CN.mp4']) {
      const { duration_ms, video, audio } = await probe(paths.get(name) ?? '')
      expect(Math.abs(duration_ms - report.output_duration_ms)).toBeLessThanOrEqual(40)
      expect([video?.codec, audio.length]).toEqual(['h264', name === 'base.mp4' ? 0 : 1])
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

  it('whose video with held frames fails is fitted without them; without subtitles that cannot be drawn, and text files that cannot be written', async () => {
    translateLong(1.4)
    using _ = await failWith('tpad', 'ass=filename')
    const request = { subtitle: 'burn', keep_bgm: false, speed_band: [1, 1.05], project_formats: ['otio'] }
    const full = Object.assign(new Error('ENOSPC'), { syscall: 'write' })
    const paths = new Map<string, string>()
    const keep = ({ name, path }: { readonly name: string; readonly path: string }) => {
      if (/json$|otio$/.test(name)) throw full
      paths.set(name, path)
      return { file_id: `${paths.size}`, download_url: '/base/file/1/download' }
    }
    const { output } = await runDub(stage, request, { folder, heard, context: { keep } })
    const [reason, unwritten] = [expect.any(String) as string, 'a file could not be written']
    expect(output.errors).toEqual({
      ...{ base_video: reason, subtitle: reason, transcript: unwritten, project: unwritten },
    })
    expect(output).toMatchObject({ transcript_file_id: '', transcript_file_download_url: '', files: [] })
    expect(output).not.toHaveProperty('base_video_file_id')
    expect(output.report).toMatchObject({ fit_policy: 'natural', freeze_points: [], freeze_total_ms: 0 })
    expect(output.report).toMatchObject({ subtitle: 'burn', subtitle_burned: false })
    expect(output.report.output_duration_ms).toBe(output.report.source_duration_ms)
    expect((await probe(paths.get('source.zh-CN.mp4') ?? '')).video?.codec).toBe('h264')
  })
})
