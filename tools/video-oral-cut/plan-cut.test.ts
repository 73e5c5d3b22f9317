import { describe, expect, test } from 'vitest'
import type { MediaFacts } from '../../src/contract/media-facts.ts'
import { LevelTrack } from '../../src/media/cut/level-track.ts'
import { mapSpeech } from '../../src/media/cut/speech-map.ts'
import { transcriptFromWords } from '../../src/media/speech/transcript.ts'
import { record, silence, vowel } from '../../test/recordings/speech-sounds.ts'
import { videoOralCut } from './contract.ts'
import type { HeardRecording } from '../../src/engines/cutting/hear-recording.ts'
import { cutNotes } from './notes.ts'
import { planOralCut } from './plan-cut.ts'

/** Hears words of 0.5 s, each after a pause of 0.5 s. */
function hear(texts: readonly string[]): HeardRecording {
  const track = new LevelTrack()
  track.add(record(texts.flatMap(() => [silence(0.5), vowel(0.5)])).samples)
  const curve = track.finish()
  const words = texts.map((text, index) => ({ text, start: index + 0.5, end: index + 1 }))
  return {
    transcript: transcriptFromWords(words, true),
    levels: { curve, map: mapSpeech(curve) },
    recogniser: 'test',
  }
}

const rate = { num: 25, den: 1 }

/** Footage of 10 s. */
function factsOf(pictureSeconds: number, cut_off_ms?: number): MediaFacts {
  return {
    ...{ container: 'mp4', duration_ms: 10_000, size: 1, bit_rate: null, subtitles: [] },
    ...{ audio: [], ...(cut_off_ms !== undefined && { cut_off_ms }) },
    video: {
      ...{ codec: 'h264', width: 160, height: 90, coded_width: 160, coded_height: 90, rotation: 0 },
      ...{ sample_aspect_ratio: { num: 1, den: 1 }, frame_rate: rate, variable_rate: false, start_ms: 0 },
      ...{ duration_ms: 1000 * pictureSeconds, pixel_format: 'yuv420p', hdr: false, alpha: false },
    },
  }
}

function request(fields: object = {}) {
  return videoOralCut.input.parse({
    ...{ file_id: 'file', la: 'en-US', source_path: '/talk.mp4', ...fields },
  })
}

const counting = ['one', 'bread', 'two', 'water', 'three', 'flour', 'four', 'yeast', 'five']

describe('planOralCut', () => {
  test.each([
    ['rebuilt', {}],
    ['given', { script: counting.join(' ') }],
  ])('cuts what is said before the picture ends, with a %s script', (_, fields) => {
    const heard = hear(counting)
    const cut = planOralCut(heard, request(fields), factsOf(5.2))
    expect(cutNotes(heard, cut)).toEqual([
      'the picture ends before the sound: 4 words after it are not in the cut',
    ])
    expect(cut.selection.kept.map(({ word }) => word)).toEqual([0, 1, 2, 3, 4])
    expect(cut.unseenWords).toBe(4)
    expect(cut.plan.ranges.at(-1)?.end).toBeLessThanOrEqual(5.2 * 25)
    if ('script' in fields) expect(cut.selection.coverage).toBeCloseTo(5 / 9)
    else expect(cut.script).toBe('one bread two water three')
  })

  test('keeps no frame after the point at which a file is cut off', () => {
    const { plan, unseenWords } = planOralCut(hear(counting), request(), factsOf(10, 4010))
    expect(plan.ranges.at(-1)?.end).toBeLessThanOrEqual(100)
    expect(unseenWords).toBe(5)
  })

  test.each([
    ['no speech', [], {}, 10, /^file_id: no speech was recognised/],
    ['only hesitations', ['um', 'uh'], {}, 10, /^file_id: only hesitations or sounds/],
    ['only signs', ['♪', '♪♪'], {}, 10, /^file_id: only hesitations or sounds/],
    ['other words than the script', ['one', 'two'], { script: 'bread and water' }, 10, /^script: none of/],
    ['speech after the picture', counting, {}, 0.4, /^file_id: nothing is said before its picture ends/],
  ])('rejects %s with the reason', (_, texts, fields, seconds, reason) => {
    const planning = () => planOralCut(hear(texts), request(fields), factsOf(seconds))
    expect(planning).toThrow(
      expect.objectContaining({ code: 6016, message: expect.stringMatching(reason) as string }),
    )
  })
})
