import type { VoiceCloner, VoiceReference } from '../speech/speech-engines.ts'
import { soundSpan } from '../../media/speech/speech-assembler.ts'
import { speechLength } from '../../media/speech/sentences.ts'
import { undefinedUnlessAborted } from './engines.ts'
import type { AssembledSpeech } from './speech-file.ts'

/** Speeds nearer to 1 are not checked: two renderings of a sentence differ as much. */
const minCheckedSpeed = 1.1

/**
 * The reference alone shows that the speed took effect if the speech deviates from it by at most so much, and is faster or
 * slower than a voice without `speed` would be.
 */
const shownByReference = { maxDeviation: 1.15, minChange: 1.35 }

/** Share of the requested change of speed, in octaves, below which it had no effect. */
const minEffect = 1 / 3

interface CheckSpeedOptions {
  readonly cloner: VoiceCloner
  readonly reference: VoiceReference
  readonly language: string
  readonly speed: number
  readonly signal: AbortSignal
}

/**
 * Returns a note if the speech is not faster or slower as requested. The expected duration follows from the speed at
 * which the reference speaks; where that is not certain, from its longest sentence spoken once more at speed 1.
 * Durations are relative to the words that were recognised. If that sentence cannot be spoken, there is no note.
 */
export async function speedNotes(speech: AssembledSpeech, options: CheckSpeedOptions): Promise<string[]> {
  const { cloner, reference, language, speed, signal } = options
  if (Math.max(speed, 1 / speed) < minCheckedSpeed) return []
  const lost = new Map(speech.sentencesWithLosses.map(({ text, lostShare }) => [text, lostShare]))
  const sentences = speech.placed.map(({ text, start, end }) => ({
    text,
    seconds: end - start,
    letters: speechLength(text) * (1 - (lost.get(text) ?? 0)),
  }))
  const spoken = sentences.reduce((sum, { seconds }) => sum + seconds, 0)
  const letters = sentences.reduce((sum, one) => sum + one.letters, 0)
  const byReference = letters / spoken / (speechLength(reference.text) / soundSeconds(reference))
  const factor = (ratio: number) => Math.max(ratio, 1 / ratio)
  const { maxDeviation, minChange } = shownByReference
  if (factor(byReference / speed) <= maxDeviation && factor(byReference) >= minChange) return []
  const [longest] = sentences.toSorted((one, other) => other.letters - one.letters)
  if (!longest) return []
  const { text } = longest
  const usual = await cloner
    .speak({ text, language, reference, speed: 1 }, { signal })
    .catch(undefinedUnlessAborted(signal))
  if (!usual) return []
  const reached = soundSeconds(usual) / (longest.seconds / (1 - (lost.get(text) ?? 0)))
  if (Math.log(reached) / Math.log(speed) >= minEffect) return []
  return [
    `speed ${speed} had no effect: the same sentence at speed 1 is ${reached.toFixed(2)} times as long. ` +
      `${cloner.name} may not support speed; change the tempo of the file instead`,
  ]
}

/** Duration of a sound without silence at its ends, seconds. */
function soundSeconds({ samples, rate }: Pick<VoiceReference, 'samples' | 'rate'>): number {
  const { from, to } = soundSpan(samples, rate)
  return (to - from) / rate
}
