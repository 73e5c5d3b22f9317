import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { spokenLanguage, type VoiceLanguage, type VoiceRequestLanguage } from '../../contract/languages.ts'
import type { RunContext } from '../../contract/operation.ts'
import { selectVoiceCloner, selectRecogniser, selectSeparator } from '../speech/select-engine.ts'
import type { Recogniser, VoiceCloner } from '../speech/speech-engines.ts'
import { concatSamples } from '../../media/audio/windows.ts'
import { encodeWav } from '../../media/audio/wav.ts'
import type { MonoAudio } from '../../media/speech/speech-types.ts'

/** Languages of the speech and of the recording whose voice it has, as in a request. */
export interface VoiceRequest {
  readonly text_lang: VoiceRequestLanguage
  /** Default: text_lang. */
  readonly ref_lang?: VoiceRequestLanguage | undefined
  /** Transcript of the recording; recognised if absent. */
  readonly ref_text?: string | undefined
}

/** Engines of a request. */
export interface SpeechEngines extends AsyncDisposable {
  readonly cloner: VoiceCloner
  /** Recognises the reference; undefined if none is installed and ref_text makes it optional. */
  readonly recogniser: Recogniser | undefined
  /** Recognises the synthesized speech; undefined if none is installed, or if it writes another script than the text. */
  readonly listener: Recogniser | undefined
  /** Separates the voice from other sound; null if no separator is installed. */
  separate: SeparateReference
}

type SeparateReference = (sound: MonoAudio, signal: AbortSignal) => Promise<SeparatedVoice | null>

/** A separated voice, and the name of the separator. */
interface SeparatedVoice extends MonoAudio {
  readonly engine: string
}

/** Opens the engines of a request. Throws 6401 if a required one is missing. */
export async function openEngines(
  { text_lang, ref_lang = text_lang, ref_text }: VoiceRequest,
  { scratch, signal }: Pick<RunContext, 'scratch' | 'signal'>,
): Promise<SpeechEngines> {
  await using opened = new AsyncDisposableStack()
  const cloner = opened.use(
    await (
      await selectVoiceCloner(spokenLanguage(text_lang), scratch, spokenLanguage(ref_lang))
    ).open(signal),
  )
  const open = async (language: VoiceLanguage) => {
    const engine = await (await selectRecogniser(language)).open(signal)
    return opened.use(engine)
  }
  const opening = open(spokenLanguage(ref_lang))
  const recogniser = await (ref_text === undefined ? opening : opening.catch(undefinedUnlessAborted(signal)))
  const isShared = !hasOtherScript(text_lang) && spokenLanguage(text_lang) === spokenLanguage(ref_lang)
  const listener = isShared ? recogniser : await openListener(text_lang, signal)
  if (listener && !isShared) opened.use(listener)
  const kept = opened.move()
  return {
    cloner,
    recogniser,
    listener,
    separate: referenceSeparator(scratch),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Returns what separates the voice of a reference from other sound, by a file in a scratch folder. */
export function referenceSeparator(scratch: string): SeparateReference {
  return (sound, signal) => separateVoice(sound, join(scratch, 'reference.wav'), signal)
}

/** Opens a recogniser that checks speech; undefined if none is installed, or none writes the script of the language. */
export async function openListener(language: string, signal: AbortSignal): Promise<Recogniser | undefined> {
  if (hasOtherScript(language)) return undefined
  const opening = selectRecogniser(language).then((chosen) => chosen.open(signal))
  return await opening.catch(undefinedUnlessAborted(signal))
}

/** Whether a language is written in traditional or Cantonese script; recognisers write simplified Mandarin. */
export function hasOtherScript(language: string): boolean {
  return language === 'zh-CHT' || language === 'zh-HK'
}

/** Handler that turns a failure of an optional engine into undefined; rethrows aborts and bugs. */
export function undefinedUnlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
  }
}

/** Timeout of the separation, ms: seconds of work, or minutes on a slow machine. */
const separationTimeoutMs = 600_000

async function separateVoice(
  sound: MonoAudio,
  path: string,
  signal: AbortSignal,
): Promise<SeparatedVoice | null> {
  const opening = selectSeparator().then((chosen) => chosen.open(signal))
  await using separator = (await opening.catch(undefinedUnlessAborted(signal))) ?? null
  if (!separator) return null
  await writeFile(path, encodeWav(sound))
  const { name: engine, rate, channels } = separator
  const whole = { path, mono: true, seconds: sound.samples.length / sound.rate }
  const chunks: Float32Array[] = []
  for await (const { voice } of separator.separate(whole, { signal, timeoutMs: separationTimeoutMs }))
    chunks.push(voice)
  const all = concatSamples(chunks)
  const samples = Float32Array.from({ length: all.length / channels }, (_, index) => {
    const from = index * channels
    return channels === 1 ? (all[from] ?? 0) : ((all[from] ?? 0) + (all[from + 1] ?? 0)) / 2
  })
  return { samples, rate, engine }
}
