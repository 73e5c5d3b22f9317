import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { canSpeak } from '../recordings/speak.ts'
import { soakSize } from '../soak-size.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { type CutRecording, cutRecording, type FilmRecording } from './run-cut.ts'

/** Delay of the sound, seconds. */
const late = 0.4

/** Drops every third frame, and delays the sound. */
const filmLate: FilmRecording = async (place, recording, options) => {
  const path = await writeRecording(place, recording, options)
  const result = join(place, `late-${options.name}.mp4`)
  await ffmpeg(
    ...['-i', path, '-itsoffset', String(late), '-i', path],
    ...['-map', '0:v:0', '-map', '1:a:0', '-vf', "select='mod(n,3)'", '-fps_mode', 'passthrough'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-c:a', 'copy', result],
  )
  return result
}

async function wordsOf(cut: CutRecording) {
  const { word_tc_list: words } = JSON.parse(await cut.text('transcript', 'json')) as {
    readonly word_tc_list: readonly { readonly start_time: number }[]
  }
  return words
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('footage of a variable rate with late sound', () => {
  it('is cut without a script, and its rate is reported', async () => {
    const folder = await scratchFolder()
    const request = { la: 'en-US', outputs: ['video'] }
    const spoken = { language: 'en-US', seed: 5, sentences: soakSize(1, 4), mistakes: false } as const
    const options = { ...spoken, rate: { num: 25, den: 1 }, request: () => request }
    const usual = await cutRecording(folder, options)
    const cut = await cutRecording(folder, { ...options, film: filmLate })
    expect(cut.report.script_source).toBe('rebuilt')
    expect(cut.notes).toEqual(
      expect.arrayContaining([expect.stringMatching(/the frame rate of the footage varies; .* 25 frames/)]),
    )
    expect(cut.files.map(({ format }) => format)).toEqual(['mp4', 'json'])
    const [words, laterWords] = [await wordsOf(usual), await wordsOf(cut)]
    expect(laterWords).toHaveLength(words.length)
    for (const [index, { start_time }] of words.entries())
      expect(Math.abs((laterWords[index]?.start_time ?? 0) - start_time - late)).toBeLessThan(0.05)
  })
})
