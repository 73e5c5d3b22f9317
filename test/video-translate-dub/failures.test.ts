import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { fails } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { sampleCases } from '../soak-size.ts'
import { dubModel } from './dub-model.ts'
import { type DubStage, hearStage, openDubStage, runDub } from './run-dub.ts'
import type { VoiceFault } from './spoken-services.ts'

// Services and steps that fail, and the pack that distinguishes speakers is missing. The source is sound alone.

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub whose (REELWRIGHT_TESTDATA)', () => {
  let stage: DubStage
  let folder: string
  /** The steps before the translation are the same in all tests. */
  let heard: string

  beforeAll(async () => {
    folder = await scratchFolder()
    stage = await openDubStage(folder, {
      ...{ language: 'en-US', to: 'zh-CN', sentences: 6, kind: 'audio', packs: ['voice-separation'] },
    })
    using _ = await replaceFfmpeg(
      join(folder, 'failing'),
      'case "$*" in *voice-spleeter.wav*) exit 1;; esac; exec "$FFMPEG" "$@"',
    )
    heard = await hearStage(stage, folder)
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  afterEach(() => {
    stage.services.faultOf = () => undefined
    stage.model.says = dubModel()
  })

  const withoutText = { subtitle: 'none', project_formats: ['otio'] }
  const voiceAlone = { ...withoutText, keep_bgm: false }

  it('sound cannot be separated has no music, and asks nothing again at its next attempt', async () => {
    const scratch = join(folder, 'mixed')
    const before = stage.services.requests.length
    const { output: first } = await runDub(stage, withoutText, { folder, heard, scratch })
    expect(first.errors).toEqual({ bgm: expect.any(String) as string })
    expect(first.report).toMatchObject({ bgm: 'dropped', bgm_ratio: 0, engines: { separator: null } })
    expect(first).not.toHaveProperty('bgm_audio_file_id')
    expect(first.report.ref?.separated).toBeTypeOf('boolean')
    // Without the pack, all lines have the voice of the clearest span.
    expect(new Set(stage.services.requests.slice(before).map(({ speaker }) => speaker)).size).toBe(1)
    expect(first.report).not.toHaveProperty('refs')
    expect(first.notes?.join()).toMatch(/speakers are not distinguished.*speaker-embedding/)
    const asked = stage.model.asked.length
    const { output: next } = await runDub(stage, withoutText, { folder, scratch })
    expect(next).toMatchObject({ errors: first.errors, report: first.report })
    expect(stage.model.asked).toHaveLength(asked)
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

  /** Returns what goes wrong at an attempt to speak a line, by its number in questions. */
  const faultAt = (line: number, attempt: number, refusal: VoiceFault): VoiceFault | undefined => {
    if (line === 1) return 'drop'
    if (line === 2 || (line === 6 && attempt === 0)) return 'repeat'
    if (line === 4) return refusal
    return line === 5 && attempt < 2 ? 'silence' : undefined
  }

  it.each(sampleCases(['silence', 'refuse'] as const, 1))(
    'lines fail in several ways repeats them, and names those that stay silent (%s) or doubtful',
    async (refusal) => {
      const answers = dubModel({ seed: 5 })
      /** Lines of the texts to speak, and texts in the order of requests. */
      const lineOf = new Map<string, number>()
      const spoken: string[] = []
      stage.model.says = (body, received) => {
        const answer = answers(body, received) as { readonly lines?: readonly { id: number; text: string }[] }
        for (const { id, text } of answer.lines ?? []) lineOf.set(text, id)
        return answer
      }
      stage.services.faultOf = ({ text }) => {
        const attempt = spoken.filter((other) => other === text).length
        spoken.push(text)
        return faultAt(lineOf.get(text) ?? 0, attempt, refusal)
      }
      const request = { ...voiceAlone, speed_band: [1, 1.3], subtitle: 'soft' }
      const { output, record, paths } = await runDub(stage, request, { folder, heard })
      const { lines } = record
      const { doubtful_lines: doubts } = output.report
      const reasonsOf = (line: number) => doubts.find(({ index }) => index === line - 1)?.reasons ?? []

      // Silent, with its subtitle.
      expect(lines.flatMap(({ dur_ms }, index) => (dur_ms === 0 ? [index + 1] : []))).toEqual([4])
      expect(reasonsOf(4)).toEqual(['unspoken'])
      expect(output.notes?.join()).toContain('1 line is silent, because the voice did not speak its text')
      const [, subtitles = ''] = [...paths].find(([name]) => name.endsWith('.srt')) ?? []
      const letters = (text = '') => text.replaceAll(/\P{L}/gu, '')
      expect(lines[3]).toMatchObject({ synth_ms: 0, rewrite_rounds: 0 })
      expect(letters(await readFile(subtitles, 'utf8'))).toContain(letters(lines[3]?.tgt_text))

      // Doubtful, after three attempts.
      expect(reasonsOf(1)).toContain('words_lost')
      expect(reasonsOf(2)).toContain('words_added')
      const attempts = (line: number) =>
        [...new Set(spoken)]
          .filter((text) => lineOf.get(text) === line)
          .map((text) => spoken.filter((other) => other === text).length)
      expect(attempts(1)[0]).toBe(3)

      // Spoken after all.
      for (const count of attempts(5)) expect(count).toBe(3)
      expect(reasonsOf(5)).not.toContain('unspoken')
      expect(reasonsOf(6)).not.toContain('words_added')
    },
  )

  it('voice speaks half as fast, and is not checked, has lines within the band that do not overlap', async () => {
    const { recogniser, requests } = stage.services
    const { otherwise } = recogniser
    const before = requests.length
    recogniser.otherwise = (response, received) =>
      (requests.length > before ? fails(400) : otherwise)(response, received)
    stage.services.faultOf = () => 'long'
    stage.model.says = dubModel({ seed: 3 })
    const { output, record } = await runDub(stage, { ...voiceAlone, fit_policy: 'strict' }, { folder, heard })
    recogniser.otherwise = otherwise
    const { report } = output
    expect(output.errors).toEqual({})
    expect(report.doubtful_lines.flatMap(({ reasons }) => reasons)).not.toContain('words_lost')
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
