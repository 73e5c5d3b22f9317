import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { spokenLanguage, type VoiceRequestLanguage } from '../../contract/languages.ts'
import type { RunContext } from '../../contract/operation.ts'
import { writeDurably } from '../../platform/durable.ts'
import { configuredService } from '../services/configured.ts'
import { selectVoiceCloner } from '../speech/select-engine.ts'
import { openSpeakingService, type Speaker } from '../speech/speaking-service.ts'
import type { Recogniser, VoiceReference } from '../speech/speech-engines.ts'
import { readVoiceRecording, type VoiceInLanguage } from '../voice/catalogue.ts'
import { openKeptSpeech, speechDigest, type SpokenSentence } from '../voice/synthesize.ts'

/** What speaks the lines of a dub: a voice of the catalogue, or the cloned voices of the speakers. */
export type LineSpeaker =
  | VoiceInLanguage
  | {
      readonly language: VoiceRequestLanguage
      /** The reference of each speaker; lines of others are spoken in the first one. */
      readonly references: ReadonlyMap<number, VoiceReference>
    }

/** The voice of the lines of a dub. */
export interface LineVoice extends AsyncDisposable {
  /** Name of the engine in results. */
  readonly name: string
  /** Lines that it speaks at once. */
  readonly concurrency: number
  /**
   * Speaks a line at speed 1, as mono sound at the sample rate of the engine. It is checked by recognition, and kept for
   * the next attempt at the task: equal lines of a speaker are spoken once. Throws 6401 and 6402 if the engine fails,
   * SilentSpeechError if it responds with silence three times. An error that is not retryable, such as the refusal of a
   * text, is kept, too, so that each attempt has the same silent lines.
   */
  speak(
    text: string,
    line: { readonly speaker: number; readonly signal: AbortSignal },
  ): Promise<SpokenSentence>
}

interface OpenLineVoiceOptions extends Pick<RunContext, 'scratch' | 'steps' | 'signal'> {
  /** Recognises the speech for its check; without it the first attempt that is not silent is accepted. */
  readonly listener?: Recogniser | undefined
}

/** Opens the voice of the lines of a dub. Throws 6401 if its engine is missing. */
export async function openLineVoice(
  speaker: LineSpeaker,
  { listener, steps, ...context }: OpenLineVoiceOptions,
): Promise<LineVoice> {
  const service = 'voice' in speaker ? speaker.voice.service : undefined
  const keep = await openKeptSpeech(steps)
  const checked =
    (engine: Pick<Speaker, 'speak'>, language: string) =>
    async (text: string, name: string, signal: AbortSignal) =>
      await withKeptRefusal(join(steps, `refused-${name}.json`), () =>
        keep(name, { text, speak: () => engine.speak(text, { signal }) }, { listener, language, signal }),
      )
  if (service) {
    const engine = openSpeakingService(service)
    const { language } = speaker
    const { key: _, ...spoken } = service
    const speak = checked(engine, language)
    return {
      ...{ name: engine.name, concurrency: service.concurrency ?? 1 },
      speak: (text, { signal }) => speak(text, `line-${speechDigest([text, language, spoken])}`, signal),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    }
  }
  const { language, references } = await clonedReferences(speaker, context.signal)
  const [first] = references.values()
  if (!first) throw new TypeError('a cloned voice has no reference')
  const chosen = await selectVoiceCloner(language, context.scratch, first.language)
  const cloner = await chosen.open(context.signal)
  return {
    ...{ name: cloner.name, concurrency: configuredService('voice_service')?.concurrency ?? 1 },
    async speak(text, { speaker: number, signal }) {
      const reference = references.get(number) ?? first
      const utterance = { language, reference, speed: 1 }
      const engine = {
        speak: (line: string, options: { readonly signal: AbortSignal }) =>
          cloner.speak({ ...utterance, text: line }, options),
      }
      const name = `line-${speechDigest([text, cloner.name, language], reference)}`
      return await checked(engine, language)(text, name, signal)
    },
    [Symbol.asyncDispose]: () => cloner[Symbol.asyncDispose](),
  }
}

/** Runs work, or throws the error of an earlier attempt at it that was not retryable, which is kept in a file. */
async function withKeptRefusal<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept !== undefined) {
    const { code, message, hint } = JSON.parse(kept) as Pick<MediaError, 'code' | 'message' | 'hint'>
    throw new MediaError(code, message, { hint, retryable: false })
  }
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaError && !error.retryable) {
      const { code, message, hint } = error
      await writeDurably(path, JSON.stringify({ code, message, hint }))
    }
    throw error
  }
}

/** The references of cloned voices, by speaker, and the language that is spoken. */
async function clonedReferences(
  speaker: LineSpeaker,
  signal: AbortSignal,
): Promise<{ readonly language: string; readonly references: ReadonlyMap<number, VoiceReference> }> {
  if ('references' in speaker)
    return { language: spokenLanguage(speaker.language), references: speaker.references }
  const reference = await readVoiceRecording(speaker.voice, signal)
  return { language: speaker.language, references: new Map([[0, reference]]) }
}
