import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { spokenLanguage, type VoiceRequestLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { speechOfSpeaker } from '../../media/speech/voice-reference.ts'
import type { SpeakerTurn } from '../../media/speech/speech-types.ts'
import { writeDurably } from '../../platform/durable.ts'
import type { SpeechEngines } from '../voice/engines.ts'
import { prepareReference, type PreparedReference } from '../voice/prepare-reference.ts'
import type { AnalyzedRecording } from '../voice/reference-audio.ts'

/** The references of the speakers of a recording. */
export interface SpeakerReferences {
  /** By number of the speaker, who speaks most first; speakers without a usable reference are absent. */
  readonly prepared: ReadonlyMap<number, PreparedReference>
  readonly notes: readonly string[]
}

interface PrepareSpeakerReferencesOptions
  extends Pick<SpeechEngines, 'recogniser' | 'separate'>, Pick<RunContext, 'signal' | 'steps'> {
  /** Speech and speakers of the recording. */
  readonly activity: AnalyzedRecording
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
  { activity, language, steps, ...options }: PrepareSpeakerReferencesOptions,
): Promise<SpeakerReferences> {
  const prepared = new Map<number, PreparedReference>()
  const missing: { readonly speaker: number; readonly error: MediaError }[] = []
  for (const speaker of speakersBySpeech(activity.turns)) {
    const own = { ...speechOfSpeaker(activity, speaker), notes: [] }
    const path = join(steps, `reference-${referenceDigest(file, own, language)}.json`)
    try {
      const reference =
        (await readStored(path)) ??
        (await prepareReference(
          file,
          { text_lang: language },
          { ...options, activity: own, field: 'file_id' },
        ))
      await writeDurably(path, storedText(reference))
      prepared.set(speaker, reference)
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof MediaError) || error.code !== 6016) throw error
      missing.push({ speaker, error })
    }
  }
  const [first] = missing
  if (prepared.size === 0) throw first?.error ?? noSpeechError(file)
  const [main = 0] = prepared.keys()
  return { prepared, notes: missing.map(({ speaker }) => otherVoiceNote(speaker, main)) }
}

/** Speakers by the duration of their turns, longest first. */
function speakersBySpeech(turns: readonly SpeakerTurn[]): number[] {
  const seconds = new Map<number, number>()
  for (const { speaker, start, end } of turns) seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start)
  return [...seconds].toSorted(([, one], [, other]) => other - one).map(([speaker]) => speaker)
}

function otherVoiceNote(speaker: number, main: number): string {
  return `the voice of speaker ${speaker + 1} cannot be cloned from the recording: that of speaker ${main + 1} speaks instead`
}

function noSpeechError({ name }: StagedFile): MediaError {
  return new MediaError(6016, `file_id: ${name} contains no speech of which the voice can be cloned`, {
    hint: 'Give ref_file_id, a recording of the voice, with ref_lang.',
  })
}

function referenceDigest(
  { blake3 }: StagedFile,
  { speech }: AnalyzedRecording,
  language: VoiceRequestLanguage,
): string {
  const inputs = JSON.stringify([blake3, speech, spokenLanguage(language)])
  return createHash('sha256').update(inputs).digest('hex').slice(0, 16)
}

/** A reference as JSON, with its samples (32-bit floats) in base64. */
function storedText({ reference, ...rest }: PreparedReference): string {
  const { samples, ...described } = reference
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return JSON.stringify({ ...rest, reference: { ...described, samples: bytes.toString('base64') } })
}

/** Reads a reference that an earlier attempt wrote; undefined if there is none. */
async function readStored(path: string): Promise<PreparedReference | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { reference, ...rest } = JSON.parse(text) as PreparedReference & {
    readonly reference: { readonly samples: unknown }
  }
  const bytes = Uint8Array.from(Buffer.from(String(reference.samples), 'base64'))
  return { ...rest, reference: { ...reference, samples: new Float32Array(bytes.buffer) } }
}
