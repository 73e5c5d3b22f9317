import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openVoiceActivityDetector,
  type VoiceActivityDetector,
} from '../../../src/engines/speech/voice-activity.ts'
import { analyzeBackground, type BackgroundAnalysis } from '../../../src/media/speech/background-noise.ts'
import type { TimeSpan } from '../../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import {
  hasSpeechFiles,
  inChunks,
  joined,
  mixed,
  music,
  neverAborted,
  noise,
  silence,
  useSpeechPacks,
  voiceOf,
} from './recordings.ts'

const folder = await scratchFolder()

describe.skipIf(!hasSpeechFiles)('background of speech (REELWRIGHT_TESTDATA)', () => {
  let finder: VoiceActivityDetector
  let voices: Float32Array
  beforeAll(async () => {
    useSpeechPacks(folder)
    finder = await openVoiceActivityDetector(neverAborted)
    voices = joined(silence(1), await voiceOf('austen'), silence(1.5), await voiceOf('woman'), silence(1))
  })
  afterAll(() => finder[Symbol.asyncDispose]())

  async function analyze(sound: Float32Array): Promise<BackgroundAnalysis> {
    const spans: TimeSpan[] = []
    for await (const span of finder.detect(inChunks(sound), { signal: neverAborted })) spans.push(span)
    return analyzeBackground(sound, spans)
  }

  it.each([
    ['nothing', 'none', () => silence(0)],
    ['faint noise', 'none', () => noise(20, 0.0003)],
    ['noise', 'noise', () => noise(20, 0.01)],
    ['music', 'music', () => music(20, 0.02)],
    ['music and noise', 'music', () => mixed(music(20, 0.02), noise(20, 0.001))],
  ] as const)('is analysed: %s', async (_, kind, behind) => {
    const analysis = await analyze(mixed(voices, behind()))
    expect(analysis, JSON.stringify(analysis)).toMatchObject({ kind })
    expect(analysis.speech).toBeGreaterThan(-25)
  })
})
