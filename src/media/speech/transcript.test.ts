import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSubtitles } from '../subtitles/read.ts'
import type { RecognitionResult } from './speech-types.ts'
import {
  type Transcript,
  transcriptFromRecognition,
  transcriptFromStt,
  transcriptFromSubtitles,
} from './transcript.ts'

/** Checks that words are in order and that sentences partition them. */
function checkTranscript(transcript: Transcript): Transcript {
  const { words, sentences } = transcript
  let end = 0
  for (const word of words) {
    expect(word.start).toBeGreaterThanOrEqual(end)
    expect(word.end).toBeGreaterThanOrEqual(word.start)
    end = word.end
  }
  let next = 0
  for (const { first, last, start, end: until } of sentences) {
    expect([first, last >= first]).toEqual([next, true])
    expect([start, until]).toEqual([words[first]?.start, words[last]?.end])
    next = last + 1
  }
  if (sentences.length > 0 || words.length === 0) expect(next).toBe(words.length)
  return transcript
}

const textsOf = ({ sentences }: Transcript) => sentences.map(({ text }) => text)

/** A piece of recognised speech: words with the pause after each, seconds. */
function piece(spoken: readonly (readonly [text: string, pause: number])[], text = ''): RecognitionResult {
  let time = 0
  const words = spoken.map(([word, pause]) => {
    const start = time
    time += 0.3 + pause
    return { text: word, start, end: start + 0.3 }
  })
  return { text, words, timed: true, confidence: null, language: null }
}

describe('of a recogniser', () => {
  const sentencesOf = (...given: Parameters<typeof piece>) =>
    textsOf(checkTranscript(transcriptFromRecognition([piece(...given)])))

  it('ends sentences by punctuation, not by pauses in them', () => {
    expect(
      sentencesOf([
        ['Dr.', 0],
        ['Who', 0.9],
        ['came.', 0],
        ['He', 0],
        ['left.', 0],
      ]),
    ).toEqual(['Dr. Who came.', 'He left.'])
    expect(sentencesOf([...'你好。再见'].map((one) => [one, 0] as const))).toEqual(['你好。', '再见'])
  })

  it('takes punctuation from the text, if the words have none', () => {
    expect(
      sentencesOf(
        [
          ['he', 0.1],
          ['came', 0.1],
          ['she', 0.1],
          ['left', 0],
        ],
        'he came. she left!',
      ),
    ).toEqual(['he came.', 'she left!'])
  })

  it('ends sentences without punctuation at pauses of 0.6 s', () => {
    expect(
      sentencesOf([
        ['one', 0.5],
        ['two', 0.7],
        ['three', 0],
      ]),
    ).toEqual(['one two', 'three'])
  })

  it('partitions any words into sentences of at most 30 s', () => {
    const text = fc.constantFrom('one', 'two.', '三', '四。', 'five,', 'six!')
    const pause = fc.double({ min: 0, max: 2, noNaN: true })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, pause), { maxLength: 200, size: 'max' }), (spoken) => {
        const { sentences, timed } = checkTranscript(transcriptFromRecognition([piece(spoken)]))
        expect(timed).toBe(true)
        for (const { start, end } of sentences) expect(end - start).toBeLessThanOrEqual(30)
      }),
    )
  })

  it('is timed only if all times are measured', () => {
    const distributed = { ...piece([['one', 0]]), timed: false }
    expect(transcriptFromRecognition([piece([['one', 0]]), distributed]).timed).toBe(false)
    expect(transcriptFromRecognition([]).sentences).toEqual([])
  })
})

const entry = (text: string, start_time: number, end_time: number) => ({ text, start_time, end_time })

