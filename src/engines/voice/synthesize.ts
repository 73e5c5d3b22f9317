import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recogniser, VoiceCloner, VoiceReference } from '../speech/speech-engines.ts'
import { SilentSpeechError } from '../speech/voice-service.ts'
import { compareTranscripts } from '../../media/speech/transcript-similarity.ts'
import { resample } from '../../media/audio/resample.ts'
import { speechRate, type MonoAudio } from '../../media/speech/speech-types.ts'
import { keyedMutex } from '../../platform/concurrency.ts'
import { writeDurably } from '../../platform/durable.ts'
import { undefinedUnlessAborted } from './engines.ts'

/** Attempts per sentence if words are lost. */
const maxAttempts = 3

/** A sentence is accepted from this share of recognised words, with at most `maxGap` lost words in a row. */
const acceptedSpeech = { minRecall: 0.75, maxGap: 2 }

/** It is accepted up to this share of recognised words that are not its own, as where it is spoken twice, or up to this number in a row. */
const acceptedAdditions = { maxShare: 0.4, maxGap: 2 }

/** A synthesized sentence. */
export interface SpokenSentence extends MonoAudio {
  readonly text: string
  /** Share of its words that were lost after all attempts; absent if accepted. */
  readonly lostShare?: number
  /** Share of the recognised words that are not its own after all attempts; absent if accepted. */
  readonly addedShare?: number
}

/** The sound of a sentence with the result of its check. */
type SpokenSound = Omit<SpokenSentence, 'text'>

interface SpeakSentenceEngines {
  readonly cloner: VoiceCloner
  /** Recognises the speech; without it the first attempt that is not silent is accepted. */
  readonly listener?: Recogniser | undefined
}

interface SpeakSentencesOptions {
  readonly language: string
  readonly reference: VoiceReference
  readonly speed: number
  readonly signal: AbortSignal
  /** Folder that keeps sentences for the next attempt at the task. */
  readonly steps: string
}

/** Synthesizes sentences in order. A sentence with lost words is repeated; the best attempt is used. */
export async function* speakSentences(
  sentences: readonly string[],
  { cloner, listener }: SpeakSentenceEngines,
  options: SpeakSentencesOptions,
): AsyncGenerator<SpokenSentence> {
  const { language, reference, speed, signal } = options
  const keep = await openKeptSpeech(options.steps)
  for (const [index, text] of sentences.entries()) {
    yield await keep(
      `sentence-${index}-${speechDigest([text, cloner.name, language, speed], reference)}`,
      { text, speak: () => cloner.speak({ text, language, reference, speed }, { signal }) },
      { listener, language, signal },
    )
  }
}

/** A sentence, and what speaks it. */
interface SpeakableSentence {
  readonly text: string
  speak(): Promise<MonoAudio>
}

interface CheckSpeechOptions extends Pick<SpeakSentenceEngines, 'listener'> {
  readonly language: string
  readonly signal: AbortSignal
}

/** Returns the kept sentence of a name, or speaks, checks and keeps it. */
type KeepSpeech = (
  name: string,
  sentence: SpeakableSentence,
  options: CheckSpeechOptions,
) => Promise<SpokenSentence>

/** End of the name of a kept sentence: its rate, and its lost and added shares, percent. */
const keptNumbers = /-(\d+)-(\d+)-(\d+)\.f32$/

/**
 * Opens the sentences that earlier attempts at a task kept in a folder, by name. Speech is kept before its check too, so
 * that only silence is spoken twice.
 */
export async function openKeptSpeech(steps: string): Promise<KeepSpeech> {
  const kept = await readdir(steps)
  const readOrWrite = async (prefix: string, speak: () => Promise<SpokenSound>): Promise<SpokenSound> => {
    const stored = kept.find((file) => file.startsWith(`${prefix}-`) && keptNumbers.test(file))
    if (stored !== undefined) return await readStoredSentence(join(steps, stored))
    const spoken = await speak()
    const shares = [spoken.lostShare ?? 0, spoken.addedShare ?? 0].map((share) => Math.round(100 * share))
    const file = `${prefix}-${spoken.rate}-${shares.join('-')}.f32`
    await writeDurably(join(steps, file), sampleBytes(spoken.samples))
    kept.push(file)
    return spoken
  }
  // Equal sentences are spoken once.
  const inTurn = keyedMutex()
  const keep: KeepSpeech = async (name, { text, speak }, options) => {
    const trial = (attempt: number) => readOrWrite(`trial-${attempt}-${name}`, speak)
    const spoken = await readOrWrite(name, () => speakChecked({ text, speak: trial }, options))
    const trials = kept.filter((file) => file.startsWith('trial-') && file.includes(`-${name}-`))
    for (const file of trials) {
      kept.splice(kept.indexOf(file), 1)
      await rm(join(steps, file), { force: true })
    }
    return { ...spoken, text }
  }
  return (name, ...sentence) => inTurn(name, () => keep(name, ...sentence))
}

