import { spokenLanguage, type VoiceRequestLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { DubLine } from '../../media/dubbing/dub-lines.ts'
import type { SpeakerTurn } from '../../media/speech/speech-types.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { selectRecogniser } from '../speech/select-engine.ts'
import type { Recogniser } from '../speech/speech-engines.ts'
import type { VoiceInLanguage } from '../voice/catalogue.ts'
import { openListener, referenceSeparator } from '../voice/engines.ts'
import { prepareReference, type PreparedReference } from '../voice/prepare-reference.ts'
import { type AnalyzedRecording, analyzeRecording } from '../voice/reference-audio.ts'
import { type LineSpeaker, type LineVoice, openLineVoice } from './line-voice.ts'
import { keptReference, prepareSpeakerReferences } from './speaker-references.ts'

/** The recording that is dubbed, as far as voices are cloned from it. */
export interface SpokenSource {
  /** The file, of which `path` may be its separated voice. */
  readonly file: StagedFile
  readonly isSeparated: boolean
  readonly lines: readonly DubLine[]
  /** Undefined if speakers are not distinguished. */
  readonly turns: readonly SpeakerTurn[] | undefined
}

/** The voices to clone. */
export interface ClonedVoices {
  readonly language: VoiceRequestLanguage
  /** Recording of the voice of all lines. Default: each speaker has a voice of the source. */
  readonly reference?: StagedFile | undefined
  readonly referenceLanguage: VoiceRequestLanguage
}

/** A voice that is ready to be opened. */
export interface PreparedVoice {
  readonly speaker: LineSpeaker
  /** What is cloned, by number of the speaker, the main speaker first; empty for a voice of the catalogue. */
  readonly references: ReadonlyMap<number, PreparedReference>
  readonly notes: readonly string[]
}

interface PreparedReferences {
  readonly prepared: ReadonlyMap<number, PreparedReference>
  readonly notes: readonly string[]
}

type VoiceContext = Pick<RunContext, 'scratch' | 'steps' | 'signal'>

/**
 * Prepares the voice of a dub: selects the references to clone. Throws 6016 without speech from which a voice can be
 * cloned, 6401 without a recogniser for it.
 */
export async function prepareDubVoice(
  chosen: VoiceInLanguage | ClonedVoices,
  source: SpokenSource,
  context: VoiceContext,
): Promise<PreparedVoice> {
  if ('voice' in chosen) return { speaker: chosen, references: new Map(), notes: [] }
  const { prepared, notes } = await prepareReferences(chosen, source, context)
  const references = new Map([...prepared].map(([speaker, { reference }]) => [speaker, reference]))
  return { speaker: { language: chosen.language, references }, references: prepared, notes }
}

/** Opens a prepared voice. Throws 6401 without its engine. */
export async function openDubVoice(
  { speaker }: Pick<PreparedVoice, 'speaker'>,
  context: VoiceContext,
): Promise<LineVoice> {
  await using opened = new AsyncDisposableStack()
  const listener = await openListener(speaker.language, context.signal)
  if (listener) opened.use(listener)
  const voice = opened.use(await openLineVoice(speaker, { ...context, listener }))
  const kept = opened.move()
  return { ...voice, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function prepareReferences(
  { reference, referenceLanguage: language }: ClonedVoices,
  source: SpokenSource,
  context: VoiceContext,
): Promise<PreparedReferences> {
  const { signal, steps, scratch } = context
  await using recogniser = await (await selectRecogniser(spokenLanguage(language))).open(signal)
  if (!reference) return await prepareSourceReferences(source, { ...context, recogniser, language })
  const options = { recogniser, signal, separate: referenceSeparator(scratch) }
  const prepared = await keptReference([reference.blake3, spokenLanguage(language)], steps, () =>
    prepareReference(reference, { text_lang: language }, options),
  )
  const [main = 0] = speakersBySpeech(source.lines)
  return { prepared: new Map([[main, prepared]]), notes: prepared.notes }
}

async function prepareSourceReferences(
  { file, isSeparated, lines, turns }: SpokenSource,
  {
    scratch,
    steps,
    signal,
    ...options
  }: VoiceContext & { readonly recogniser: Recogniser; readonly language: VoiceRequestLanguage },
): Promise<PreparedReferences> {
  const cache = await openStepCache(steps)
  const activity = await cache.text('activity', [file.blake3, isSeparated, turns], async () =>
    JSON.stringify(await analyzeRecording(file, signal, turns)),
  )
  const { prepared, notes } = await prepareSpeakerReferences(file, {
    ...{ ...options, steps, signal },
    activity: JSON.parse(activity) as AnalyzedRecording,
    speakers: turns && speakersBySpeech(lines),
    separate: isSeparated ? undefined : referenceSeparator(scratch),
  })
  return { prepared, notes: [...notes, ...[...prepared.values()].flatMap((one) => one.notes)] }
}

/** Speakers by the duration of their lines, longest first. */
function speakersBySpeech(lines: readonly DubLine[]): number[] {
  const seconds = new Map<number, number>()
  for (const { speaker, start, end } of lines) seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start)
  return [...seconds].toSorted(([, one], [, other]) => other - one).map(([speaker]) => speaker)
}
