import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { type RecognitionResult, speechRate, type TimedWord } from '../../../media/speech/speech-types.ts'
import {
  distributeTime,
  joinTokens,
  plainTranscript,
  validateRecognition,
} from '../../../media/speech/words.ts'
import type { PackName } from '../../packs/manifest.ts'
import { resolvePack } from '../../packs/resolve.ts'
import type { Recogniser } from '../speech-engines.ts'
import type { SherpaSettings } from './messages.ts'
import { findModelFiles } from './model-files.ts'
import { invalidResult, type SherpaProcess, startSherpaProcess } from './process.ts'

/** A local speech recognition model. */
interface RecogniserModel {
  /** Name of its pack, also reported in results. */
  readonly name: PackName
  /** Contract languages and the model's names for them; if absent, every language is supported. */
  readonly languages?: Readonly<Record<string, string>>
  /** Longest sound per request, seconds. */
  readonly maxSeconds: number
  /** Model part of the sherpa-onnx settings. `language` is the model's own name, empty to detect it. */
  settings(path: string, language: string): Promise<SherpaSettings>
}

const mandarinCodes = { 'zh-CN': 'zh', 'zh-CHS': 'zh', 'zh-CHT': 'zh' }
const europeanCodes = ['en-US', 'fr-FR', 'de-DE', 'es-ES', 'es-MX', 'pt-PT', 'pt-BR', 'ru-RU']

/** All local recognisers, the best for its languages first. */
export const localRecogniserModels: readonly RecogniserModel[] = [
  {
    name: 'sense-voice',
    languages: { ...mandarinCodes, 'zh-HK': 'yue', 'en-US': 'en', 'ja-JP': 'ja', 'ko-KR': 'ko' },
    maxSeconds: 30,
    async settings(path, language) {
      const { model, tokens } = await findModelFiles('sense-voice', path, ['model', 'tokens'])
      const known = language === '' ? 'auto' : language
      return { senseVoice: { model, language: known, useInverseTextNormalization: 1 }, tokens }
    },
  },
  {
    name: 'parakeet',
    languages: Object.fromEntries(europeanCodes.map((code) => [code, ''])),
    maxSeconds: 30,
    async settings(path) {
      const files = await findModelFiles('parakeet', path, ['encoder', 'decoder', 'joiner', 'tokens'])
      const { tokens, ...transducer } = files
      return { transducer, tokens, modelType: 'nemo_transducer' }
    },
  },
  {
    name: 'paraformer',
    languages: { ...mandarinCodes, 'en-US': '' },
    maxSeconds: 30,
    async settings(path) {
      const { model, tokens } = await findModelFiles('paraformer', path, ['model', 'tokens'])
      return { paraformer: { model }, tokens }
    },
  },
  whisperModel('whisper-turbo', 'yue'),
  whisperModel('whisper', 'zh'),
]

/** Whisper takes half a minute; only its later models separate Cantonese from Mandarin. */
function whisperModel(name: PackName, cantonese: string): RecogniserModel {
  return {
    name,
    maxSeconds: 28,
    async settings(path, language) {
      const { encoder, decoder, tokens } = await findModelFiles(name, path, ['encoder', 'decoder', 'tokens'])
      const known = language === 'yue' ? cantonese : language
      const whisperOptions = { task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 }
      return { whisper: { encoder, decoder, language: known, ...whisperOptions }, tokens }
    },
  }
}

/** Complete sherpa-onnx settings for a model and a contract language. */
async function recogniserSettings(
  { languages, settings }: RecogniserModel,
  path: string,
  language: string | undefined,
): Promise<SherpaSettings> {
  const known =
    (language === undefined ? '' : languages ? languages[language] : whisperLanguageName(language)) ?? ''
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: {
      ...(await settings(path, known)),
      numThreads: Math.min(4, availableParallelism()),
      provider: 'cpu',
    },
  }
}

