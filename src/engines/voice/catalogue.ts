import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { summarizeList } from '../../contract/format.ts'
import { requireLanguage, spokenLanguage, voiceRequestLanguages } from '../../contract/languages.ts'
import { referenceBounds } from '../../media/speech/voice-reference.ts'
import { readVoice } from '../ffmpeg/sound.ts'
import { configuredVoices } from '../services/configured.ts'
import { type CatalogueVoice, serviceName } from '../services/services.ts'
import { selectVoiceCloner } from '../speech/select-engine.ts'
import type { VoiceReference } from '../speech/speech-engines.ts'
import { normalizeLevel, referenceRate } from './reference-audio.ts'

/** Most voices that an error lists. */
const maxListed = 20

/** A voice of the catalogue, and the language that it speaks. */
export interface VoiceInLanguage {
  readonly voice: CatalogueVoice
  /** One of the languages of the voice. */
  readonly language: string
}

/**
 * Returns a voice and the language that it speaks for a request; zh-CHS and zh-CHT are zh-CN unless the voice has them.
 * Throws 6016 for an unknown voice, with those of the language, and 6017 for a language that the voice does not have.
 */
export function requireVoiceInLanguage(id: string, language: string): VoiceInLanguage {
  const voices = configuredVoices()
  const voice = voices.find(({ voice_id }) => voice_id === id)
  const spoken = spokenCode(language)
  if (!voice) {
    const fitting = voices.filter(
      ({ languages }) => languages.includes(language) || languages.includes(spoken),
    )
    throw new MediaError(6016, `speaker: there is no voice ${JSON.stringify(id.slice(0, 64))}`, {
      hint: unknownVoiceFix(language, { voices, fitting }),
    })
  }
  const { languages: supported } = voice
  const isExact = supported.includes(language) || !supported.includes(spoken)
  const by = `the voice ${id}`
  return {
    voice,
    language: requireLanguage(isExact ? language : spoken, { field: 'target_lang', supported, by }),
  }
}

/** The fix for an unknown voice: clone, if it speaks the language, the voices that do, or the setting of the operator. */
function unknownVoiceFix(
  language: string,
  { voices, fitting }: Readonly<Record<'voices' | 'fitting', readonly CatalogueVoice[]>>,
): string {
  const isCloned = voiceRequestLanguages.some((code) => code === language)
  if (fitting.length > 0)
    return `Use ${isCloned ? 'clone, or ' : ''}a voice for ${language}: ${listVoices(fitting)}.`
  const others = voices.length > 0 ? `; there are ${listVoices(voices)}` : ''
  if (isCloned)
    return `Use clone. No voice is set for ${language}${others}. GET /base/voices lists the voices of the setting "voices".`
  return `Clone does not speak ${language}, and no voice is set for it${others}. The operator must add one to the setting "voices" (docs/engines.md, "Voices for dubbing").`
}

/** Language that is spoken for a code; the scripts of Chinese are zh-CN. */
function spokenCode(language: string): string {
  const known = voiceRequestLanguages.find((code) => code === language)
  return known === undefined ? language : spokenLanguage(known)
}

function listVoices(voices: readonly CatalogueVoice[]): string {
  const named = voices.map(({ voice_id, languages }) => `${voice_id} (${languages.join(', ')})`)
  return summarizeList(named, maxListed, ', ')
}

/**
 * Checks that a voice can speak a language: by its service, or by an engine that clones its recording. Returns the name
 * of the engine. Throws 6401.
 */
export async function requireVoiceEngine({ voice, language }: VoiceInLanguage): Promise<string> {
  const { service, recording } = voice
  if (service) return serviceName(service)
  if (!recording) throw new TypeError('a voice has a service or a recording')
  const { name } = await selectVoiceCloner(language, '', recording.language)
  await readVoiceRecording(voice, neverAborted)
  return name
}

/** The timeout of the decoder ends a check. */
const { signal: neverAborted } = new AbortController()

/** Timeout of decoding a recording, ms: it has a few seconds. */
const decodingMs = 60_000

/** Reads the recording of a voice: 3 to 10 s, at the level of references. Throws 6401 if it is not usable. */
export async function readVoiceRecording(
  voice: CatalogueVoice,
  signal: AbortSignal,
): Promise<VoiceReference> {
  const { recording } = voice
  if (!recording) throw new TypeError('the voice has no recording')
  const { path, text, language } = recording
  if (!existsSync(path)) throw recordingError(voice, `is missing: there is no file ${basename(path)}`)
  const { shortest, longest } = referenceBounds
  const options = { signal, timeoutMs: decodingMs, rate: referenceRate, seconds: longest + 1 }
  const samples = await readVoice(path, options).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    throw recordingError(voice, 'cannot be decoded', error)
  })
  const seconds = samples.length / referenceRate
  if (seconds < shortest || seconds > longest) {
    const length = seconds > longest ? `more than ${longest} s` : `less than ${shortest} s`
    throw recordingError(voice, `lasts ${length}, not ${shortest} to ${longest} s`)
  }
  return { samples: normalizeLevel(samples, referenceRate).samples, rate: referenceRate, text, language }
}

/** The error for a recording that cannot be used. It contains no folder, as remote callers see it. */
function recordingError({ voice_id }: CatalogueVoice, what: string, cause?: unknown): MediaError {
  const { shortest, longest } = referenceBounds
  return new MediaError(6401, `the recording of the voice ${voice_id} ${what}`, {
    cause,
    retryable: false,
    hint: `Correct "recording" of this voice in the setting "voices": ${shortest} to ${longest} s of clear speech, with its transcript.`,
  })
}
