import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mediaFacts } from '../../contract/media-facts.ts'
import { readFacts } from './facts.ts'
import { ffprobeOutput } from './ffprobe.ts'

const text = '01:00:00;02'
const picture = {
  ...{ codec_type: 'video', codec_name: 'h264', width: 320, height: 240 },
  ...{ avg_frame_rate: '30000/1001', r_frame_rate: '30000/1001' },
}
const sound = { codec_type: 'audio', codec_name: 'pcm_s24le', channels: 2, sample_rate: '48000' }

function tmcd(timecode: string, avg_frame_rate = '30000/1001') {
  return { codec_type: 'data', codec_tag_string: 'tmcd', avg_frame_rate, tags: { timecode } }
}

/** Returns the timecode in the facts of a file with streams and tags. */
function timecodeOf(streams: readonly object[], tags: object = {}) {
  const format = { format_name: 'mov,mp4', duration: '2.0', tags }
  return readFacts(ffprobeOutput.parse({ streams, format }))?.timecode
}

describe('source timecode', () => {
  test('is the first valid one of the picture, the timecode stream and the file', () => {
    const tagged = { ...picture, tags: { timecode: '00:00:01:00' } }
    const others = [tmcd('00:00:02:00'), sound] as const
    const ofFile = { timecode: '00:00:03:00' }
    expect(timecodeOf([tagged, ...others], ofFile)?.text).toBe('00:00:01:00')
    expect(timecodeOf([picture, ...others], ofFile)?.text).toBe('00:00:02:00')
    expect(timecodeOf([picture, sound], ofFile)?.text).toBe('00:00:03:00')
    const invalid = { ...picture, tags: { timecode: 'none' } }
    expect(timecodeOf([invalid, tmcd('x'), sound], ofFile)?.text).toBe('00:00:03:00')
  })

  test('has the rate of the timecode stream only where that states the same timecode', () => {
    const tagged = { ...picture, tags: { TIMECODE: text } }
    expect(timecodeOf([tagged, tmcd(text, '30/1')])).toEqual({
      ...{ text, drop_frame: true, rate: { num: 30, den: 1 } },
    })
    expect(timecodeOf([tagged, tmcd('02:00:00:00', '25/1')])).toEqual({ text, drop_frame: true })
  })

  test.each(['0/0', '1/5000', '90000/1', 'x', undefined])(
    'ignores the rate %s of a timecode stream',
    (rate) => {
      expect(timecodeOf([picture, { ...tmcd(text), avg_frame_rate: rate }])).toEqual({
        ...{ text, drop_frame: true },
      })
    },
  )

  test.each([
    ['a frame number beyond the rate of the timecode', tmcd('01:00:00:25', '25/1')],
    ['more than a day', tmcd('24:00:00:00')],
    ['a data stream of another kind', { ...tmcd(text), codec_tag_string: 'gpmd' }],
  ])('is absent with %s', (_, stream) => {
    expect(timecodeOf([picture, stream])).toBeUndefined()
  })

  test('of a picture whose rate has no drop-frame numbering counts every frame', () => {
    const film = { ...picture, avg_frame_rate: '25/1', r_frame_rate: '25/1' }
    expect(timecodeOf([film], { timecode: '01:00:00;00' })).toEqual({
      ...{ text: '01:00:00;00', drop_frame: false },
    })
  })

  test('of sound alone is read too', () => {
    expect(timecodeOf([sound, tmcd('01:00:00:00', '25/1')])).toEqual({
      ...{ text: '01:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
    })
  })

  test('never makes a file unreadable, whatever its tags are', () => {
    const anyText = fc.oneof(fc.string(), fc.string({ minLength: 300, maxLength: 400 }), fc.constant(text))
    fc.assert(
      fc.property(anyText, anyText, anyText, (one, two, three) => {
        const streams = [{ ...picture, tags: { timecode: one } }, tmcd(two)]
        const format = { format_name: 'mov', duration: '2.0', tags: { timecode: three } }
        const facts = mediaFacts.parse(readFacts(ffprobeOutput.parse({ streams, format })))
        expect(facts.timecode === undefined || facts.timecode.text === text).toBe(true)
      }),
    )
  })
})
