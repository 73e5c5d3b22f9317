import { MediaError } from '../../contract/errors.ts'
import { spokenLanguage, type VoiceRequestLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { speechOfSpeaker } from '../../media/speech/voice-reference.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import {
  prepareReference,
  type PreparedReference,
  type PrepareReferenceOptions,
} from '../voice/prepare-reference.ts'
import type { AnalyzedRecording } from '../voice/reference-audio.ts'

/** The references of the speakers of a recording. */
export interface SpeakerReferences {
  /** By number of the speaker, who speaks most first; speakers without a usable reference are absent. */
  readonly prepared: ReadonlyMap<number, PreparedReference>
  readonly notes: readonly string[]
}

interface PrepareSpeakerReferencesOptions
  extends Pick<PrepareReferenceOptions, 'recogniser' | 'separate' | 'signal'>, Pick<RunContext, 'steps'> {
  /** Speech and speakers of the recording. */
  readonly activity: AnalyzedRecording
  /**
   * Numbers of the speakers in the turns, who speaks most first; undefined if their numbers mean nothing. Then there is one
   * reference, of speaker 0.
   */
  readonly speakers: readonly number[] | undefined
  /** Language of the recording. */
  readonly language: VoiceRequestLanguage
}

/**
 * Selects a reference for each speaker of a recording, from speech in which nobody else speaks. References are kept for
 * the next attempt at the task. Throws 6016 with the rule that the speech of the main speaker does not meet if nobody has
 * a usable reference.
 */
export async function prepareSpeakerReferences(
  file: StagedFile,
  { activity, speakers, language, steps, ...options }: PrepareSpeakerReferencesOptions,
): Promise<SpeakerReferences> {
  const prepared = new Map<number, PreparedReference>()
  const missing: { readonly speaker: number; readonly error: MediaError }[] = []
  for (const speaker of speakers ?? [0]) {
    const own = { ...(speakers ? speechOfSpeaker(activity, speaker) : activity), notes: [] }
    try {
      const request = { text_lang: language }
      const reference = await keptReference([file.blake3, own, spokenLanguage(language)], steps, () =>
        prepareReference(file, request, { ...options, activity: own, field: 'file_id' }),
      )
      prepared.set(speaker, reference)
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof MediaError) || error.code !== 6016) throw error
      missing.push({ speaker, error })
    }
  }
  const [first] = missing
  if (first && prepared.size === 0) throw first.error
  return { prepared, notes: missing.length > 0 ? [otherVoiceNote(missing.length, prepared.size)] : [] }
}

function otherVoiceNote(missing: number, found: number): string {
  return (
    `the voices of ${missing} of ${missing + found} speakers cannot be cloned from the recording: ` +
    'the voice of the main speaker speaks their lines'
  )
}

/** Returns the reference that an earlier attempt prepared of the same inputs, or prepares and keeps it. */
export async function keptReference(
  inputs: readonly unknown[],
  steps: string,
  prepare: () => Promise<PreparedReference>,
): Promise<PreparedReference> {
  const cache = await openStepCache(steps)
  return parseReference(await cache.text('reference', inputs, async () => referenceText(await prepare())))
}

/** A reference as JSON, with its samples (32-bit floats) in base64. */
function referenceText({ reference, ...rest }: PreparedReference): string {
  const { samples, ...described } = reference
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return JSON.stringify({ ...rest, reference: { ...described, samples: bytes.toString('base64') } })
}

function parseReference(text: string): PreparedReference {
  const { reference, ...rest } = JSON.parse(text) as PreparedReference & {
    readonly reference: { readonly samples: unknown }
  }
  const bytes = Uint8Array.from(Buffer.from(String(reference.samples), 'base64'))
  return { ...rest, reference: { ...reference, samples: new Float32Array(bytes.buffer) } }
}
