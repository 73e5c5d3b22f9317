import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { type DubStreams, muxDub } from '../../../src/engines/dubbing/mux-dub.ts'
import { readMediaTags } from '../../../src/engines/ffmpeg/media-tags.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { runRaw } from '../../../src/engines/ffmpeg/run.ts'
import { readFrameNumbers } from '../../recordings/frame-marks.ts'
import { sampleCases } from '../../soak-size.ts'
import { generateMedia, scratchFolder, setRotation, tone } from '../ffmpeg/generate-media.ts'
import { neverAborted } from '../speech/recordings.ts'
import { markedVideo, packetHash, packetHashes, remux, staged } from './marked-video.ts'

const folder = await scratchFolder()
const rate = { num: 25, den: 1 }
const source = await markedVideo(folder, 'source', rate, 4)
const sound = await generateMedia(join(folder, 'mix.m4a'), [...tone(4), '-c:a', 'aac'])
const sourcePicture = await packetHash(source, 'v:0')
const soundPackets = await packetHash(sound, 'a:0')
let runs = 0

async function mux(file: StagedFile, streams: Partial<DubStreams> = {}) {
  const own = join(folder, `run-${(runs += 1)}`)
  const [scratch, steps, path] = [join(own, 'scratch'), join(own, 'steps'), join(own, 'dubbed.mp4')]
  for (const each of [scratch, steps]) await mkdir(each, { recursive: true })
  const muxed = await muxDub(
    { source: file, sound, language: 'zh-HK', ...streams },
    { path, scratch, steps, threads: 2, signal: neverAborted },
  )
  expect(await readdir(scratch)).toEqual([])
  expect(await readdir(own)).toEqual(['dubbed.mp4', 'scratch', 'steps'])
  return { path, ...muxed, facts: await probe(path) }
}

/** Text of the first subtitles of a file, as SubRip. */
async function subtitlesOf(path: string): Promise<string> {
  const chunks: Buffer[] = []
  await runRaw({
    args: ['-i', path, '-map', '0:s:0', '-f', 'srt', 'pipe:1'],
    timeoutMs: 60_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  return Buffer.concat(chunks).toString().replaceAll('\r', '')
}

/** Language tag of a stream. */
async function languageOf(path: string, stream: string): Promise<string> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      '-i',
      path,
      '-map',
      `0:${stream}`,
      '-c',
      'copy',
      '-f',
      'ffmetadata',
      '-map_metadata',
      `0:s:${stream}`,
      'pipe:1',
    ],
    timeoutMs: 60_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  return /^language=(.*)$/m.exec(Buffer.concat(chunks).toString())?.[1] ?? ''
}

describe('the dubbed video', () => {
  it.each(sampleCases(['avi', 'mkv', 'mov', 'flv', 'mp4'], 1))(
    'has the packets of the picture of an %s',
    async (extension) => {
      const path = await remux(source, join(folder, `source.${extension}`), { after: ['-c:v', 'copy'] })
      const file = await staged(path)
      const { path: result, facts, notes } = await mux(file)
      expect(notes).toEqual([])
      expect(await packetHashes(result)).toEqual([sourcePicture, soundPackets])
      expect(facts.video?.codec).toBe('h264')
      expect(Math.abs((facts.video?.start_ms ?? 99) - (file.facts?.video?.start_ms ?? 0))).toBeLessThan(5)
      expect(facts.audio).toMatchObject([{ codec: 'aac', start_ms: 0 }])
      expect(Math.abs(facts.duration_ms - 4000)).toBeLessThan(40)
      expect(await readFrameNumbers(result)).toEqual(Array.from({ length: 100 }, (_, frame) => frame))
    },
  )

  it('has subtitles with their language, and a mark', async () => {
    const subtitles = join(folder, 'lines.srt')
    const text = '1\n00:00:00,500 --> 00:00:01,250\n你好 <3\n\n2\n00:00:02,000 --> 00:00:03,960\nTwo\nlines\n'
    await writeFile(subtitles, text)
    const { path, facts } = await mux(await staged(source), { subtitles, language: 'zh-HK' })
    expect(facts.subtitles).toEqual([{ codec: 'mov_text', language: 'yue' }])
    expect((await subtitlesOf(path)).trim()).toBe(text.trim())
    expect(await languageOf(path, 'a:0')).toBe('yue')
    expect(await readMediaTags(path)).toEqual({ comment: expect.stringContaining('AI-generated') })
    expect(await packetHash(path, 'v:0')).toBe(sourcePicture)
    expect(Math.abs(facts.duration_ms - 4000)).toBeLessThan(40)
  })

  it('has no subtitles where these fail, and the packets of its picture', async () => {
    const subtitles = join(folder, 'removed.srt')
    const { path, facts, notes, subtitleFailure } = await mux(await staged(source), { subtitles })
    expect(subtitleFailure).toEqual(expect.any(String))
    expect([notes, facts.subtitles]).toEqual([[], []])
    expect(await packetHash(path, 'v:0')).toBe(sourcePicture)
  })

  it('shows the picture of another video if there is one', async () => {
    const base = await remux(source, join(folder, 'base.mp4'), {
      after: [
        '-an',
        '-vf',
        'trim=start_frame=10:end_frame=20,setpts=PTS-STARTPTS',
        '-c:v',
        'libx264',
        '-crf',
        '10',
      ],
    })
    const { path } = await mux(await staged(source), { base })
    expect(await packetHash(path, 'v:0')).toBe(await packetHash(base, 'v:0'))
    expect(await readFrameNumbers(path)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  })

  it('has the start, the orientation and the tag that players need', async () => {
    const late = await generateMedia(join(folder, 'late.mp4'), [
      ...['-itsoffset', '0.5', '-i', source, '-i', source, '-map', '0:v', '-map', '1:a', '-c', 'copy'],
    ])
    expect((await mux(await staged(await setRotation(late, 90)))).facts.video).toMatchObject({
      start_ms: 500,
      rotation: 90,
      width: 96,
      height: 160,
    })
  })

  it.each(
    sampleCases(
      [
        ['Motion JPEG', 'avi', ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p']],
        ['VP8', 'webm', ['-c:v', 'libvpx', '-b:v', '1M', '-c:a', 'libopus']],
        ['ProRes', 'mov', ['-c:v', 'prores_ks', '-pix_fmt', 'yuv422p10le']],
      ] as const,
      1,
    ),
  )('has a picture that is encoded again where mp4 does not take %s', async (_, extension, after) => {
    const file = await staged(await remux(source, join(folder, `other.${extension}`), { after }))
    const { path, facts } = await mux(file)
    expect(facts.video).toMatchObject({ codec: 'h264', width: 160, height: 96, steady_rate: rate })
    const numbers = await readFrameNumbers(path)
    // The AVI leaves out a frame after the first one, which is then shown for longer.
    expect(numbers.filter((number, index) => number !== numbers[index - 1])).toEqual(
      await readFrameNumbers(file.path),
    )
  })

  it('is not written after an abort', async () => {
    const own = await scratchFolder()
    const aborted = AbortSignal.abort(new Error('enough'))
    const options = { path: join(own, 'dubbed.mp4'), scratch: own, steps: own, threads: 1, signal: aborted }
    const file = await staged(source)
    await expect(muxDub({ source: file, sound, language: 'en-US' }, options)).rejects.toThrow('enough')
    expect(await readdir(own)).toEqual([])
  })
})
