import { transcriptSimilarity } from '../../media/speech/compare.ts'
import { hasWords } from '../../media/speech/sentences.ts'
import { speechRate, type RecognitionResult } from '../../media/speech/spoken.ts'
import { resample } from '../ffmpeg/resample.ts'
import type { SpeechCallOptions, Recogniser } from './speech.ts'

/** Rate as which sound is heard again, Hz: 3 % slower. What is understood stays the same, what is guessed does not. */
const slowedRate = Math.round(0.97 * speechRate)

/**
 * Recognises sound, with a confidence in any case: where the engine tells none it hears the sound again, a little
 * slower, and how much both say the same is the confidence. Of what has no words, as `♪`, there is none.
 */
export async function recogniseWithConfidence(
  recogniser: Recogniser,
  sound: Float32Array,
  wish: SpeechCallOptions & { readonly language: string },
): Promise<RecognitionResult & { readonly confidence: number }> {
  const first = await recogniser.recognise(sound, wish)
  const { text, confidence } = first
  if (!hasWords(text)) return { ...first, confidence: 0 }
  if (confidence !== null) return { ...first, confidence }
  const again = await resample({ samples: sound, rate: slowedRate }, speechRate, wish)
  const second = await recogniser.recognise(again, wish)
  return { ...first, confidence: transcriptSimilarity(text, second.text) }
}
