import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mediaFacts } from '../../../src/contract/media-facts.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { generateMedia, h264, scratchFolder, tone } from './generate-media.ts'

const folder = await scratchFolder()

/** Creates a short video with a source timecode. */
async function video(name: string, rate: string, timecode: readonly string[]): Promise<string> {
  const source = `testsrc2=size=160x90:rate=${rate}:duration=0.4`
  return await generateMedia(join(folder, name), ['-f', 'lavfi', '-i', source, ...h264, ...timecode])
}

const ntsc = { num: 30_000, den: 1001 }

test.each([
  ['25.mov', '25', '01:00:00:00', { drop_frame: false, rate: { num: 25, den: 1 } }],
  ['drop.mov', '30000/1001', '01:00:00;02', { drop_frame: true, rate: ntsc }],
  ['non-drop.mov', '30000/1001', '01:00:00:00', { drop_frame: false, rate: ntsc }],
  ['drop.mp4', '30000/1001', '10:01:00;28', { drop_frame: true, rate: ntsc }],
  ['double.mov', '60000/1001', '23:59:59;59', { drop_frame: true, rate: { num: 60_000, den: 1001 } }],
  ['whole.mov', '60', '00:00:10:59', { drop_frame: false, rate: { num: 60, den: 1 } }],
])('the source timecode of %s at %s is %s', async (name, rate, text, expected) => {
  const facts = await probe(await video(name, rate, ['-timecode', text]))
  expect(facts.timecode).toEqual({ text, ...expected })
  expect(mediaFacts.parse(facts)).toEqual(facts)
})

test('the timecode of a Matroska file is that of its tag', async () => {
  const { timecode } = await probe(await video('tagged.mkv', '25', ['-metadata', 'timecode=00:59:58:10']))
  expect(timecode).toEqual({ text: '00:59:58:10', drop_frame: false })
})

test.each([
  ['a word', 'later'],
  ['too few digits', '1:2:3'],
  ['a frame number beyond the rate', '00:00:00:30'],
  ['a long text', `00:00:00:0${'0'.repeat(5000)}`],
])('a tag that is no timecode is ignored: %s', async (_, text) => {
  const facts = await probe(await video(`tag-${text.length}.mkv`, '25', ['-metadata', `timecode=${text}`]))
  expect(facts).not.toHaveProperty('timecode')
})

test('files without a timecode state none', async () => {
  expect(await probe(await video('plain.mp4', '25', []))).not.toHaveProperty('timecode')
  const sound = await generateMedia(join(folder, 'sound.m4a'), [...tone(1), '-c:a', 'aac'])
  expect(await probe(sound)).not.toHaveProperty('timecode')
})