/** ISO 639 code that Whisper uses for a contract language. */
function whisperLanguageName(language: string): string {
  if (language === 'zh-HK') return 'yue'
  const [first = ''] = language.split('-')
  // Whisper calls Filipino Tagalog.
  return first === 'fil' ? 'tl' : first
}

/** Result of sherpa-onnx; lists that a model does not fill are empty. */
const resultSchema = z.object({
  text: z.string(),
  lang: z.string().default(''),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number()).default([]),
  durations: z.array(z.number()).default([]),
  segment_timestamps: z.array(z.number()).default([]),
  segment_durations: z.array(z.number()).default([]),
  segment_texts: z.array(z.string()).default([]),
})

/** Opens a local recogniser for a contract language, or for any. Throws 6401 if it is missing. */
export async function openLocalRecogniser(
  model: RecogniserModel,
  { signal, language }: { readonly signal: AbortSignal; readonly language?: string | undefined },
): Promise<Recogniser> {
  const { name, maxSeconds } = model
  const path = await resolvePack(name, { signal })
  const start = async (requestLanguage: string | undefined, requestSignal: AbortSignal) => {
    const settings = await recogniserSettings(model, path, requestLanguage)
    return await startSherpaProcess({ model: name, kind: 'recogniser', settings }, { signal: requestSignal })
  }
  let open: { readonly language: string | undefined; readonly sherpa: SherpaProcess } = {
    language,
    sherpa: await start(language, signal),
  }
  return {
    name,
    maxSeconds,
    async recognise(sound, { signal: requestSignal, language: requestLanguage = open.language }) {
      // The language is a setting of the loaded model: reload it.
      if (requestLanguage !== open.language) {
        await open.sherpa[Symbol.asyncDispose]()
        open = { language: requestLanguage, sherpa: await start(requestLanguage, requestSignal) }
      }
      const result = await open.sherpa.request({ samples: sound, rate: speechRate }, requestSignal)
      return parseRecognition(result, { model: name, seconds: sound.length / speechRate })
    },
    [Symbol.asyncDispose]: () => open.sherpa[Symbol.asyncDispose](),
  }
}

function parseRecognition(
  result: unknown,
  { model, seconds }: { model: string; seconds: number },
): RecognitionResult {
  const fail = (what: string): never => {
    throw invalidResult(model, what)
  }
  const read = resultSchema.safeParse(result)
  if (!read.success) return fail('the result has an unknown form')
  const { text, lang, tokens, timestamps, durations } = read.data
  const plain = plainTranscript(text)
  // Byte-level tokens may split characters: then they do not form words.
  const timed =
    tokens.length > 0 && timestamps.length === tokens.length && !tokens.join('').includes('\uFFFD')
  const words = timed
    ? joinTokens(
        tokens.map((token, at) => ({ text: token, start: timestamps[at] ?? NaN, seconds: durations[at] })),
        seconds,
      )
    : segmentWords(read.data, seconds)
  const recognised: RecognitionResult = {
    text: plain,
    words,
    timed,
    // sherpa-onnx reports likelihoods only for some models, on different scales.
    confidence: null,
    language: stripLanguageTag(lang),
  }
  return validateRecognition(recognised, { seconds, fail })
}

/** Words whose times are distributed over their segment, or over the whole sound if there are no segments. */
function segmentWords(result: z.infer<typeof resultSchema>, seconds: number): TimedWord[] {
  const { segment_timestamps: starts, segment_durations: lengths, segment_texts: texts } = result
  if (texts.length === 0) return distributeTime(plainTranscript(result.text), { start: 0, end: seconds })
  return texts.flatMap((text, at) => {
    const [start = NaN, length = NaN] = [starts[at], lengths[at]]
    // Whisper pads to half a minute and may report segments in the padding.
    return start >= seconds
      ? []
      : distributeTime(plainTranscript(text), { start, end: Math.min(start + length, seconds) })
  })
}

/** Converts `<|zh|>` to zh. */
function stripLanguageTag(result: string): string | null {
  const language = result.replaceAll(/[<|>]/gu, '')
  return language === '' || language === 'auto' ? null : language
}
