import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { queryFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { liveRecording } from '../engines/ffmpeg/live-recording.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { numberedVideo, readNumbers } from '../video-timeline-render/media.ts'
import { blurBoxes, decodeSamples, packetChecksums } from './run-purify.ts'

// Contents that start late in their file. The tests of frames, live recordings and subtitles have the main forms.

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }
const picture = 'testsrc2=size=160x90'
/** Two seconds of a picture and a tone, as inputs. */
const film = [
  ...['-f', 'lavfi', '-i', `${picture}:rate=25:duration=2`],
  ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=2'],
]

async function cleanSixLateFrames(): Promise<void> {
  const numbered = await numberedVideo(at('short.mp4'), { source: 1, seconds: 0.24, rate: '25' })
  const source = at('short.mkv')
  const late = ['-f', 'lavfi', '-i', 'sine=duration=4', '-itsoffset', '3', '-i', numbered]
  await ffmpeg(...late, '-map', '1', '-map', '0', '-c:v', 'copy', '-c:a', 'pcm_s16le', source)
  const { path, output } = await blurBoxes(source, folder, { x: 0.9, y: 0.75, w: 0.1, h: 0.25 })
  expect((await readNumbers(path)).map(({ frame }) => frame)).toEqual([0, 1, 2, 3, 4, 5])
  expect((await probe(path)).video).toMatchObject({ start_ms: 3000, duration_ms: 240 })
  expect(output.notes).toBeUndefined()
}

async function cleanLiveRecording(): Promise<void> {
  const path = join(folder, 'live.webm')
  const source = await liveRecording(path, { picture, startSeconds: 6, durationSeconds: 2, gop: 10 })
  const cleaned = await blurBoxes(source, folder, box)
  const distance = async (file: string) => {
    const { text } = await queryFfprobe(file, ['-show_entries', 'packet=codec_type,pts_time'], {})
    const { packets } = JSON.parse(text) as { packets: { codec_type: string; pts_time: string }[] }
    const firstTime = (type: string) =>
      Number(packets.find(({ codec_type }) => codec_type === type)?.pts_time)
    return firstTime('video') - firstTime('audio')
  }
  const sourceDistance = await distance(source)
  expect(Math.abs((await distance(cleaned.path)) - sourceDistance)).toBeLessThan(0.002)
  expect(Math.abs(sourceDistance)).toBeGreaterThan(5.9)
  const [before, after] = [await decodeSamples(source), await decodeSamples(cleaned.path)]
  expect(after.length).toBe(before.length)
  // The part of the first frame above the box.
  const upperPart = before.subarray(0, 160 * 40)
  const totalDifference = upperPart.reduce(
    (sum, value, place) => sum + Math.abs(value - (after[place] ?? 0)),
    0,
  )
  expect(totalDifference / upperPart.length).toBeLessThan(2)
  expect(await packetChecksums(cleaned.path, 'a:0')).toBe(await packetChecksums(source, 'a:0'))
}

async function cleanLateSubtitles(): Promise<void> {
  const [source, lines] = [at('late-line.mov'), at('late.srt')]
  await writeFile(lines, '1\n00:00:01,800 --> 00:00:01,900\nWords that go\n')
  const maps = ['-map', '0', '-map', '1', '-map', '2', '-pix_fmt', 'yuv420p', '-g', '10']
  await ffmpeg(...film, '-i', lines, ...maps, '-c:a', 'pcm_s16le', '-ac', '8', '-c:s', 'mov_text', source)
  const bytes = await readFile(source)
  bytes[bytes.indexOf('Words that go')] = 0xff
  await writeFile(source, bytes)
  expect((await blurBoxes(source, folder, box)).output.notes).toEqual([
    'a stream could not be kept: subtitle (mov_text)',
  ])
}

it.each(
  sampleCases(
    [
      ['a picture of six frames that starts after 3 s is complete, at its time', cleanSixLateFrames],
      ['frames of a live recording with a late picture keep their times', cleanLiveRecording],
      ['subtitles without valid text are dropped even if much audio precedes their line', cleanLateSubtitles],
    ] as const,
    1,
  ),
)('%s', async (_, clean) => {
  await expect(clean()).resolves.toBeUndefined()
})
