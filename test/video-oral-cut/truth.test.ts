import { beforeAll, describe, expect, it } from 'vitest'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { projectReaders } from '../projects/project-readers.ts'
import { readFrameNumbers, spansOfFrames } from '../recordings/frame-marks.ts'
import { judgeCut } from '../recordings/judge.ts'
import { canSpeak } from '../recordings/speak.ts'
import { soakSize } from '../soak-size.ts'
import { type CutRecording, cutRecording } from './run-cut.ts'

const rate = { num: 25, den: 1 }

/** Kept source spans of a project, seconds. */
function spansOf(text: string, format: ProjectFormat) {
  const [track] = projectReaders[format](text).tracks
  return (track?.clips ?? []).map(({ from, to }) => ({ start: from.num / from.den, end: to.num / to.den }))
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('a generated recording with known truth', () => {
  let cut: CutRecording
  beforeAll(async () => {
    cut = await cutRecording(await scratchFolder(), {
      ...{ language: 'en-US', seed: 3, sentences: soakSize(4, 8), mistakes: true, rate },
      request: ({ text }) => ({
        ...{ la: 'en-US', script: text, adaptive_rhythm: false },
        ...{ outputs: ['project', 'video'], project_formats: projectFormats },
        source_path: '/footage/talk.mp4',
      }),
    })
  })

  it('is cut like the truth, in all formats and in the video', async () => {
    const xml = spansOf(await cut.text('project', 'xml'), 'xml')
    const judged = judgeCut(cut.recording.truth, xml, rhythmTable.default)
    expect(judged.f1).toBeGreaterThan(0.97)
    expect(judged.clippedWords).toEqual([])
    for (const format of projectFormats) {
      const spans = spansOf(await cut.text('project', format), format)
      expect(spans).toEqual(
        xml.map(({ start, end }) => ({ start: expect.closeTo(start, 5), end: expect.closeTo(end, 5) })),
      )
    }
    const video = cut.files.find(({ type }) => type === 'video')
    const shown = spansOfFrames(await readFrameNumbers(video?.path ?? ''), rate)
    expect(shown).toEqual(
      xml.map(({ start, end }) => ({ start: expect.closeTo(start, 5), end: expect.closeTo(end, 5) })),
    )
  })

  it('has a truthful report', () => {
    const { report, files, errors } = cut
    expect(errors).toEqual({})
    expect(files.map(({ format }) => format)).toEqual([
      ...['xml', 'fcpxml', 'otio', 'gtrk', 'draft_a_draft', 'draft_b_draft', 'mp4', 'json'],
    ])
    expect(report).toMatchObject({
      ...{ final_script: cut.script.text, script_source: 'user', uncovered_script: [] },
      ...{ rhythm_preset: null, adaptive_rhythm: false, analysis_degraded: false },
    })
    expect(report.coverage).toBeGreaterThan(0.9)
    expect(report.duration_before).toBeCloseTo(cut.recording.truth.seconds, 1)
    const [video] = files.filter(({ type }) => type === 'video')
    expect(video?.duration).toBeCloseTo(report.duration_after, 3)
    expect(report.dropped.length).toBeGreaterThan(0)
  })

  it('returns everything that was said with its times', async () => {
    const transcript = JSON.parse(await cut.text('transcript', 'json')) as {
      readonly word_tc_list: readonly { readonly start_time: number }[]
    }
    const spoken = cut.recording.truth.words.length
    expect(transcript.word_tc_list.length).toBeGreaterThan(0.8 * spoken)
  })
})
