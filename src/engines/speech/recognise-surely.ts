import { likeness } from '../../media/speech/compare.ts'
import { isSpoken } from '../../media/speech/sentences.ts'
import { speechRate, type Recognised } from '../../media/speech/spoken.ts'
import { resample } from '../ffmpeg/resample.ts'
import type { Calling, Recogniser } from './speech.ts'

/** Rate as which sound is heard again, Hz: 3 % slower. What is understood stays the same, what is guessed does not. */
const slower = Math.round(0.97 * speechRate)

/**
 * Recognises sound, with a confidence in any case: where the engine tells none it hears the sound again, a little
 * slower, and how much both say the same is the confidence. Of what has no words, as `♪`, there is none.
 */
export async function recogniseSurely(
  recogniser: Recogniser,
  sound: Float32Array,
  wish: Calling & { readonly language: string },
): Promise<Recognised & { readonly confidence: number }> {
  const first = await recogniser.recognise(sound, wish)
  const { text, confidence } = first
  if (!isSpoken(text)) return { ...first, confidence: 0 }
  if (confidence !== null) return { ...first, confidence }
  const again = await resample({ samples: sound, rate: slower }, speechRate, wish)
  const second = await recogniser.recognise(again, wish)
  return { ...first, confidence: likeness(text, second.text) }
}
