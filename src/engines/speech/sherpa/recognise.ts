import * as z from 'zod'
import { validateRecognition } from '../../../media/speech/check-words.ts'
import { distributeTime } from '../../../media/speech/split-words.ts'
import { speechRate, type RecognitionResult, type TimedWord } from '../../../media/speech/spoken.ts'
import { plainTranscript, joinTokens } from '../../../media/speech/token-words.ts'
import { resolvePack } from '../../packs/use.ts'
import type { Recogniser } from '../speech.ts'
import { startSherpaProcess, type SherpaProcess } from './process.ts'
import { recogniserSettings, type RecogniserModel } from './recognisers.ts'
import { invalidResult } from './samples.ts'

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
