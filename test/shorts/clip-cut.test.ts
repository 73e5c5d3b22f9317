import { describe, expect, it } from 'vitest'
import { LevelTrack } from '../../src/media/cut/level-track.ts'
import { mapSpeech } from '../../src/media/cut/speech-map.ts'
import { frameTime, hertz } from '../../src/media/frame-rate.ts'
import { clipCaptions, clipTimes } from '../../src/media/shorts/clip-captions.ts'
import { type ClipSource, clipTail, cutClip, withoutSharedFrames } from '../../src/media/shorts/clip-cut.ts'
import { clipUnits } from '../../src/media/shorts/clip-units.ts'
import { transcriptFromStt, transcriptFromSubtitles } from '../../src/media/speech/transcript.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { srtFile } from '../../src/media/subtitles/srt-file.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'
import { recordingRates } from '../recordings/frame-marks.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { writeLongTalk } from './long-talk.ts'
import { wordOf } from './numbered-words.ts'

// Laws of the cut of a clip: of given words without sound, and of subtitles.

const silent = new LevelTrack().finish()
const levels = { curve: silent, map: mapSpeech(silent) }

/** A talk with words of irregular pauses. */
function talkOf(seed: number) {
  const random = seededRandom(seed)
  let now = 0.5
  const word_tc_list: { text: string; start_time: number; end_time: number }[] = []
  const sentence_tc_list: typeof word_tc_list = []
  for (let sentence = 0; sentence < 40; sentence += 1) {
    const length = 1 + Math.floor(random() * 14)
    const first = word_tc_list.length
    for (let index = 0; index < length; index += 1) {
      const end = now + 0.1 + 0.4 * random()
      word_tc_list.push({ text: wordOf(word_tc_list.length), start_time: now, end_time: end })
      now = end + (random() < 0.15 ? 1.5 * random() : 0.08 * random())
    }
    const words = word_tc_list.slice(first)
    sentence_tc_list.push({
      text: `${words.map(({ text }) => text).join(' ')}.`,
      start_time: words[0]?.start_time ?? 0,
      end_time: words.at(-1)?.end_time ?? 0,
    })
    now += 2 * random() ** 2
  }
  return { random, seconds: now, transcript: transcriptFromStt({ word_tc_list, sentence_tc_list }, now) }
}

function subtitlesOf(seed: number) {
  const { random, transcript, seconds } = talkOf(seed)
  const cues = transcript.sentences.flatMap(({ first, last }) => {
    const middle = first + Math.floor((last - first) / 2)
    const parts =
      last - first > 5 ? [[first, middle] as const, [middle + 1, last] as const] : [[first, last] as const]
    return parts.map(([from, to], index) => ({
      start: Math.round(1000 * (transcript.words[from]?.start ?? 0)),
      end: Math.round(1000 * (transcript.words[to]?.end ?? 0)),
      lines: [
        transcript.words
          .slice(from, to + 1)
          .map(({ text }) => text)
          .join(' ') + (index === parts.length - 1 ? '.' : ''),
      ],
    }))
  })
  const read = readSubtitles(Buffer.from(srtFile(cues)), { format: 'srt' })
  return { random, cues, seconds, transcript: transcriptFromSubtitles(read, 'subtitle_file_id') }
}

function sourceOf(transcript: ClipSource['transcript'], seconds: number, index: number): ClipSource {
  const rate = recordingRates[index % recordingRates.length] ?? { num: 25, den: 1 }
  return {
    ...{ transcript, levels, rate },
    units: clipUnits(transcript, 60),
    mediaFrames: Math.floor(seconds * hertz(rate)),
  }
}

const seeds = Array.from({ length: 60 }, (_, index) => index + 1)

function pick(random: () => number, source: ClipSource) {
  const from = Math.floor(random() * source.units.length)
  const to = Math.min(source.units.length, from + 1 + Math.floor(random() * 8))
  const skip = new Set(source.units.flatMap((_, index) => (random() < 0.2 ? [index] : [])))
  return { units: { from, to }, skip }
}

