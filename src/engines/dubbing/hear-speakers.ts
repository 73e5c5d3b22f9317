import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../contract/bounded-json.ts'
import { MediaError } from '../../contract/errors.ts'
import type { DubbingLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { type SpeakerTurn, speechRate } from '../../media/speech/speech-types.ts'
import type { Transcript } from '../../media/speech/transcript.ts'
import { writeDurably } from '../../platform/durable.ts'
import { languageNotes } from '../cutting/footage-notes.ts'
import { hearingTimeoutMs, hearRecording } from '../cutting/hear-recording.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import { findPack, pullCommand } from '../packs/resolve.ts'
import { openDiarizer } from '../speech/diarization.ts'

export interface HearSpeakersOptions extends Pick<RunContext, 'signal' | 'steps' | 'progress'> {
  /** Spoken language. */
  readonly language: DubbingLanguage
}

/** What is said in a recording, and by whom. */
export interface HeardSpeakers {
  readonly transcript: Transcript
  /** Who speaks when; undefined if speakers are not distinguished. */
  readonly turns: readonly SpeakerTurn[] | undefined
  /** Name of the recogniser. */
  readonly recogniser: string
  /** Name of the diarizer; null if speakers are not distinguished. */
  readonly diarizer: string | null
  readonly notes: readonly string[]
}

/** Share of the progress taken by the recognition, percent. */
const recognitionPercent = 75

/**
 * Recognises a recording and finds its speakers. `file`: the recording, of which `path` may be its separated voice. What an
 * earlier attempt finished is not repeated. Throws 6401 without a recogniser; speakers that cannot be distinguished are one.
 */
export async function hearSpeakers(
  file: StagedFile,
  { language, signal, steps, progress }: HearSpeakersOptions,
): Promise<HeardSpeakers> {
  const { transcript, recogniser } = await hearRecording(
    file,
    { la: language },
    { signal, steps, progress: (percent) => progress((percent * recognitionPercent) / 100) },
  )
  const { notes, ...speakers } = await findSpeakers(file, {
    ...{ signal, steps },
    progress: (percent) => progress(recognitionPercent + (percent * (100 - recognitionPercent)) / 100),
  })
  return {
    ...{ transcript, recogniser },
    ...speakers,
    notes: [...languageNotes(transcript.words, { field: 'source_lang', language }), ...notes],
  }
}

type Speakers = Pick<HeardSpeakers, 'turns' | 'diarizer' | 'notes'>

/** Finished work of the diarizer. */
interface StoredSpeakers {
  readonly diarizer: string
  readonly turns: readonly SpeakerTurn[]
}

async function findSpeakers(
  file: StagedFile,
  context: Omit<HearSpeakersOptions, 'language'>,
): Promise<Speakers> {
  const { signal, steps, progress } = context
  const path = join(steps, 'speakers.json')
  const stored = parseJson(await readFile(path, 'utf8').catch(() => '')) as StoredSpeakers | undefined
  if (stored) return { ...stored, notes: [] }
  try {
    // Without it, a speaker is another one after each long pause.
    if ((await findPack('speaker-embedding')) === null)
      return oneSpeaker(
        `speaker-embedding is not installed; to distinguish them, run \`${pullCommand('speaker-embedding')}\``,
      )
    const found = await diarize(file, context)
    await writeDurably(path, JSON.stringify(found))
    progress(100)
    return { ...found, notes: [] }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    return oneSpeaker(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`)
  }
}

function oneSpeaker(reason: string): Speakers {
  return {
    ...{ turns: undefined, diarizer: null },
    notes: [`speakers are not distinguished, so that all lines have the same voice: ${reason}`],
  }
}

async function diarize(
  { path, facts }: StagedFile,
  { signal, progress }: Omit<HearSpeakersOptions, 'language'>,
): Promise<StoredSpeakers> {
  const seconds = (facts?.duration_ms ?? 0) / 1000
  await using diarizer = await openDiarizer(signal)
  async function* read() {
    let samples = 0
    for await (const chunk of decodeVoice(path, { signal, timeoutMs: hearingTimeoutMs(seconds) })) {
      yield chunk
      samples += chunk.length
      progress(Math.min(100, (100 * samples) / speechRate / seconds))
    }
  }
  return { diarizer: diarizer.name, turns: await diarizer.diarize(read(), { signal }) }
}
