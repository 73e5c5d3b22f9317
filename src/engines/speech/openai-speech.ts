import { encodeWav } from '../../media/audio/wav.ts'
import type { ServiceResponse } from '../services/exchange.ts'
import type { SpeechRequest } from './service-copier.ts'

/** What Qwen3-TTS calls languages of ours; other models find it out by themselves. */
const openAiNames: Readonly<Record<string, string>> = {
  'zh-CN': 'Chinese',
  'en-US': 'English',
  'ja-JP': 'Japanese',
  'ko-KR': 'Korean',
}

/** As the contract writes them. */
export const openAiLanguages = Object.keys(openAiNames)

/** Asks an OpenAI-compatible /audio/speech that copies voices, by the fields of vLLM-Omni. */
export async function requestOpenAiSpeech(speaking: SpeechRequest): Promise<ServiceResponse> {
  const { client, service, text, language, reference, speed, signal } = speaking
  const json = {
    ...(service.model !== undefined && { model: service.model }),
    input: text,
    language: openAiNames[language] ?? 'Auto',
    task_type: 'Base',
    ref_audio: `data:audio/wav;base64,${encodeWav(reference).toString('base64')}`,
    ref_text: reference.text,
    response_format: 'wav',
    // Some models refuse the field, whatever it says.
    ...(speed !== 1 && { speed }),
  }
  return await client.send({ path: '/audio/speech', json, signal })
}
