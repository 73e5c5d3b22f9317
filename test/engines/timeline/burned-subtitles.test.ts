import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderTimeline } from '../../../src/engines/timeline/render.ts'
import { frameTime } from '../../../src/media/frame-rate.ts'
import type { Timeline, TimelineClip } from '../../../src/media/timeline/timeline.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { counter, ffmpeg, solidColour } from '../../video-split-screen/media.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'

const folder = await scratchFolder()
const rate = { num: 30_000, den: 1001 }
const canvas = { width: 160, height: 90 }

/** A cue that covers the left half with half-transparent white: two layers would be brighter than one. */
function cue(from: number, to: number): string {
  const time = (seconds: number) => `0:00:${seconds.toFixed(2).padStart(5, '0')}`
  return `Dialogue: 0,${time(from)},${time(to)},Default,,0,0,0,,{\\an7\\pos(0,0)\\1a&H80&\\bord0\\shad0\\p1}m 0 0 l 80 0 80 90 0 90`
}

test('subtitles are drawn at the times of the output in every part, once', async () => {
  const dark = await solidColour(
    join(folder, 'dark.mkv'),
    { ...canvas, seconds: 28, rate: '30000/1001' },
    '0x202020',
  )
  const other = await counter(join(folder, 'other.mkv'), { ...canvas, seconds: 1, rate: '30000/1001' })
  const cues = Array.from({ length: 27 }, (_, index) => [index + 0.2, index + 0.7] as const)
  const subtitles = join(folder, 'cues.ass')
  const header = `[Script Info]\nScriptType: v4.00+\nPlayResX: 160\nPlayResY: 90\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, Alignment\nStyle: Default,Sans,20,&H00FFFFFF,7\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n`
  await writeFile(subtitles, header + cues.map(([from, to]) => cue(from, to)).join('\n'))
  const clip = (path: string, [from, to]: readonly [number, number], start: number): TimelineClip => ({
    ...{ requestPath: 'clip', material: fileIdOf(path), speed: 1, keepPitch: true, volume: 0 },
    source: { from: frameTime(from, rate), to: frameTime(to, rate) },
    track: { from: frameTime(start, rate), to: frameTime(start + to - from, rate) },
  })
  // A few frames of another file are a group of their own in a part.
  const picture = [clip(dark, [0, 400], 0), clip(other, [2, 5], 400), clip(dark, [403, 810], 403)]
  const timeline: Timeline = {
    ...canvas,
    rate,
    frames: 810,
    seconds: frameTime(810, rate),
    picture,
    sound: [],
  }
  const scratch = join(folder, 'scratch')
  await mkdir(scratch)
  const path = join(scratch, 'result.mp4')
  await renderTimeline(timeline, {
    ...{ path, scratch, files: await stageFiles([dark, other]), threads: 2, subtitles: { path: subtitles } },
    signal: new AbortController().signal,
    progress: () => {},
  })
  expect(await readdir(scratch)).toEqual(['result.mp4'])
  const luma = ['-vf', 'extractplanes=y', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'gray']
  const pixels = await ffmpeg('-i', path, ...luma, '-')
  expect(pixels.length).toBe(810 * 160 * 90)
  for (let frame = 0; frame < 810; frame += 1) {
    if (frame >= 400 && frame < 403) continue
    const at = (x: number) => pixels[frame * 160 * 90 + 45 * 160 + x] ?? 0
    const seconds = frameTime(frame, rate)
    const isDrawn = cues.some(([from, to]) => seconds >= from && seconds < to)
    const lift = at(40) - at(120)
    if (isDrawn) expect(Math.abs(lift - 95), `frame ${frame}: ${lift}`).toBeLessThan(12)
    else expect(Math.abs(lift), `frame ${frame}`).toBeLessThan(5)
  }
})
