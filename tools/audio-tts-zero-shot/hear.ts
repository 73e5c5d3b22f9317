import type { StagedFile } from '../../src/contract/operation.ts'
import { decodeVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { openSpeechFinder } from '../../src/engines/speech/find-speech.ts'
import { openSpeakerSplitter } from '../../src/engines/speech/split-speakers.ts'
import { missingNotes } from '../../src/media/audio/missing.ts'
import { referenceRule, type Heard } from '../../src/media/speech/reference.ts'
import type { Span } from '../../src/media/speech/spoken.ts'
import { decodingMs } from './listen.ts'

/** Where somebody speaks in a recording, and who; and what is told of parts of it that could not be heard. */
export async function hear(
  { path, facts }: StagedFile,
  signal: AbortSignal,
): Promise<Heard & { readonly notes: readonly string[] }> {
  const limits = { signal, timeoutMs: decodingMs }
  let filled = 0
  const sound = decodeVoice(path, { ...limits, onHoles: (told) => (filled = told) })
  const speech: Span[] = []
  await using finder = await openSpeechFinder(signal)
  for await (const span of finder.find(sound, { signal, rule: referenceRule })) speech.push(span)
  await using splitter = await openSpeakerSplitter(signal)
  const turns = await splitter.split(decodeVoice(path, limits), { signal })
  return { speech, turns, notes: missingNotes(facts, filled).map((note) => `of the reference ${note}`) }
}
