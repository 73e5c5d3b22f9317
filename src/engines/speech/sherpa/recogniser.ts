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
import { resolvePack } from '../../packs/use.ts'
import type { Recogniser } from '../speech-engines.ts'
import type { SherpaSettings } from './messages.ts'
import { findModelFiles } from './model-files.ts'
import { invalidResult, type SherpaProcess, startSherpaProcess } from './process.ts'

/** A model that recognises speech. */
interface RecogniserModel {
  /** As results name it, and the pack it comes in. */
  readonly name: PackName
  /** Languages of the contract that it knows by the names it has for them; any where left out. */
  readonly languages?: Readonly<Record<string, string>>
  /** Most sound it takes at once, seconds. */
  readonly longest: number
  /** Its part of sherpa-onnx's settings; a language by the model's own name, empty for any. */
  settings(place: string, language: string): Promise<SherpaSettings>
}

const mandarinCodes = { 'zh-CN': 'zh', 'zh-CHS': 'zh', 'zh-CHT': 'zh' }
const europeanCodes = ['en-US', 'fr-FR', 'de-DE', 'es-ES', 'es-MX', 'pt-PT', 'pt-BR', 'ru-RU']

/** Every recogniser that runs here, the best for its languages first. */
export const localRecogniserModels: readonly RecogniserModel[] = [
  {
    name: 'sense-voice',
    languages: { ...mandarinCodes, 'zh-HK': 'yue', 'en-US': 'en', 'ja-JP': 'ja', 'ko-KR': 'ko' },
    longest: 30,
    async settings(place, language) {
      const { model, tokens } = await findModelFiles('sense-voice', place, ['model', 'tokens'])
      const known = language === '' ? 'auto' : language
      return { senseVoice: { model, language: known, useInverseTextNormalization: 1 }, tokens }
    },
  },
  {
    name: 'parakeet',
    languages: Object.fromEntries(europeanCodes.map((code) => [code, ''])),
    longest: 30,
    async settings(place) {
      const files = await findModelFiles('parakeet', place, ['encoder', 'decoder', 'joiner', 'tokens'])
      const { tokens, ...transducer } = files
      return { transducer, tokens, modelType: 'nemo_transducer' }
    },
  },
  {
    name: 'paraformer',
    languages: { ...mandarinCodes, 'en-US': '' },
    longest: 30,
    async settings(place) {
      const { model, tokens } = await findModelFiles('paraformer', place, ['model', 'tokens'])
      return { paraformer: { model }, tokens }
    },
  },
  whisperModel('whisper-turbo', 'yue'),
  whisperModel('whisper', 'zh'),
]

/** Whisper hears half a minute; only its later models tell Cantonese from Chinese. */
function whisperModel(name: PackName, cantonese: string): RecogniserModel {
  return {
    name,
    longest: 28,
    async settings(place, language) {
      const { encoder, decoder, tokens } = await findModelFiles(name, place, ['encoder', 'decoder', 'tokens'])
      const known = language === 'yue' ? cantonese : language
      const told = { task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 }
      return { whisper: { encoder, decoder, language: known, ...told }, tokens }
    },
  }
}

/** All of sherpa-onnx's settings for a model and a language of the contract. */
async function recogniserSettings(
  { languages, settings }: RecogniserModel,
  place: string,
  language: string | undefined,
): Promise<SherpaSettings> {
  const known =
    (language === undefined ? '' : languages ? languages[language] : whisperLanguageName(language)) ?? ''
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: {
      ...(await settings(place, known)),
      numThreads: Math.min(4, availableParallelism()),
      provider: 'cpu',
    },
  }
}

/** A language of the contract by ISO 639, as Whisper names it. */
function whisperLanguageName(language: string): string {
  if (language === 'zh-HK') return 'yue'
  const [first = ''] = language.split('-')
  // Filipino is Tagalog there.
  return first === 'fil' ? 'tl' : first
}

/** As sherpa-onnx tells a result; lists that a model does not fill are empty. */
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

/** Opens a model that recognises speech, for a language of the contract or any; 6401 where it is not there. */
export async function openLocalRecogniser(
  model: RecogniserModel,
  { signal, language }: { readonly signal: AbortSignal; readonly language?: string | undefined },
): Promise<Recogniser> {
  const { name, longest } = model
  const place = await resolvePack(name, { signal })
  const start = async (spoken: string | undefined, until: AbortSignal) => {
    const settings = await recogniserSettings(model, place, spoken)
    return await startSherpaProcess({ model: name, kind: 'recogniser', settings }, { signal: until })
  }
  let open: { readonly language: string | undefined; readonly sherpa: SherpaProcess } = {
    language,
    sherpa: await start(language, signal),
  }
  return {
    name,
    longest,
    async recognise(sound, { signal: until, language: spoken = open.language }) {
      // A model is opened with its language.
      if (spoken !== open.language) {
        await open.sherpa[Symbol.asyncDispose]()
        open = { language: spoken, sherpa: await start(spoken, until) }
      }
      const told = await open.sherpa.request({ samples: sound, rate: speechRate }, until)
      return parseRecognition(told, { model: name, seconds: sound.length / speechRate })
    },
    [Symbol.asyncDispose]: () => open.sherpa[Symbol.asyncDispose](),
  }
}

function parseRecognition(
  told: unknown,
  { model, seconds }: { model: string; seconds: number },
): RecognitionResult {
  const fail = (what: string): never => {
    throw invalidResult(model, what)
  }
  const read = resultSchema.safeParse(told)
  if (!read.success) return fail('its answer is no result')
  const { text, lang, tokens, timestamps, durations } = read.data
  const plain = plainTranscript(text)
  // Pieces of characters, of models that spell by bytes, tell no words.
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
    // It tells likelihoods of some kinds of models alone, on scales that those do not share.
    confidence: null,
    language: stripLanguageTag(lang),
  }
  return validateRecognition(recognised, { seconds, fail })
}

/** Words that share the time of what they are said in: a sentence or so where those are told, else all of it. */
function segmentWords(told: z.infer<typeof resultSchema>, seconds: number): TimedWord[] {
  const { segment_timestamps: starts, segment_durations: lengths, segment_texts: texts } = told
  if (texts.length === 0) return distributeTime(plainTranscript(told.text), { start: 0, end: seconds })
  return texts.flatMap((text, at) => {
    const [start = NaN, length = NaN] = [starts[at], lengths[at]]
    // Whisper hears silence up to half a minute, and may tell of that too.
    return start >= seconds
      ? []
      : distributeTime(plainTranscript(text), { start, end: Math.min(start + length, seconds) })
  })
}

/** `<|zh|>` is zh. */
function stripLanguageTag(told: string): string | null {
  const language = told.replaceAll(/[<|>]/gu, '')
  return language === '' || language === 'auto' ? null : language
}
