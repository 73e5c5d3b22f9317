import { contractLanguage } from '../../src/contract/languages.ts'
import type { RunOperation } from '../../src/contract/operation.ts'
import { readVoice } from '../../src/engines/ffmpeg/sound.ts'
import { selectLanguageIdentifier } from '../../src/engines/speech/select-engine.ts'
import { openVoiceActivityDetector } from '../../src/engines/speech/voice-activity.ts'
import { missingAudioSeconds } from '../../src/media/audio/missing-audio.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import type { audioLanguageDetect } from './contract.ts'
import { noSoundError, detectionWindow } from './plan.ts'

/** Timeout of decoding, ms: half a minute takes about a second. */
const timeoutMs = 60_000

/** Speech from which the confidence of the model counts in full, seconds. */
const fullSpeechSeconds = 2

/** Factor on the confidence without speech: models report about 0.5 even for noise. */
const minConfidenceShare = 0.1

/** Identifies the five most likely languages of the first 30 s. */
export const run: RunOperation<typeof audioLanguageDetect> = async ({ file_id }, context) => {
  const { signal } = context
  const { path, name, facts } = context.files.get(file_id)
  let filled = 0
  const sound = await readVoice(path, {
    ...{ signal, timeoutMs, seconds: detectionWindow },
    onGaps: (missing) => (filled = missing),
  })
  if (sound.length === 0) throw noSoundError(name)
  context.progress(10)
  const share = Math.max(
    minConfidenceShare,
    Math.min(1, (await speechSeconds(sound, signal)) / fullSpeechSeconds),
  )
  context.progress(20)
  await using identifier = await (await selectLanguageIdentifier()).open(signal)
  const found = await identifier.identify(sound, { signal })
  const candidates = found.map(({ language: raw, probability }) => ({
    language: contractLanguage(raw),
    raw_language: raw,
    confidence: Math.round(probability * share * 10_000) / 10_000,
  }))
  const [likeliest] = candidates
  if (!likeliest) throw new TypeError('the model returned no language')
  return {
    ...likeliest,
    candidates,
    detected_window_sec: Math.round((sound.length / speechRate) * 1000) / 1000,
    engine: identifier.name,
    // No duration: the gap may continue after the analysed part.
    ...(missingAudioSeconds(facts, filled) > 0 && {
      notes: ['part of the sound is missing or cannot be decoded; it was treated as silence'],
    }),
  }
}

/** Seconds of speech. */
async function speechSeconds(sound: Float32Array, signal: AbortSignal): Promise<number> {
  await using finder = await openVoiceActivityDetector(signal)
  let seconds = 0
  for await (const { start, end } of finder.detect([sound], { signal })) seconds += end - start
  return seconds
}