describe.each([
  ['words', talkOf],
  ['subtitles', subtitlesOf],
] as const)('a clip cut by %s', (kind, make) => {
  it.each([true, false])(
    'begins and ends with its units, has a tail that reaches no word, and whole frames: jump cuts %s',
    (jumpCut) => {
      for (const seed of seeds) {
        const { random, transcript, seconds } = make(seed)
        const source = sourceOf(transcript, seconds, seed)
        const { units, skip } = pick(random, source)
        const { rate } = source
        const frame = 1 / hertz(rate)
        const clip = cutClip(source, units, { jumpCut, skip })
        const [head, last] = [clip.ranges[0], clip.ranges.at(-1)]
        if (!head || !last) throw new Error('nothing is kept')
        for (const [index, { first, end }] of clip.ranges.entries()) {
          expect([Number.isInteger(first), Number.isInteger(end), end > first]).toEqual([true, true, true])
          expect(first).toBeGreaterThan(clip.ranges[index - 1]?.end ?? -1)
        }
        const firstUnit = source.units[units.from]
        const lastUnit = source.units[units.to - 1]
        const start = firstUnit?.start ?? 0
        const before = transcript.words[(firstUnit?.first ?? 0) - 1]?.end ?? 0
        const until = lastUnit?.end ?? 0
        const next = transcript.words[(lastUnit?.last ?? 0) + 1]?.start ?? seconds
        // A voice may lose 20 ms to the rounding to frames.
        expect(frameTime(head.first, rate)).toBeGreaterThanOrEqual(Math.min(before, start) - frame)
        expect(frameTime(head.first, rate)).toBeLessThanOrEqual(start + 0.021)
        expect(frameTime(last.end, rate)).toBeGreaterThanOrEqual(until - 0.021)
        expect(frameTime(last.end, rate)).toBeLessThanOrEqual(Math.max(next, until + frame) + 1e-6)
        const tail = Math.min(clipTail, next - until, seconds - until)
        expect(frameTime(last.end, rate) - until).toBeGreaterThanOrEqual(tail - 1.01 * frame)
        expect(frameTime(last.end, rate) - until).toBeLessThanOrEqual(Math.max(tail, 0) + 1.01 * frame)
      }
    },
  )

  it('keeps every word that is not skipped in its ranges, and none that is', () => {
    for (const seed of seeds) {
      const { random, transcript, seconds } = make(seed)
      const source = sourceOf(transcript, seconds, seed)
      const { units, skip } = pick(random, source)
      const clip = cutClip(source, units, { jumpCut: true, skip })
      const inside = (time: number) =>
        clip.ranges.some(
          ({ first, end }) => time >= frameTime(first, source.rate) && time < frameTime(end, source.rate),
        )
      const kept = new Set(clip.words)
      const [from, to] = [source.units[units.from]?.first ?? 0, source.units[units.to - 1]?.last ?? 0]
      for (let word = from; word <= to; word += 1) {
        const { start = 0, end = 0 } = transcript.words[word] ?? {}
        expect([seed, word, inside((start + end) / 2)]).toEqual([seed, word, kept.has(word)])
      }
      const skipped = [...skip].filter((unit) => unit > units.from && unit < units.to - 1)
      const expected = source.units
        .slice(units.from, units.to)
        .filter((_, index) => !skipped.includes(units.from + index))
        .reduce((sum, { first, last }) => sum + last - first + 1, 0)
      expect(clip.words).toHaveLength(expected)
    }
  })

  it('shares no frame with the clip of the next units, and loses only its tail to that', () => {
    for (const seed of seeds) {
      const { random, transcript, seconds } = make(seed)
      const source = sourceOf(transcript, seconds, seed)
      const from = Math.floor(random() * (source.units.length - 1))
      const border = from + 1 + Math.floor(random() * Math.min(8, source.units.length - from - 1))
      const jumpCut = seed % 2 === 0
      const alone = [
        cutClip(source, { from, to: border }, { jumpCut }),
        cutClip(source, { from: border, to: Math.min(source.units.length, border + 4) }, { jumpCut }),
      ]
      const [clip, next] = withoutSharedFrames(alone)
      const [last, first] = [clip?.ranges.at(-1), next?.ranges[0]]
      if (!clip || !last || !first) throw new Error('nothing is kept')
      expect([seed, last.end - first.first]).toEqual([seed, Math.min(0, last.end - first.first)])
      expect(next).toEqual(alone[1])
      expect(clip.frames).toBe(clip.ranges.reduce((sum, range) => sum + range.end - range.first, 0))
      const spoken = transcript.words[clip.words.at(-1) ?? 0]?.end ?? 0
      expect(frameTime(last.end, source.rate)).toBeGreaterThan(spoken - 0.021)
    }
  })

  it('loses only its tail to the longest length, and reports if it is too long without', () => {
    for (const seed of seeds) {
      const { random, transcript, seconds } = make(seed)
      const source = sourceOf(transcript, seconds, seed)
      const { units } = pick(random, source)
      const clip = cutClip(source, units, { maxSeconds: 7.3, jumpCut: seed % 2 === 0 })
      const whole = cutClip(source, units, { jumpCut: seed % 2 === 0 })
      const length = frameTime(clip.frames, source.rate)
      if (clip.isTooLong)
        expect(whole.frames - clip.frames).toBeLessThanOrEqual(Math.ceil(clipTail * hertz(source.rate)))
      else expect(length).toBeLessThanOrEqual(7.3)
      expect(clip.isTooLong).toBe(length > 7.3)
    }
  })

  it('has captions within the clip, in order, without overlaps, with short lines and all words', () => {
    for (const seed of seeds) {
      const { random, transcript, seconds } = make(seed)
      const source = sourceOf(transcript, seconds, seed)
      const { units, skip } = pick(random, source)
      const clip = cutClip(source, units, { jumpCut: seed % 2 === 0, skip })
      const words = clip.words
        .flatMap((word) => transcript.words[word] ?? [])
        .map((word) => ({ ...word, endsSentence: false }))
      const speed = seed % 3 === 0 ? 1.25 : 1
      const timing = { ranges: clip.ranges, rate: source.rate, speed }
      const size = seed % 2 === 0 ? { width: 1080, height: 1920 } : { width: 1920, height: 1080 }
      const captions = clipCaptions(words, { ...timing, size, strip: false })
      const end = (1000 * frameTime(clip.frames, source.rate)) / speed
      let before = 0
      for (const caption of captions) {
        expect(caption.start).toBeGreaterThanOrEqual(before)
        expect(caption.end).toBeGreaterThan(caption.start)
        expect(caption.lines.length).toBeLessThanOrEqual(2)
        for (const line of caption.lines)
          expect(estimateWidth(line)).toBeLessThanOrEqual(seed % 2 === 0 ? 13 : 20)
        before = caption.end
      }
      expect(before).toBeLessThanOrEqual(end + 1)
      expect(
        captions
          .flatMap(({ lines }) => lines)
          .join(' ')
          .split(' '),
      ).toEqual(words.map(({ text }) => text))
      const times = clipTimes(words, timing)
      for (const [index, word] of times.entries()) {
        expect(word.end).toBeGreaterThanOrEqual(word.start)
        expect(word.start).toBeGreaterThanOrEqual(times[index - 1]?.start ?? 0)
      }
    }
  })

  if (kind === 'subtitles')
    it('is cut only where a line begins or ends, and within the gaps', () => {
      for (const seed of seeds) {
        const { random, transcript, seconds, cues } = subtitlesOf(seed)
        const source = sourceOf(transcript, seconds, seed)
        const { units, skip } = pick(random, source)
        const clip = cutClip(source, units, { jumpCut: true, skip })
        const isInLine = (time: number) =>
          cues.some(({ start, end }) => time > start / 1000 + 0.021 && time < end / 1000 - 0.021)
        for (const { first, end } of clip.ranges) {
          expect(isInLine(frameTime(first, source.rate))).toBe(false)
          expect(isInLine(frameTime(end, source.rate) - 1e-6)).toBe(false)
        }
      }
    })
})

it('divides a sentence only where it is longer than the longest clip, after a clause or at a pause', () => {
  const { transcript } = writeLongTalk('en', 300, seededRandom(3))
  for (const max of [5, 8, 20]) {
    const units = clipUnits(transcript, max)
    expect(units[0]?.first).toBe(0)
    for (const [index, { first, last, start, end }] of units.entries()) {
      expect(first).toBe((units[index - 1]?.last ?? -1) + 1)
      expect(last).toBeGreaterThanOrEqual(first)
      expect(end - start).toBeLessThanOrEqual(max)
    }
    const ends = new Set(units.map(({ last }) => last))
    for (const { start, end, last } of transcript.sentences)
      if (end - start <= max) expect([last, ends.has(last) || end - start < 2.5]).toEqual([last, true])
  }
})
