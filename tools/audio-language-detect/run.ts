import { contractLanguage } from '../../src/contract/languages.ts'
import type { RunOperation } from '../../src/contract/operation.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { readVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { requirePack, requireTogether } from '../../src/engines/packs/resolve.ts'
import { selectLanguageIdentifier } from '../../src/engines/speech/select-engine.ts'
import { openVoiceActivityDetector } from '../../src/engines/speech/voice-activity.ts'
import { missingAudioSeconds } from '../../src/media/audio/missing-audio.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import type { audioLanguageDetect } from './contract.ts'
import { noSoundError, detectionWindow } from './plan.ts'

/** To decode half a minute takes a second, ms. */
const timeoutMs = 60_000

/** From so much speech on a model's word counts in full, seconds. */
const fullSpeechSeconds = 2

/** What of a model's confidence is left where nobody speaks: it is about half sure of noise, too. */
const minConfidenceShare = 0.1

/** Hears the beginning of the sound and tells the five likeliest languages. */
export const run: RunOperation<typeof audioLanguageDetect> = async ({ file_id }, context) => {
  const { signal } = context
  const { path, name, facts } = context.files.get(file_id)
  let filled = 0
  const sound = await readVoice(path, {
    ...{ signal, timeoutMs, seconds: detectionWindow },
    onHoles: (told) => (filled = told),
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
  if (!likeliest) throw new TypeError('a model that tells languages told none')
  return {
    ...likeliest,
    candidates,
    detected_window_sec: Math.round((sound.length / speechRate) * 1000) / 1000,
    engine: identifier.name,
    // How much of it is known of the hole alone, which may go on after what is heard.
    ...(missingAudioSeconds(facts, filled) > 0 && {
      notes: ['part of the sound is missing or does not decode: silence was heard there'],
    }),
  }
}

/** Seconds in which somebody speaks. */
async function speechSeconds(sound: Float32Array, signal: AbortSignal): Promise<number> {
  await using finder = await openVoiceActivityDetector(signal)
  let seconds = 0
  for await (const { start, end } of finder.detect([sound], { signal })) seconds += end - start
  return seconds
}
