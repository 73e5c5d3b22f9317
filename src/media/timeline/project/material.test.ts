import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MediaFacts, Rational } from '../../../contract/media-facts.ts'
import { projectMaterial } from './material.ts'
import { editableRate, formatTimecode, timebaseOf } from './timecode.ts'

const whole = (num: number): Rational => ({ num, den: 1 })
const ntsc = (num: number): Rational => ({ num: num * 1000, den: 1001 })
const rates = [ntsc(24), whole(24), whole(25), ntsc(30), whole(30), whole(50), ntsc(60), whole(60)]
const anyRate = fc.constantFrom(...rates)

/** Returns the facts of a 1080p video turned upright. */
function factsOf(frame_rate: Rational, more: Partial<MediaFacts> = {}): MediaFacts {
  const times = { start_ms: 0, duration_ms: more.duration_ms ?? 10_000 }
  return {
    ...{ container: 'mov', duration_ms: 10_000, size: 1, bit_rate: null, subtitles: [] },
    audio: [
      { codec: 'aac', channels: 2, sample_rate: 48_000, ...times, start_ms: 120 },
      { codec: 'aac', channels: 1, sample_rate: 44_100, ...times },
    ],
    video: {
      ...{ codec: 'h264', width: 1080, height: 1920, coded_width: 1920, coded_height: 1080, rotation: 90 },
      ...{ sample_aspect_ratio: whole(1), frame_rate, variable_rate: false },
      ...{ pixel_format: 'yuv420p', hdr: false, alpha: false, ...times },
    },
    ...more,
  }
}

const options = { id: 'm1', path: 'C:\\videos\\my talk.mov', rate: whole(25) }

describe('the material of a file', () => {
  test('has its name, displayed size and first sound', () => {
    expect(projectMaterial(factsOf(whole(25)), options)).toEqual({
      ...{ id: 'm1', path: options.path, name: 'my talk.mov', frames: 250 },
      picture: { width: 1080, height: 1920 },
      sound: { channels: 2, sampleRate: 48_000 },
      ...{ timecodeStart: 0, dropFrame: false },
    })
    const { picture, sound } = projectMaterial(factsOf(whole(25), { video: null, audio: [] }), options)
    expect([picture, sound]).toEqual([null, null])
  })

  test('has all frames of a video, although its duration is rounded to milliseconds', () => {
    fc.assert(
      fc.property(anyRate, fc.integer({ min: 1, max: 600_000 }), (rate, frames) => {
        const facts = factsOf(rate, { duration_ms: Math.round((frames * rate.den * 1000) / rate.num) })
        expect(projectMaterial(facts, { ...options, rate }).frames).toBe(frames)
      }),
    )
  })

  test('has no frame that ends after the file, at any rate of the project', () => {
    fc.assert(
      fc.property(anyRate, fc.integer({ min: 1, max: 36_000_000 }), (rate, duration_ms) => {
        const { frames } = projectMaterial(factsOf(whole(25), { duration_ms }), { ...options, rate })
        const end = (count: number) => (count * rate.den * 1000) / rate.num
        expect(end(frames)).toBeLessThanOrEqual(duration_ms + 0.502)
        expect(end(frames + 1)).toBeGreaterThan(duration_ms + 0.5)
      }),
    )
  })

  test('of a truncated file ends with its content', () => {
    expect(projectMaterial(factsOf(whole(25), { cut_off_ms: 4019 }), options).frames).toBe(100)
  })
})

describe('the source timecode of a material', () => {
  const anyLabel = fc.record({
    rate: anyRate,
    frames: fc.integer({ min: 0, max: 2_000_000 }),
    drops: fc.boolean(),
  })

  test('reads the same at the rate of its file, whether the file states it or not', () => {
    fc.assert(
      fc.property(anyLabel, fc.boolean(), ({ rate, frames, drops }, isStated) => {
        const { timebase } = timebaseOf(rate)
        const dropFrame = drops && timebase % 30 === 0
        const text = formatTimecode(frames, { timebase, dropFrame })
        const timecode = { text, drop_frame: dropFrame, ...(isStated && { rate }) }
        const material = projectMaterial(factsOf(rate, { timecode }), { ...options, rate })
        expect(material).toMatchObject({ timecodeStart: frames, dropFrame })
      }),
    )
  })

  test.each<[string, Rational, Rational, number, boolean]>([
    // Drop-frame numbering of true 30 frames per second.
    ['01:00:00;00', whole(30), whole(30), 107_892, true],
    // A timecode that counts at 30 in a file of 29.97 frames per second.
    ['01:00:00:00', whole(30), ntsc(30), 108_000, false],
    // Half the rate of the picture.
    ['01:00:00:12', whole(25), whole(50), 180_024, false],
    ['01:00:00;00', ntsc(30), ntsc(60), 215_784, true],
    // Another rate: the same time.
    ['01:00:00:00', whole(25), whole(24), 86_400, false],
    ['00:10:00;00', ntsc(30), whole(25), 15_000, false],
  ])('%s that counts at %o is in a project of %o frame %i', (text, rate, project, frames, dropFrame) => {
    const timecode = { text, drop_frame: text.includes(';'), rate }
    const material = projectMaterial(factsOf(project, { timecode }), { ...options, rate: project })
    expect(material).toMatchObject({ timecodeStart: frames, dropFrame })
  })

  test('of sound alone counts at the rate of the project', () => {
    const timecode = { text: '00:00:01:00', drop_frame: false }
    const facts = factsOf(whole(25), { video: null, timecode })
    expect(projectMaterial(facts, { ...options, rate: ntsc(24) }).timecodeStart).toBe(24)
  })

  test('of a variable rate counts at the editable rate', () => {
    const timecode = { text: '00:00:01:00', drop_frame: false }
    const average = { num: 29_850, den: 1000 }
    const facts = factsOf(average, { timecode })
    expect(projectMaterial(facts, { ...options, rate: editableRate(whole(30)) }).timecodeStart).toBe(30)
  })

  test('is 0 for a text that does not fit the rate', () => {
    const timecode = { text: '00:00:01:29', drop_frame: false }
    const facts = factsOf(whole(25), { timecode })
    expect(projectMaterial(facts, options)).toMatchObject({ timecodeStart: 0, dropFrame: false })
  })
})
