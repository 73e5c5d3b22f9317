import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import { spokenLanguage, type VoiceLanguage } from '../../src/contract/languages.ts'
import type { InputOf, RunContext } from '../../src/contract/operation.ts'
import {
  selectVoiceCloner,
  selectRecogniser,
  selectSeparator,
} from '../../src/engines/speech/select-engine.ts'
import type { Recogniser, VoiceCloner } from '../../src/engines/speech/speech-engines.ts'
import { concatSamples } from '../../src/media/audio/windows.ts'
import { encodeWav } from '../../src/media/audio/wav.ts'
import type { MonoAudio } from '../../src/media/speech/speech-types.ts'
import type { audioTtsZeroShot } from './contract.ts'

export type SpeechInput = InputOf<typeof audioTtsZeroShot>
type Languages = Pick<SpeechInput, 'text_lang' | 'ref_lang' | 'ref_text'>

/** What a request is done by. */
export interface SpeechEngines extends AsyncDisposable {
  readonly cloner: VoiceCloner
  /** Hears the reference; undefined where nothing is there that does and nothing has to. */
  readonly recogniser: Recogniser | undefined
  /** Hears what was spoken; undefined where nothing is there that does, or it would write it in other letters. */
  readonly listener: Recogniser | undefined
  /** The voice alone, of sound in which there is more; null where nothing is there that separates them. */
  separate(sound: MonoAudio, signal: AbortSignal): Promise<SeparatedVoice | null>
}

/** A voice alone, and what took it out of other sound. */
interface SeparatedVoice extends MonoAudio {
  readonly engine: string
}

/** What speaks at all speaks this. */
const defaultLanguage = 'zh-CN'

/** Opens what a request is done by. */
export async function openEngines(
  { text_lang, ref_lang = text_lang, ref_text }: Languages,
  { scratch, signal }: Pick<RunContext, 'scratch' | 'signal'>,
): Promise<SpeechEngines> {
  await using opened = new AsyncDisposableStack()
  const copier = opened.use(
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
  const listener = hasOtherScript(text_lang)
    ? undefined
    : spokenLanguage(text_lang) === spokenLanguage(ref_lang)
      ? recogniser
      : await open(spokenLanguage(text_lang)).catch(undefinedUnlessAborted(signal))
  const kept = opened.move()
  return {
    cloner: copier,
    recogniser,
    listener,
    separate: (sound, until) => separateVoice(sound, join(scratch, 'reference.wav'), until),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Whether it is written in traditional letters, or those of Cantonese: recognisers write simplified ones, or those of Mandarin. */
export function hasOtherScript(language: string): boolean {
  return language === 'zh-CHT' || language === 'zh-HK'
}

/** Goes without what can be gone without and is not there, or fails. */
export function undefinedUnlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
  }
}

/** Some seconds of sound are separated in seconds, on a slow machine in minutes, ms. */
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
  const pieces: Float32Array[] = []
  for await (const { voice } of separator.separate(whole, { signal, timeoutMs: separationTimeoutMs }))
    pieces.push(voice)
  const all = concatSamples(pieces)
  const samples = Float32Array.from({ length: all.length / channels }, (_, index) => {
    const from = index * channels
    return channels === 1 ? (all[from] ?? 0) : ((all[from] ?? 0) + (all[from + 1] ?? 0)) / 2
  })
  return { samples, rate, engine }
}
