import type { StagedFile } from '../../src/contract/operation.ts'
import { decodeVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { openVoiceActivityDetector } from '../../src/engines/speech/find-speech.ts'
import { openDiarizer } from '../../src/engines/speech/split-speakers.ts'
import { missingAudioNotes } from '../../src/media/audio/missing.ts'
import { referenceRule, type SpeechActivity } from '../../src/media/speech/reference.ts'
import type { TimeSpan } from '../../src/media/speech/spoken.ts'
import { decodingMs } from './listen.ts'

/** Where somebody speaks in a recording, and who; and what is told of parts of it that could not be heard. */
export async function analyzeRecording(
  { path, facts }: StagedFile,
  signal: AbortSignal,
): Promise<SpeechActivity & { readonly notes: readonly string[] }> {
  const limits = { signal, timeoutMs: decodingMs }
  let filled = 0
  const sound = decodeVoice(path, { ...limits, onHoles: (told) => (filled = told) })
  const speech: TimeSpan[] = []
  await using finder = await openVoiceActivityDetector(signal)
  for await (const span of finder.detect(sound, { signal, rule: referenceRule })) speech.push(span)
  await using splitter = await openDiarizer(signal)
  const turns = await splitter.diarize(decodeVoice(path, limits), { signal })
  return { speech, turns, notes: missingAudioNotes(facts, filled).map((note) => `of the reference ${note}`) }
}