describe('of a request', () => {
  const sentences = [{ ...entry('One two.', 0, 2), speaker: 'Ann' }, entry('Three', 2, 3)]
  const words = [entry('one', 0, 1.2), entry('two', 1, 2), entry('three', 2, 3)]

  it('assigns words to sentences, with their speakers', () => {
    const transcript = checkTranscript(
      transcriptFromStt({ word_tc_list: words, sentence_tc_list: sentences }, 10),
    )
    expect(transcript.sentences).toEqual([
      { text: 'One two.', start: 0, end: 2, first: 0, last: 1, speaker: 'Ann' },
      { text: 'Three', start: 2, end: 3, first: 2, last: 2 },
    ])
    expect(transcript.words[0]).toEqual({ text: 'one', start: 0, end: 1 })
  })

  it('has no sentences if none are given', () => {
    expect(transcriptFromStt({ word_tc_list: words, sentence_tc_list: [] }, 10).sentences).toEqual([])
  })

  it.each([
    [[...sentences, entry('Four', 4, 5)], 10, 'stt.sentence_tc_list[2] contains no word'],
    [sentences, 1.5, 'stt.word_tc_list[2] starts at 2 s, after the end of the file (1.5 s)'],
  ])('is refused with the entry: %#', (lines, seconds, message) => {
    expect(() => transcriptFromStt({ word_tc_list: words, sentence_tc_list: lines }, seconds)).toThrow(
      expect.objectContaining({ code: 6016, message: expect.stringContaining(message) as string }),
    )
  })

  it('assigns each word to one sentence, by text or by time', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(sizes, fc.boolean(), (counts, isEqual) => {
        let time = 0
        const spoken: ReturnType<typeof entry>[] = []
        const lines = counts.map((count) => {
          const own = Array.from({ length: count }, () => entry(`w${time}`, time, (time += 1)))
          spoken.push(...own)
          const text = isEqual ? own.map((one) => one.text).join(' ') : 'other words'
          return entry(text, own[0]?.start_time ?? 0, time)
        })
        const transcript = checkTranscript(
          transcriptFromStt({ word_tc_list: spoken, sentence_tc_list: lines }, time),
        )
        expect(transcript.sentences.map(({ first, last }) => last - first + 1)).toEqual(counts)
      }),
    )
  })
})

describe('of subtitles', () => {
  const read = (...cues: readonly (readonly [start: number, end: number, text: string])[]) => {
    const at = (seconds: number) => `00:00:${String(seconds).padStart(2, '0')},000`
    const text = cues.map(
      ([start, end, line], index) => `${index + 1}\n${at(start)} --> ${at(end)}\n${line}\n`,
    )
    return readSubtitles(new TextEncoder().encode(text.join('\n')), { format: 'srt', language: 'en-US' })
  }

  it('joins entries to sentences, which end where entries end; times are not measured', () => {
    const transcript = checkTranscript(
      transcriptFromSubtitles(
        read([0, 2, 'He said'], [2, 4, 'yes. And'], [4, 5, '<i>no</i>.'], [6, 7, 'Oh.']),
        'f',
      ),
    )
    expect(transcript.timed).toBe(false)
    expect(textsOf(transcript)).toEqual(['He said yes. And no.', 'Oh.'])
  })

  it('takes entries as sentences where there is no punctuation', () => {
    expect(
      textsOf(checkTranscript(transcriptFromSubtitles(read([0, 2, '你好'], [2, 4, '再见']), 'f'))),
    ).toEqual(['你好', '再见'])
  })

  it.each([
    [read([0, 2, 'Yes'], [0, 2, 'Oui']), 'subtitle_file_id: is bilingual: line 1 and line 5'],
    [read([0, 2, '♪']), 'has no text'],
  ])('are refused: %#', (subtitles, message) => {
    expect(() => transcriptFromSubtitles(subtitles, 'subtitle_file_id')).toThrow(
      expect.objectContaining({ code: 6016, message: expect.stringContaining(message) as string }),
    )
  })

  it('are refused with several layers, naming the lines', () => {
    const line = (style: string, text: string) =>
      `Dialogue: 0,0:00:01.00,0:00:0${style.length}.00,${style},,0,0,0,,${text}`
    const file = `[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n${line('Main', 'A')}\n${line('Signs', 'B')}\n`
    const subtitles = readSubtitles(new TextEncoder().encode(file), { format: 'ass', language: 'en-US' })
    expect(() => transcriptFromSubtitles(subtitles, 'f')).toThrow('has several layers: lines 4 and 5')
  })
})
