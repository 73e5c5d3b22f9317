import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles, writeSound } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
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

  it('is cloned from each speaker', async () => {
    const { turns, sentences } = stage.dialogue
    const { output, record } = await dub({})
    const spoken = stage.services.requests
    // The first texts of all lines are spoken first; lines are the sentences.
    expect(record.lines.map(({ src_text }) => src_text)).toEqual(sentences)
    expect(spoken.slice(0, turns.length).map(({ speaker }) => speaker)).toEqual(
      turns.map(({ speaker }) => speaker),
    )
    expect(output.report.refs?.map(({ speaker }) => speaker).toSorted()).toEqual([0, 1])
    const { speaker: _, ...main } = output.report.refs?.[0] ?? { speaker: 0 }
    expect(output.report.ref).toEqual(main)
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

  it('is one of the catalogue, in one of its languages', async () => {
    const service = { address: `${stage.services.voice.origin}/v1`, model: 'espeak', voice: 'fr' }
    const voices = [{ voice_id: 'anna', name: 'Anna', languages: ['fr-FR'], service }]
    const before = stage.services.requests.length
    configureServices({ ...stage.services.settings, voices, language_model: dubModelService(stage.model) })
    const { output } = await dub({ speaker: 'anna', target_lang: 'fr-FR' })
    configureServices({ ...stage.services.settings, language_model: dubModelService(stage.model) })
    expect(new Set(spokenSince(before).map(({ voice }) => voice))).toEqual(new Set(['fr']))
    expect(output.report).toMatchObject({ speaker: 'anna', ref: null, target_lang: 'fr-FR' })
  })

  it('says the words of the source if the languages are equal', async () => {
    const [spoken, asked] = [stage.services.requests.length, stage.model.asked.length]
    const { output, record } = await dub({ target_lang: 'en-US' })
    expect(record.lines.map(({ tgt_text }) => tgt_text)).toEqual(stage.dialogue.sentences)
    expect(spokenSince(spoken).map(({ text }) => text)).toEqual(stage.dialogue.sentences)
    expect(stage.model.asked.length).toBe(asked)
    expect(output.report).toMatchObject({ rewrite_lines: 0, engines: { translator: null } })
  })
})

describe.skipIf(!canSpeak || !hasSpeechFiles)('without the pack that distinguishes speakers', () => {
  it('all lines have the voice of the clearest span, which a note says, and a note names unusual paths', async () => {
    const folder = await scratchFolder()
    await using stage = await openDubStage(folder, {
      ...{ language: 'en-US', to: 'zh-CN', sentences: 4, packs: ['voice-separation'] },
    })
    const { output } = await runDub(stage, { source_path: 'talk.mp4', project_formats: ['xml'] }, { folder })
    expect(new Set(stage.services.requests.map(({ speaker }) => speaker)).size).toBe(1)
    expect(output.report).not.toHaveProperty('refs')
    expect(output.notes?.join()).toMatch(/speakers are not distinguished.*speaker-embedding/)
    expect(output.notes?.join()).toContain('source_path "talk.mp4" is not a full path')
  })
})