/** Digest of the inputs of a sentence: the next attempt may use another engine or reference. */
export function speechDigest(inputs: readonly unknown[], reference?: VoiceReference): string {
  const { samples, ...described } = reference ?? {}
  const digest = createHash('sha256').update(JSON.stringify([...inputs, described]))
  if (samples) digest.update(sampleBytes(samples))
  return digest.digest('hex').slice(0, 16)
}

function sampleBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/**
 * Speaks a sentence, up to three times while its words, and no others, are not recognised. Returns the best attempt. Throws
 * SilentSpeechError if all are silent.
 */
async function speakChecked(
  { text, speak }: { readonly text: string; speak(attempt: number): Promise<MonoAudio> },
  { listener, language, signal }: CheckSpeechOptions,
): Promise<SpokenSentence> {
  let best: { readonly spoken: MonoAudio; readonly check: SpeechCheck } | undefined
  let silence: SilentSpeechError | undefined
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const spoken = await speak(attempt).catch((error: unknown) => {
      if (!(error instanceof SilentSpeechError)) throw error
      silence = error
    })
    if (!spoken) continue
    if (!listener || removeNumbers(text) === '') return { text, ...spoken }
    const sound = resample(spoken, speechRate)
    if (sound.length / speechRate > listener.maxSeconds) return { text, ...spoken }
    const understood = await listener
      .recognise(sound, { language, signal })
      .catch(undefinedUnlessAborted(signal))
    if (!understood) return { text, ...spoken }
    const check = checkSpeech(text, understood.text)
    if (check.lost === undefined && check.added === undefined) return { text, ...spoken }
    if (!best || check.score > best.check.score) best = { spoken, check }
  }
  if (!best) throw silence ?? new TypeError('a sentence is synthesized at least once')
  const { lost, added } = best.check
  return {
    ...{ text, ...best.spoken },
    ...(lost !== undefined && { lostShare: lost }),
    ...(added !== undefined && { addedShare: added }),
  }
}

/** Result of the check of a sentence. */
interface SpeechCheck {
  /** Share of its words, or of the recognised ones, that agree: the lower one. */
  readonly score: number
  /** Shares of words that are lost, and of words that are not its own; undefined if accepted. */
  readonly lost: number | undefined
  readonly added: number | undefined
}

function checkSpeech(text: string, understood: string): SpeechCheck {
  const wanted = removeNumbers(text)
  const { recall, longestGap } = compareTranscripts(wanted, understood)
  // What is recognised of a number is not known.
  const heard = wanted === text.trim() ? compareTranscripts(understood, text) : { recall: 1, longestGap: 0 }
  const isComplete = recall >= acceptedSpeech.minRecall && longestGap <= acceptedSpeech.maxGap
  const { maxShare, maxGap } = acceptedAdditions
  const isOwn = 1 - heard.recall <= maxShare || heard.longestGap <= maxGap
  return {
    score: Math.min(recall, heard.recall),
    lost: isComplete ? undefined : 1 - recall,
    added: isOwn ? undefined : 1 - heard.recall,
  }
}

/** Removes numbers, which are spoken as words but recognised as digits, or vice versa. */
function removeNumbers(text: string): string {
  return text.replaceAll(/\p{sc=Latin}*\p{N}[\p{N}\p{sc=Latin}.,:%]*/gu, ' ').trim()
}

async function readStoredSentence(path: string): Promise<SpokenSound> {
  const [rate = 0, lost = 0, added = 0] = keptNumbers.exec(path)?.slice(1).map(Number) ?? []
  const { buffer, byteOffset, byteLength } = await readFile(path)
  const samples = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return {
    ...{ samples, rate },
    ...(lost > 0 && { lostShare: lost / 100 }),
    ...(added > 0 && { addedShare: added / 100 }),
  }
}
