import { readVoice } from '../src/engines/ffmpeg/sound.ts'
import { concatSamples } from '../src/media/audio/windows.ts'
import { resample } from '../src/media/audio/resample.ts'
import { speechRate, type TimedWord } from '../src/media/speech/speech-types.ts'
import type { Clip } from '../test/recordings/assemble.ts'
import type { Passage } from '../test/recordings/script.ts'
import type { SentenceTable, SpokenWord } from '../test/recordings/sentences.ts'
import { levelledVoice } from '../test/recordings/speak.ts'
import { record, vowel } from '../test/recordings/speech-sounds.ts'
import { join } from 'node:path'
import { alignWords } from './pocketsphinx.ts'

const austen = (part: string) => `librivox/sense_and_sensibility_01_austen_64kb-${part}.wav`

/** A phrase of a public recording: file, seconds, and what is said. */
type Phrase = readonly [file: string, from: number, to: number, text: string]

/**
 * Sentences of the recordings, divided where the speakers pause. The Kennedy recording is not among them: pocketsphinx
 * recognises none of its words.
 */
const sentences: readonly (readonly Phrase[])[] = [
  [
    [austen('0870'), 0, 3.45, 'And mister John Dashwood had then leisure to consider,'],
    [austen('0870'), 3.45, 7.1, 'how much there might be prudently in his power to do for them.'],
  ],
  [[austen('0880'), 0, 2.99, 'He was not an ill disposed young man.']],
  [
    [austen('0890'), 0, 3.6, 'Unless to be rather cold hearted and rather selfish,'],
    [austen('0890'), 3.6, 5.3, 'is to be ill disposed.'],
  ],
  [['librispeech-1995-1837-0001.wav', 0, 2.55, 'It was the first great sorrow of his life.']],
  [
    [
      'librispeech-1995-1837-0001.wav',
      2.55,
      6.4,
      'It was not so much the loss of the cotton itself but the fantasy,',
    ],
    ['librispeech-1995-1837-0001.wav', 6.4, 8.73, 'the hopes the dreams built around it.'],
  ],
]

/** Words and sound of the sentences. */
export interface RealSpeech {
  readonly table: Pick<SentenceTable, 'sentences' | 'filler' | 'space'>
  clipOf(passage: Passage): Promise<Clip>
}

/** A word in the sound of its phrase. */
interface PlacedWord extends TimedWord {
  readonly sound: Float32Array
}

/** Speed of successive attempts, so that no take has the samples of another one. */
const speeds = [1, 1.03, 0.97]

/** Loads the sentences from a folder of public speech, with the times of their words by forced alignment. */
export async function loadRealSpeech(folder: string): Promise<RealSpeech> {
  const words: PlacedWord[] = []
  const signal = new AbortController().signal
  const read: SpokenWord[][] = []
  for (const phrases of sentences) {
    const sentence: SpokenWord[] = []
    for (const [file, from, to, text] of phrases) {
      const whole = await readVoice(join(folder, file), { signal, timeoutMs: 60_000 })
      const sound = levelledVoice(whole.slice(Math.round(from * speechRate), Math.round(to * speechRate)))
      const tokens = text.split(' ').map((token) => {
        const [, word = '', mark = ''] = /^(.*?)([,.]?)$/.exec(token) ?? []
        return { word, mark }
      })
      const times = await alignWords(
        sound,
        tokens.map(({ word }) => word.toLowerCase()),
      )
      for (const [index, { word, mark }] of tokens.entries()) {
        const time = times[index]
        if (!time) continue
        sentence.push({ text: word, spoken: String(words.length), mark })
        words.push({ ...time, sound })
      }
    }
    read.push(sentence)
  }
  return {
    table: { sentences: read, filler: 'uhm', space: ' ' },
    clipOf: (passage) => Promise.resolve(clipOf(passage, words)),
  }
}

/** Cuts the words of a passage out of their recordings: words that follow each other there are one piece. */
function clipOf({ kind, words, attempt }: Passage, placed: readonly PlacedWord[]): Clip {
  if (kind === 'filler') {
    const { samples } = record([vowel(0.35, -22)], { room: -200 })
    return { samples, weights: [1] }
  }
  const indexes = words.map(({ spoken }) => Number(spoken))
  const pieces: Float32Array[] = []
  const weights: number[] = []
  for (let at = 0; at < indexes.length;) {
    const first = indexes[at] ?? 0
    const sound = placed[first]?.sound
    let count = 1
    while (indexes[at + count] === first + count && placed[first + count]?.sound === sound) count += 1
    const run = placed.slice(first, first + count)
    const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0]
    const piece = sound?.subarray(Math.round(start * speechRate), Math.round(end * speechRate))
    pieces.push(faded(piece ?? new Float32Array(0)))
    weights.push(...run.map((word, index) => (run[index + 1]?.start ?? end) - word.start))
    at += count
  }
  const rate = speechRate * (speeds[attempt % speeds.length] ?? 1)
  return { samples: levelledVoice(resample({ samples: concatSamples(pieces), rate }, speechRate)), weights }
}

/** Fades both ends over 4 ms, so that cuts within words make no clicks. */
function faded(samples: Float32Array): Float32Array {
  const length = 64
  return samples.map(
    (sample, at) => sample * Math.min(1, (at + 1) / length) * Math.min(1, (samples.length - at) / length),
  )
}
