import { describe, expect, it } from 'vitest'
import type { ResultFile } from '../../src/contract/project.ts'
import { videoLong2short } from '../../tools/video-long2short/contract.ts'
import type { ShortsOutput } from './run-shorts.ts'

const file = (format: ResultFile['format'], filename: string): ResultFile => ({
  ...{
    type: format === 'mp4' ? 'video' : 'project',
    format,
    file_id: filename,
    download_url: `/${filename}`,
    filename,
  },
})

/** A result with the files of each clip. */
function outputOf(files: readonly ResultFile[][], changes: Partial<ShortsOutput> = {}): ShortsOutput {
  return {
    clips: files.map((own, index) => ({
      ...{
        title: `Clip ${index + 1}`,
        summary: '',
        tags: [],
        score: 8,
        score_reason: '',
        highlight_words: [],
      },
      ...{ genres: [], moods: [], themes: [], segment_count: 2, total_duration_ms: 20_000 + 1000 * index },
      ...{ text: '', files: own, source_start: 10, source_end: 40 },
    })),
    report: {
      ...{ unit_count: 9, selected_count: 4, clip_count: files.length, jump_cut: true },
      ...{ jumpcut_used: true, degraded: false },
    },
    errors: {},
    ...changes,
  }
}

const nextStep = (output: ShortsOutput, input: Record<string, unknown> = { file_id: 'podcast.mp4' }) =>
  videoLong2short.nextStep?.(output, { input, nameFile: (id) => `/w/shorts/${id}` })

describe('the next step after clips', () => {
  it('looks at videos first', () => {
    expect(nextStep(outputOf([[file('mp4', 'clip1.mp4')], [file('mp4', 'clip2.mp4')]]))).toBe(
      '2 clips of 20 to 21 s. Look at each clip: call inspect_file with preview contact_sheet and file "/w/shorts/clip1.mp4", "/w/shorts/clip2.mp4". ' +
        'Tell the user the titles and the paths.',
    )
  })

  it('looks at the source without videos, and opens projects', () => {
    const step = nextStep(outputOf([[file('xml', 'clip1_podcast.xml')]]))
    expect(step).toContain(
      '1 clip of 20 s. Look at what the clips show: call inspect_file with file "podcast.mp4" and at [10, 25] for clip 1',
    )
    expect(step).toContain('Open /w/shorts/clip1_podcast.xml in the editor.')
  })

  it('names three files and the number of the others', () => {
    const files = Array.from({ length: 30 }, (_, index) => [file('mp4', `clip${index + 1}.mp4`)])
    expect(nextStep(outputOf(files))).toContain('"/w/shorts/clip3.mp4", and 27 more.')
  })

  it('states failures, a missing model, drafts, gtrk and split screens', () => {
    const output = outputOf(
      [[file('draft_a_draft', 'draft_content.json'), file('gtrk', 'clip1_podcast.gtrk')]],
      {
        errors: { video: 'clip1: the disk is full' },
      },
    )
    const split = {
      file_id: '7',
      download_url: '/7',
      filename: 'clip1_split.mp4',
      path: '/f/clip1_split.mp4',
      clip: 1,
    }
    const step = nextStep(
      { ...output, report: { ...output.report, degraded: true, split_manifest: [split] } },
      {},
    )
    expect(step).toContain('They were not all ranked and described by a language model')
    expect(step).toContain('Failed: video: clip1: the disk is full.')
    expect(step).toContain('such as /w/shorts/draft_content.json, to a new folder')
    expect(step).toContain(
      'To render /w/shorts/clip1_podcast.gtrk, pass its fields to video_timeline_render.',
    )
    expect(step).toContain('such as /w/shorts/7 to /f/clip1_split.mp4.')
    expect(step).not.toContain('inspect_file')
  })
})
