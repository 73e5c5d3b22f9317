import type { BreakClass } from '../../src/media/cut/pauses.ts'
import type { Passage, SpokenScript } from './script.ts'
import type { SpokenWord } from './sentences.ts'

/**
 * Plans how a speaker reads an English text of sentences and paragraphs: before every second sentence, its first half is
 * spoken and broken off. `pause` is the time after each passage, seconds.
 */
export function readAloud(text: string, { pause = 0.9 } = {}): SpokenScript {
  const passages: Passage[] = []
  let scriptWord = 0
  for (const [index, [, sentence = '', end = '']] of [...text.matchAll(/([^.!?]+[.!?])(\s*)/g)].entries()) {
    const words = wordsOf(sentence)
    const add = (kind: Passage['kind'], spoken: readonly SpokenWord[], breakAfter: BreakClass | null) =>
      passages.push({
        kind,
        words: spoken,
        scriptWord,
        breakAfter,
        pause,
        // Each delivery takes a start of the voice.
        attempt: passages.length % 3,
        sounds: [],
      })
    if (index % 2 === 1) add('retake', words.slice(0, Math.ceil(words.length / 2)), null)
    add('speech', words, end.includes('\n') ? 'paragraph' : '。')
    scriptWord += words.length
  }
  return { language: 'en-US', text, passages }
}

/** Returns the words of an English sentence, with the punctuation after each. */
export function wordsOf(sentence: string): SpokenWord[] {
  return sentence
    .trim()
    .split(/\s+/)
    .map((token) => {
      const [, word = '', mark = ''] = /^(.*?)([,.!?]*)$/.exec(token) ?? []
      return { text: word, spoken: word, mark }
    })
}
