import { expect, test } from 'vitest'
import { mediaFacts } from '../../../src/contract/media-facts.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { h264, scratchFolder, tone } from './generate-media.ts'
import { planMedia } from './generate-together.ts'

const plan = planMedia(await scratchFolder())

/** Plans a short video with a source timecode. Returns its path. */
function video(name: string, rate: string, timecode: readonly string[]): string {
  const source = `testsrc2=size=160x90:rate=${rate}:duration=0.4`
  return plan(name, ['-f', 'lavfi', '-i', source, ...h264, ...timecode])
}

const ntsc = { num: 30_000, den: 1001 }

const timed = [
  ['25.mov', '25', '01:00:00:00', { drop_frame: false, rate: { num: 25, den: 1 } }],
  ['drop.mov', '30000/1001', '01:00:00;02', { drop_frame: true, rate: ntsc }],
  ['non-drop.mov', '30000/1001', '01:00:00:00', { drop_frame: false, rate: ntsc }],
  ['drop.mp4', '30000/1001', '10:01:00;28', { drop_frame: true, rate: ntsc }],
  ['double.mov', '60000/1001', '23:59:59;59', { drop_frame: true, rate: { num: 60_000, den: 1001 } }],
  ['whole.mov', '60', '00:00:10:59', { drop_frame: false, rate: { num: 60, den: 1 } }],
] as const

test.each(timed.map((each) => [...each, video(each[0], each[1], ['-timecode', each[2]])] as const))(
  'the source timecode of %s at %s is %s',
  async (_name, _rate, text, expected, path) => {
    const facts = await probe(path)
    expect(facts.timecode).toEqual({ text, ...expected })
    expect(mediaFacts.parse(facts)).toEqual(facts)
  },
)

const tagged = video('tagged.mkv', '25', ['-metadata', 'timecode=00:59:58:10'])

test('the timecode of a Matroska file is that of its tag', async () => {
  const { timecode } = await probe(tagged)
  expect(timecode).toEqual({ text: '00:59:58:10', drop_frame: false })
})

const invalidTimecodes = [
  ['a word', 'later'],
  ['too few digits', '1:2:3'],
  ['a frame number beyond the rate', '00:00:00:30'],
  ['a long text', `00:00:00:0${'0'.repeat(5000)}`],
] as const

test.each(
  invalidTimecodes.map(
    ([name, text], index) =>
      [name, video(`tag-${index}.mkv`, '25', ['-metadata', `timecode=${text}`])] as const,
  ),
)('a tag that is no timecode is ignored: %s', async (_, path) => {
  const facts = await probe(path)
  expect(facts).not.toHaveProperty('timecode')
})

const plain = video('plain.mp4', '25', [])
const sound = plan('sound.m4a', [...tone(1), '-c:a', 'aac'])

test('files without a timecode state none', async () => {
  expect(await probe(plain)).not.toHaveProperty('timecode')
  expect(await probe(sound)).not.toHaveProperty('timecode')
})
