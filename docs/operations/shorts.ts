import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDrawing } from '../../src/engines/canvas/drawing.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { runShorts, type ShortsRun } from '../../test/video-long2short/run-shorts.ts'
import { clipModel } from '../../test/video-long2short/shorts-model.ts'
import { faint, filmTalk, frameAt, ink, write } from './shorts-talk.ts'

// Draws shorts.jpg: frames of the source, and frames and subtitles of the clips of a generated talk.
// REELWRIGHT_TESTDATA=<folder of test data> node docs/operations/shorts.ts

/** Frames of each clip, and their size in the picture, pixels. */
const framesPerClip = 5
const frame = { width: 162, height: 288 }
const source = { width: 512, height: 288 }
const margin = 20
const row = frame.height + 104

const folder = await mkdtemp(join(tmpdir(), 'shorts-'))
try {
  await writeFile(new URL('shorts.jpg', import.meta.url), await draw(await makeShorts()))
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Makes vertical clips of the talk. */
async function makeShorts(): Promise<{ readonly path: string; readonly run: ShortsRun }> {
  await using talk = await filmTalk(folder, clipModel)
  const request = {
    ...{ outputs: ['video', 'subtitle'], output_size: '540x960' },
    duration: { pref: 'short', max_clip_sec: 20 },
  }
  return { path: talk.path, run: await runShorts(talk.path, request, { folder }) }
}

async function draw({ path, run }: Awaited<ReturnType<typeof makeShorts>>): Promise<Buffer> {
  const { createCanvas } = await loadDrawing()
  const { clips } = run.output
  const width = 3 * margin + source.width + framesPerClip * (frame.width + 8)
  const canvas = createCanvas(width, clips.length * row + margin)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ffffff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  for (const [index, clip] of clips.entries()) {
    const top = margin + index * row
    const name = `clip${index + 1}`
    const { source_start: start, source_end: end } = clip
    write(pen, `${start.toFixed(1)} to ${end.toFixed(1)} s of the video`, {
      x: margin,
      y: top + 14,
      colour: faint,
    })
    pen.drawImage(
      await frameAt(path, (start + end) / 2, folder),
      margin,
      top + 28,
      source.width,
      source.height,
    )
    const left = 2 * margin + source.width
    const seconds = clip.total_duration_ms / 1000
    write(
      pen,
      `${clip.title} · ${seconds.toFixed(1)} s · score ${clip.score} · ${clip.segment_count} parts`,
      {
        ...{ x: left, y: top + 14, colour: ink },
      },
    )
    const { entries } = readSubtitles(Buffer.from(await run.text(`${name}.srt`)), { format: 'srt' })
    for (let number = 0; number < framesPerClip; number += 1) {
      const at = ((number + 0.5) * seconds) / framesPerClip
      const x = left + number * (frame.width + 8)
      pen.drawImage(
        await frameAt(run.paths.get(`${name}.mp4`) ?? '', at, folder),
        x,
        top + 28,
        frame.width,
        frame.height,
      )
      const shown = entries.find((entry) => entry.end > at * 1000)
      for (const [line, text] of (shown?.text.split('\n') ?? []).entries())
        write(pen, text, { x, y: top + 48 + frame.height + 17 * line, colour: faint, width: frame.width })
    }
  }
  return await canvas.encode('jpeg', 88)
}
