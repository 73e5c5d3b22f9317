import type { BreakClass } from '../../src/media/cut/pauses.ts'
import { noise } from './speech-sounds.ts'
import { sentenceTables, type RecordingLanguage, type SentenceTable, type SpokenWord } from './sentences.ts'

/** What a speaker does in one go. All but `speech` and `hesitation` is to be cut. */
export type PassageKind = 'speech' | 'retake' | 'misread' | 'restart' | 'filler'

/** Sound in a pause. */
export interface PauseSound {
  readonly kind: 'breath' | 'click'
  /** From the start of the pause, seconds. */
  readonly at: number
  /** Seconds; 0 for a click. */
  readonly seconds: number
  /** dBFS: RMS of a breath, peak of a click. */
  readonly level: number
}

/** A passage that is spoken without a pause, and the pause after it. */
export interface Passage {
  readonly kind: PassageKind
  readonly words: readonly SpokenWord[]
  /** Position of its first word in the script, for all but fillers. */
  readonly scriptWord: number
  /** Number of the attempt at the sentence, which changes the voice a little. */
  readonly attempt: number
  /** Class of the punctuation after it; null within a phrase. */
  readonly breakAfter: BreakClass | null
  /** Pause after it, seconds. */
  readonly pause: number
  readonly sounds: readonly PauseSound[]
}

/** A script, and how a speaker reads it. */
export interface SpokenScript {
  readonly language: RecordingLanguage
  /** Text of the script with punctuation and line breaks. */
  readonly text: string
  /** In the order of the recording. */
  readonly passages: readonly Passage[]
}

export interface ScriptOptions {
  readonly language: RecordingLanguage
  readonly seed?: number
  /** Number of sentences, at most 12. */
  readonly sentences?: number
  /** Whether the speaker makes mistakes: retakes, restarts, misread sentences, fillers, breaths and clicks. */
  readonly mistakes?: boolean
  /** Number of sentences whose good take is at the end of the recording. */
  readonly pickups?: number
  /** Sentences and filler; default: those of the language. */
  readonly table?: Pick<SentenceTable, 'sentences' | 'filler' | 'space'>
}

/** Class of each punctuation mark of the sentences. */
const classOfMark: Readonly<Record<string, BreakClass>> = {
  ...{ '，': ',', ',': ',', '、': '、', ';': ';', '；': ';', ':': ':', '：': ':' },
  ...{ '。': '。', '.': '。', '！': '!', '!': '!', '？': '?', '?': '?' },
}

/** Shares of sentences with a mistake, of phrases with a filler or a hesitation, and of pauses with a breath or click. */
const shares = { mistake: 0.45, filler: 0.15, hesitation: 0.3, breath: 0.4, click: 0.15 } as const

/** Sentences of a paragraph. */
const paragraphLength = 4

/** Random choices, the same for each seed. */
class Dice {
  readonly #random: () => number
  constructor(seed: number) {
    this.#random = noise(seed)
  }

  between(from: number, to: number): number {
    return from + ((this.#random() + 1) / 2) * (to - from)
  }

  happens(share: number): boolean {
    return this.between(0, 1) < share
  }

  /** A whole number from `from` to before `to`. */
  whole(from: number, to: number): number {
    return Math.min(to - 1, Math.floor(this.between(from, to)))
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, order: this.between(0, 1) }))
      .toSorted((one, other) => one.order - other.order)
      .map(({ item }) => item)
  }
}

/** A sentence of the script. */
interface Sentence {
  readonly words: readonly SpokenWord[]
  /** Position of its first word in the script. */
  readonly scriptWord: number
  readonly endsParagraph: boolean
}

/** Writes a script and plans how it is read. Each seed gives other sentences, mistakes and pauses. */
export function writeScript({
  language,
  seed = 1,
  sentences: count = 12,
  mistakes = true,
  pickups = 0,
  table: { sentences: all, filler, space } = sentenceTables[language],
}: ScriptOptions): SpokenScript {
  const dice = new Dice(seed)
  const chosen = dice.shuffle(all).slice(0, count)
  let scriptWord = 0
  const sentences = chosen.map((words, index) => {
    const sentence = { words, scriptWord, endsParagraph: (index + 1) % paragraphLength === 0 }
    scriptWord += words.length
    return sentence
  })
  const later = new Set(dice.shuffle([...sentences.keys()].slice(0, -1)).slice(0, pickups))
  const reader = new Reader(dice, filler, mistakes)
  for (const [index, sentence] of sentences.entries()) {
    const other = sentences[(index + 5) % sentences.length]?.words ?? []
    if (later.has(index)) reader.misread(sentence, other)
    else reader.read(sentence, other)
  }
  for (const index of [...later].toSorted((one, two) => one - two)) {
    const sentence = sentences[index]
    if (sentence) reader.readWell(sentence)
  }
  const texts = sentences.map(({ words, endsParagraph }) => {
    const text = words.map(({ text: word, mark }) => word + mark).join(space)
    return text + (endsParagraph ? '\n' : space)
  })
  return { language, text: texts.join('').trimEnd(), passages: reader.passages }
}

