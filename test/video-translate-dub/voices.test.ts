import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { measureLevel } from '../../src/engines/ffmpeg/true-peak.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { decodeLimits, hasSpeechFiles, writeSound } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { sampleCases } from '../soak-size.ts'
import { fileIdOf } from '../tasks/run-in-worker.ts'
import { dubModelService } from './dub-model.ts'
import { type DubStage, hearStage, openDubStage, runDub } from './run-dub.ts'

describe.skipIf(!canSpeak || !hasSpeechFiles)('the voice of a dub (REELWRIGHT_TESTDATA)', () => {
  let stage: DubStage
  let folder: string
  let heard: string

  beforeAll(async () => {
    folder = await scratchFolder()
    stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences: 6, kind: 'audio' })
    heard = await hearStage(stage, folder)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Dubs without music, which is not the subject. */
  const dub = (request: object, files: readonly string[] = []) =>
    runDub(stage, { keep_bgm: false, ...request }, { folder, heard, files })
  const spokenSince = (count: number) => stage.services.requests.slice(count)

  it('is cloned from each speaker; audio becomes an mp3 with its music, without projects and clips', async () => {
    const { turns, sentences } = stage.dialogue
    const request = { keep_bgm: true, source_path: 5, project_formats: ['nle'] }
    const { output, record, paths } = await dub(request)
    const spoken = stage.services.requests
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

  it('is that of another recording', async () => {
    const { samples, turns } = stage.dialogue
    // Two sentences of the second speaker in succession.
    const [first, last] = [turns[4], turns[5] ?? turns[4]]
    const from = (first?.start ?? 0) - 0.3
    const sound = samples.slice(from * speechRate, ((last?.end ?? 0) + 0.3) * speechRate)
    const path = await writeSound(join(folder, 'voice.wav'), sound)
    const before = stage.services.requests.length
    const request = { ref_file_id: fileIdOf(path), ref_lang: 'en-US' }
    const { output } = await dub(request, [path])
    expect(new Set(spokenSince(before).map(({ speaker }) => speaker))).toEqual(new Set([1]))
    expect(output.report).toMatchObject({ ref: { source: 'ref_file', ref_lang: 'en-US' } })
    expect(output.report).not.toHaveProperty('refs')
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
      configureServices({ ...stage.services.settings, voices, language_model: dubModelService(stage.model) })
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
