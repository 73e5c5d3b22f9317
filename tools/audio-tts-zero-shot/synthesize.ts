import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recogniser, VoiceCloner, VoiceReference } from '../../src/engines/speech/speech-engines.ts'
import { compareTranscripts } from '../../src/media/speech/transcript-similarity.ts'
import { resample } from '../../src/engines/ffmpeg/resample.ts'
import { speechRate, type MonoAudio } from '../../src/media/speech/speech-types.ts'
import { writeDurably } from '../../src/platform/durable.ts'
import { undefinedUnlessAborted } from './engines.ts'

/** How often a sentence is spoken at most, where words are lost. */
const maxAttempts = 3

/** A sentence is spoken well enough when this share of its words is heard, and no more in a row are lost. */
const acceptedSpeech = { heard: 0.75, lost: 2 }

/** A spoken sentence. */
export interface SpokenSentence extends MonoAudio {
  readonly text: string
  /** The share of its words that is not heard in it, where that is too much after all attempts. */
  readonly lost?: number
}

interface SpeakSentenceEngines {
  readonly cloner: VoiceCloner
  /** Hears what was spoken; left out, the first attempt counts. */
  readonly listener?: Recogniser | undefined
}

interface SpeakSentencesOptions {
  readonly language: string
  readonly reference: VoiceReference
  readonly speed: number
  readonly signal: AbortSignal
  /** Keeps what is spoken for a next attempt at the task. */
  readonly steps: string
}

/** Speaks sentences one after another; one that lost words is spoken again, and the best attempt counts. */
export async function* speakSentences(
  sentences: readonly string[],
  speakers: SpeakSentenceEngines,
  wish: SpeakSentencesOptions,
): AsyncGenerator<SpokenSentence> {
  const kept = await readdir(wish.steps)
  for (const [index, text] of sentences.entries()) {
    const made = `sentence-${index}-${sentenceDigest(text, speakers.cloner, wish)}`
    const before = kept.find((name) => name.startsWith(`${made}-`) && name.endsWith('.f32'))
    if (before !== undefined) {
      yield { text, ...(await readStoredSentence(join(wish.steps, before))) }
      continue
    }
    const spoken = await speakSentence(text, speakers, wish)
    const lost = Math.round(100 * (spoken.lost ?? 0))
    await writeDurably(join(wish.steps, `${made}-${spoken.rate}-${lost}.f32`), sampleBytes(spoken.samples))
    yield spoken
  }
}

/** Names what a sentence is made of: the next attempt may have another voice, or another part of the recording. */
function sentenceDigest(
  text: string,
  { name }: VoiceCloner,
  { language, reference, speed }: SpeakSentencesOptions,
): string {
  const { samples, ...told } = reference
  const digest = createHash('sha256').update(JSON.stringify([text, name, language, speed, told]))
  return digest.update(sampleBytes(samples)).digest('hex').slice(0, 16)
}

function sampleBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

async function speakSentence(
  text: string,
  { cloner, listener }: SpeakSentenceEngines,
  wish: SpeakSentencesOptions,
): Promise<SpokenSentence> {
  const { language, reference, speed, signal } = wish
  let best: { spoken: MonoAudio; heard: number } | undefined
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const spoken = await cloner.speak({ text, language, reference, speed }, { signal })
    const wanted = removeNumbers(text)
    if (!listener || wanted === '') return { text, ...spoken }
    const sound = await resample(spoken, speechRate, { signal })
    if (sound.length / speechRate > listener.longest) return { text, ...spoken }
    const understood = await listener
      .recognise(sound, { language, signal })
      .catch(undefinedUnlessAborted(signal))
    if (!understood) return { text, ...spoken }
    const { recall: heard, longestGap: longestLost } = compareTranscripts(wanted, understood.text)
    if (heard >= acceptedSpeech.heard && longestLost <= acceptedSpeech.lost) return { text, ...spoken }
    if (!best || heard > best.heard) best = { spoken, heard }
  }
  if (!best) throw new TypeError('a sentence is spoken at least once')
  return { text, ...best.spoken, lost: 1 - best.heard }
}

/** Numbers are said in words and understood in digits, or the other way round: they tell nothing. */
function removeNumbers(text: string): string {
  return text.replaceAll(/\p{sc=Latin}*\p{N}[\p{N}\p{sc=Latin}.,:%]*/gu, ' ').trim()
}

async function readStoredSentence(path: string): Promise<MonoAudio & Pick<SpokenSentence, 'lost'>> {
  const [, rate = '', lost = '0'] = /-(\d+)-(\d+)\.f32$/.exec(path) ?? []
  const { buffer, byteOffset, byteLength } = await readFile(path)
  const samples = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return { samples, rate: Number(rate), ...(lost !== '0' && { lost: Number(lost) / 100 }) }
}