/** A speaker who reads sentences, with or without mistakes. */
class Reader {
  readonly passages: Passage[] = []
  readonly dice: Dice
  readonly filler: string
  readonly mistakes: boolean
  #attempt = 0

  constructor(dice: Dice, filler: string, mistakes: boolean) {
    this.dice = dice
    this.filler = filler
    this.mistakes = mistakes
  }

  /** Reads a sentence until it is right. `other` has the words of mistakes. */
  read(sentence: Sentence, other: readonly SpokenWord[]): void {
    const { dice } = this
    if (this.mistakes && dice.happens(shares.mistake)) {
      const mistake = dice.whole(0, 4)
      if (mistake === 0) this.#phrases(sentence, 'retake')
      if (mistake === 1) this.#breakOff(sentence)
      if (mistake === 2) this.misread(sentence, other)
      if (mistake === 3) this.#restart(sentence)
    }
    this.readWell(sentence)
  }

  /** Reads a sentence without a mistake. */
  readWell(sentence: Sentence): void {
    this.#phrases(sentence, 'speech')
    this.#attempt = 0
  }

  /** Reads a sentence with more than a third of other words. */
  misread({ words, scriptWord }: Sentence, other: readonly SpokenWord[]): void {
    const wrong = words.map((word, index) =>
      index % 5 === 1 || index % 5 === 3
        ? { ...(other[index % other.length] ?? word), mark: word.mark }
        : word,
    )
    this.#phrases({ words: wrong, scriptWord, endsParagraph: false }, 'misread')
  }

  #breakOff({ words, scriptWord }: Sentence): void {
    const count = Math.max(2, Math.floor(words.length * this.dice.between(0.4, 0.8)))
    this.#phrases({ words: words.slice(0, count), scriptWord, endsParagraph: false }, 'retake')
  }

  #restart({ words, scriptWord }: Sentence): void {
    this.#add({ kind: 'restart', words: words.slice(0, 2), scriptWord, breakAfter: null }, [0.15, 0.5])
    this.#attempt += 1
  }

  /** Adds the phrases of a sentence, with hesitations within them if it is the good take. */
  #phrases({ words, scriptWord, endsParagraph }: Sentence, kind: PassageKind): void {
    let from = 0
    for (const [index, { mark }] of words.entries()) {
      const isLast = index === words.length - 1
      const isHesitation =
        kind === 'speech' &&
        index - from >= 2 &&
        index < words.length - 2 &&
        this.dice.happens(shares.hesitation / 4)
      if (mark === '' && !isLast && !isHesitation) continue
      const breakAfter = isLast && endsParagraph ? 'paragraph' : (classOfMark[mark] ?? null)
      const passage = { kind, words: words.slice(from, index + 1), scriptWord: scriptWord + from, breakAfter }
      this.#add(passage, isLast && kind !== 'speech' ? [0.5, 2.2] : rangeOfPause(breakAfter))
      if (kind === 'speech' && this.mistakes && this.dice.happens(shares.filler))
        this.#hesitate(passage.scriptWord)
      from = index + 1
    }
    this.#attempt += 1
  }

  #hesitate(scriptWord: number): void {
    const words = [{ text: this.filler, spoken: this.filler, mark: '' }]
    this.#add({ kind: 'filler', words, scriptWord, breakAfter: null }, [0.3, 0.8])
  }

  #add(
    passage: Pick<Passage, 'kind' | 'words' | 'scriptWord' | 'breakAfter'>,
    [shortest, longest]: readonly [number, number],
  ): void {
    const pause = this.dice.between(shortest, longest)
    this.passages.push({ ...passage, attempt: this.#attempt, pause, sounds: this.#soundsOf(pause) })
  }

  /** Sounds of a pause, at least 0.15 s from the voices. */
  #soundsOf(pause: number): PauseSound[] {
    const { dice } = this
    const sounds: PauseSound[] = []
    if (!this.mistakes) return sounds
    if (pause > 0.8 && dice.happens(shares.breath)) {
      const seconds = dice.between(0.2, Math.min(0.45, pause - 0.4))
      const at = dice.between(0.15, pause - seconds - 0.15)
      sounds.push({ kind: 'breath', at, seconds, level: dice.between(-45, -12) })
    } else if (pause > 0.5 && dice.happens(shares.click)) {
      sounds.push({ kind: 'click', at: dice.between(0.15, pause - 0.15), seconds: 0, level: -10 })
    }
    return sounds
  }
}

/** Range of the pauses of a class, seconds. */
function rangeOfPause(breakAfter: BreakClass | null): readonly [number, number] {
  if (breakAfter === null) return [0.12, 0.9]
  return breakAfter === 'paragraph' ? [1, 2.6] : [0.3, 2.2]
}
