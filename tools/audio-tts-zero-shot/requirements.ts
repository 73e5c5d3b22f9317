import { spokenLanguage } from '../../src/contract/languages.ts'
import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { audioTtsZeroShot } from './contract.ts'

/** Language of a request that does not exist yet: every voice engine supports it. */
const defaultLanguage = 'zh-CN'

/**
 * A voice engine for both languages, and the models that find speech and speakers. A recogniser is needed only where
 * the request does not contain the words of the reference.
 */
export const requirements: OperationRequirements<typeof audioTtsZeroShot> = (input) => {
  const { text_lang = defaultLanguage, ref_lang = text_lang, ref_text } = input ?? {}
  const reference = spokenLanguage(ref_lang)
  const recogniser = { kind: 'speech-recogniser', language: reference } as const
  const needsRecogniser = input && ref_text === undefined
  return [
    { kind: 'ffmpeg' },
    { kind: 'pack', name: 'onnx-runtime' },
    { kind: 'pack', name: 'voice-activity' },
    { kind: 'pack', name: 'speaker-segmentation' },
    { kind: 'voice-cloner', language: spokenLanguage(text_lang), reference },
    ...(needsRecogniser ? [recogniser] : []),
    ...(input ? [] : [{ ...recogniser, recommended: true } as const]),
  ]
}
