import type { StagedFile } from '../../src/contract/operation.ts'
import { decodeVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { openSpeechFinder } from '../../src/engines/speech/find-speech.ts'
import { openSpeakerSplitter } from '../../src/engines/speech/split-speakers.ts'
import { referenceRule, type Heard } from '../../src/media/speech/reference.ts'
import type { Span } from '../../src/media/speech/spoken.ts'
import { decodingMs } from './listen.ts'

/** Where somebody speaks in a recording, and who. */
export async function hear({ path }: StagedFile, signal: AbortSignal): Promise<Heard> {
  const limits = { signal, timeoutMs: decodingMs }
  const speech: Span[] = []
  await using finder = await openSpeechFinder(signal)
  for await (const span of finder.find(decodeVoice(path, limits), { signal, rule: referenceRule }))
    speech.push(span)
  await using splitter = await openSpeakerSplitter(signal)
  return { speech, turns: await splitter.split(decodeVoice(path, limits), { signal }) }
}
