import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { measureLevel } from '../../src/engines/ffmpeg/true-peak.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { fails } from '../engines/services/fake-service.ts'
import { decodeLimits, hasSpeechFiles, writeSound } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { fileIdOf } from '../tasks/run-in-worker.ts'
import { dubModel, dubModelService } from './dub-model.ts'
import { type DubStage, hearStage, openDubStage, runDub } from './run-dub.ts'
import type { VoiceFault } from './spoken-services.ts'

// Dubs of a source that is sound alone: their voices, and services that fail.

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub of sound (REELWRIGHT_TESTDATA)', () => {
  let stage: DubStage
  let folder: string
  /** The steps before the translation are the same in all tests. */
  let heard: string

  beforeAll(async () => {
    folder = await scratchFolder()
    stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences: 4, kind: 'audio' })
    heard = await hearStage(stage, folder)
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  afterEach(() => {
    stage.services.faultOf = () => undefined
    stage.model.says = dubModel()
  })

  const spokenSince = (count: number) => stage.services.requests.slice(count)

  describe('its voice', () => {
    /** Dubs without music, which is not the subject. */
    const dub = (request: object) => runDub(stage, { keep_bgm: false, ...request }, { folder, heard })

    it('is cloned from each speaker; audio becomes an mp3 with its music, without projects and clips', async () => {
      const { turns, sentences } = stage.dialogue
      const request = { keep_bgm: true, source_path: 5, project_formats: ['nle'] }
      const before = stage.services.requests.length
      const { output, record, paths } = await dub(request)
      const spoken = spokenSince(before)
      // The first texts of all lines are spoken first; lines are the sentences.
      expect(record.lines.map(({ src_text }) => src_text)).toEqual(sentences)
      expect(spoken.slice(0, turns.length).map(({ speaker }) => speaker)).toEqual(
        turns.map(({ speaker }) => speaker),
      )
      expect(output.report.refs?.map(({ speaker }) => speaker).toSorted()).toEqual([0, 1])
      const { speaker: _, ...main } = output.report.refs?.[0] ?? { speaker: 0 }
      expect(output.report.ref).toEqual(main)

      expect(output.errors).toEqual({})
      expect(output.files).toEqual([])
      expect(output).not.toHaveProperty('base_video_file_id')
      expect(output.report).toMatchObject({ input_kind: 'audio', bgm: 'kept', freeze_points: [] })
      const dubbed = paths.get('source.zh-CN.mp3') ?? ''
      const facts = await probe(dubbed)
      expect([facts.container, facts.video, facts.audio[0]?.codec]).toEqual(['mp3', null, 'mp3'])
      const loudness = async (path: string) => (await measureLevel(path, decodeLimits)).loudness ?? -Infinity
      expect(Math.abs((await loudness(dubbed)) - (await loudness(stage.source.path)))).toBeLessThan(1)
      expect(new Set(record.lines.map(({ clip_id }) => clip_id))).toEqual(new Set(['']))
    })

    const pairs = [
      ['anna', 'en-US'],
      ['anna', 'fr-FR'],
      ['clone', 'en-US'],
    ] as const
    it.each(sampleCases(pairs, 1))(
      'is %s in %s; equal languages keep the words of the source',
      async (speaker, target_lang) => {
        const service = { address: `${stage.services.voice.origin}/v1`, model: 'espeak', voice: 'fr' }
        const voices = [{ voice_id: 'anna', name: 'Anna', languages: ['fr-FR', 'en-US'], service }]
        const [before, asked] = [stage.services.requests.length, stage.model.asked.length]
        configureServices({
          ...stage.services.settings,
          voices,
          language_model: dubModelService(stage.model),
        })
        const { output, record } = await dub({ speaker, target_lang })
        configureServices({ ...stage.services.settings, language_model: dubModelService(stage.model) })
        expect(output.report).toMatchObject({ speaker, target_lang })
        if (speaker === 'anna') {
          expect(new Set(spokenSince(before).map(({ voice }) => voice))).toEqual(new Set(['fr']))
          expect(output.report.ref).toBeNull()
        }
        if (target_lang === 'en-US') {
          expect(record.lines.map(({ tgt_text }) => tgt_text)).toEqual(stage.dialogue.sentences)
          expect(spokenSince(before).map(({ text }) => text)).toEqual(stage.dialogue.sentences)
          expect(stage.model.asked.length).toBe(asked)
          expect(output.report).toMatchObject({ rewrite_lines: 0, engines: { translator: null } })
        }
      },
    )
  })

  describe('whose', () => {
    const voiceAlone = { subtitle: 'none', project_formats: ['otio'], keep_bgm: false }

    it.each<[VoiceFault, boolean]>([
      ['refuse', false],
      // It may follow an internal failure, which ends.
      ['silence', true],
    ])('voice service responds to all lines with %s fails', async (fault, retryable) => {
      stage.services.faultOf = () => fault
      const failure = { code: 6401, retryable }
      await expect(runDub(stage, voiceAlone, { folder, heard })).rejects.toMatchObject(failure)
    })

    /** Writes the sentence of the second speaker, which is long enough for a reference. */
    const writeVoice = async () => {
      const { samples, turns } = stage.dialogue
      const { start = 0, end = 0 } = turns.find(({ speaker }) => speaker === 1) ?? {}
      const sound = samples.slice((start - 0.3) * speechRate, (end + 0.3) * speechRate)
      return await writeSound(join(folder, 'voice.wav'), sound)
    }

    /** Returns what goes wrong at an attempt to speak a line, by its number in questions. */
    const faultAt = (line: number, attempt: number, refusal: VoiceFault): VoiceFault | undefined => {
      if (line === 1) return 'drop'
      if (line === 2) return 'repeat'
      if (line === 3) return refusal
      return (['repeat', 'silence'] as const)[attempt]
    }

    it.each(sampleCases(['silence', 'refuse'] as const, 1))(
      'lines fail in several ways repeats them in the voice of another recording, and names those that stay silent (%s) or doubtful',
      async (refusal) => {
        const answers = dubModel({ seed: 5 })
        /** Lines of the texts to speak, and texts in the order of requests. */
        const lineOf = new Map<string, number>()
        const spoken: string[] = []
        stage.model.says = (body, received) => {
          const answer = answers(body, received) as {
            readonly lines?: readonly { id: number; text: string }[]
          }
          for (const { id, text } of answer.lines ?? []) lineOf.set(text, id)
          return answer
        }
        stage.services.faultOf = ({ text }) => {
          const attempt = spoken.filter((other) => other === text).length
          spoken.push(text)
          return faultAt(lineOf.get(text) ?? 0, attempt, refusal)
        }
        const before = stage.services.requests.length
        const voice = await writeVoice()
        const request = {
          ...{ ...voiceAlone, speed_band: [1, 1.3], subtitle: 'soft' },
          ...{ ref_file_id: fileIdOf(voice), ref_lang: 'en-US' },
        }
        const { output, record, paths } = await runDub(stage, request, { folder, heard, files: [voice] })
        expect(new Set(spokenSince(before).map(({ speaker }) => speaker))).toEqual(new Set([1]))
        expect(output.report).toMatchObject({ ref: { source: 'ref_file', ref_lang: 'en-US' } })
        expect(output.report).not.toHaveProperty('refs')

        const { lines } = record
        const { doubtful_lines: doubts } = output.report
        const reasonsOf = (line: number) => doubts.find(({ index }) => index === line - 1)?.reasons ?? []

        // Silent, with its subtitle.
        expect(lines.flatMap(({ dur_ms }, index) => (dur_ms === 0 ? [index + 1] : []))).toEqual([3])
        expect(reasonsOf(3)).toEqual(['unspoken'])
        expect(output.notes?.join()).toContain('1 line is silent, because the voice did not speak its text')
        const [, subtitles = ''] = [...paths].find(([name]) => name.endsWith('.srt')) ?? []
        const letters = (text = '') => text.replaceAll(/\P{L}/gu, '')
        expect(lines[2]).toMatchObject({ synth_ms: 0, rewrite_rounds: 0 })
        expect(letters(await readFile(subtitles, 'utf8'))).toContain(letters(lines[2]?.tgt_text))

        // Doubtful, after three attempts.
        expect(reasonsOf(1)).toContain('words_lost')
        expect(reasonsOf(2)).toContain('words_added')
        const attempts = (line: number) =>
          [...new Set(spoken)]
            .filter((text) => lineOf.get(text) === line)
            .map((text) => spoken.filter((other) => other === text).length)
        expect(attempts(1)[0]).toBe(3)

        // Spoken after all, at the attempt after those that repeat the text and are silent.
        for (const count of attempts(4)) expect(count).toBe(3)
        expect(reasonsOf(4)).not.toContain('unspoken')
        expect(reasonsOf(4)).not.toContain('words_added')
      },
    )

    it.each(soakSize<readonly VoiceFault[]>([], ['long']))(
      'voice speaks half as fast, and is not checked, has lines within the band that do not overlap (%s)',
      async (fault) => {
        const { recogniser, requests } = stage.services
        const { otherwise } = recogniser
        const before = requests.length
        recogniser.otherwise = (response, received) =>
          (requests.length > before ? fails(400) : otherwise)(response, received)
        stage.services.faultOf = () => fault
        stage.model.says = dubModel({ seed: 3 })
        const { output, record } = await runDub(
          stage,
          { ...voiceAlone, fit_policy: 'strict' },
          { folder, heard },
        )
        recogniser.otherwise = otherwise
        const { report } = output
        expect(output.errors).toEqual({})
        expect(report.doubtful_lines.flatMap(({ reasons }) => reasons)).not.toContain('words_lost')
        expect(report.output_duration_ms).toBe(report.source_duration_ms)
        expect(report.rewrite_lines).toBeGreaterThan(0)
        for (const [index, { st_ms, dur_ms, speed }] of record.lines.entries()) {
          expect(st_ms + dur_ms).toBeLessThanOrEqual(
            record.lines[index + 1]?.st_ms ?? report.output_duration_ms,
          )
          expect(speed).toBeLessThanOrEqual(1.15)
        }
      },
    )

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
})
