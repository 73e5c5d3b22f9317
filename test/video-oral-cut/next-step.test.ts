import { describe, expect, it } from 'vitest'
import type { OutputOf } from '../../src/contract/operation.ts'
import { projectFormats, type ResultFile } from '../../src/contract/project.ts'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'

type Output = OutputOf<typeof videoOralCut>
type Report = Output['report']

const complete: Report = {
  ...{ final_script: 'Welcome to our news.', script_source: 'user', dropped: [], uncovered_script: [] },
  ...{ review_points: [], insufficient_breaks: [], rhythm_preset: null, adaptive_rhythm: false },
  ...{ analysis_degraded: false, coverage: 1, duration_before: 63.24, duration_after: 41.08 },
}

function file(format: ResultFile['format'], filename: string): ResultFile {
  const type = format === 'mp4' ? 'video' : format === 'json' ? 'transcript' : 'project'
  return { type, format, filename, file_id: filename, download_url: '/x' }
}
const xml = file('xml', 'talk-cut.xml')
const video = file('mp4', 'talk-cut.mp4')
const transcript = file('json', 'talk-cut-transcript.json')

/** The next step of a result whose files were saved in `cuts`. */
function nextStep(files: readonly ResultFile[], report: Partial<Report> = {}): string {
  const output = { report: { ...complete, ...report }, files: [...files, transcript], errors: {} }
  const context = { input: { file_id: 'talk.mp4' }, nameFile: (id: string) => `/w/cuts/${id}` }
  return videoOralCut.nextStep?.(output, context) ?? ''
}

describe('the next step', () => {
  it('opens a project', () => {
    expect(nextStep([xml])).toBe(
      'The cut lasts 41 s of 63 s. Open /w/cuts/talk-cut.xml in the editor. Tell the user.',
    )
  })

  it('checks a video', () => {
    expect(nextStep([video])).toBe(
      'The cut lasts 41 s of 63 s. To check it, call inspect_file with file "/w/cuts/talk-cut.mp4" and preview waveform. Tell the user.',
    )
  })

  it('does both', () => {
    expect(nextStep([xml, video])).toBe(
      'The cut lasts 41 s of 63 s. To check it, call inspect_file with file "/w/cuts/talk-cut.mp4" and preview waveform. ' +
        'Open /w/cuts/talk-cut.xml in the editor. Tell the user.',
    )
  })

  it('shows the frames of review points, at most three', () => {
    const note = 'the best take of this sentence differs from the script'
    const review_points = [12.3, 20.04, 30.5, 41, 50].map((time) => ({ time, note }))
    expect(nextStep([xml], { review_points: review_points.slice(0, 1) })).toBe(
      `The cut lasts 41 s of 63 s. Check the footage at 12.3 s (${note}): call inspect_file with file "talk.mp4" and at [12.3]. ` +
        'Open /w/cuts/talk-cut.xml in the editor. Tell the user.',
    )
    expect(nextStep([xml], { review_points })).toContain(
      `at 12.3 s (${note}), 20.0 s (${note}), 30.5 s (${note}) and 2 more (report.review_points): ` +
        'call inspect_file with file "talk.mp4" and at [12.3], then [20.04], then [30.5].',
    )
  })

  it('names missing passages', () => {
    expect(nextStep([video], { uncovered_script: ['our weekly news'] })).toContain(
      '1 passage of the script has no footage (report.uncovered_script): tell the user. ',
    )
    expect(nextStep([video], { uncovered_script: ['our weekly', 'the weather'] })).toContain(
      '2 passages of the script have no footage (report.uncovered_script): tell the user. ',
    )
  })

  it('lets the agent compare what was cut with the script', () => {
    const dropped = [
      { start: 5.2, end: 9.3, asr_text: 'Welcome to', reason: 'retake' as const },
      { start: 24, end: 40.6, asr_text: 'Subscribe now.', reason: 'misread' as const },
    ]
    expect(nextStep([xml], { dropped: dropped.slice(0, 1) })).toBe(
      'The cut lasts 41 s of 63 s. 1 spoken passage was cut (4 s, report.dropped): check that nothing in it is missing in report.final_script. ' +
        'Open /w/cuts/talk-cut.xml in the editor. Tell the user.',
    )
    expect(nextStep([xml], { dropped })).toContain(
      '2 spoken passages were cut (21 s, report.dropped): check that nothing in them is missing in report.final_script. ',
    )
  })

  it('questions a script of which little was recognised', () => {
    expect(nextStep([xml], { coverage: 0.414, low_coverage: true })).toContain(
      'Only 41 % of the script was recognised: check that it belongs to this footage, and la. ',
    )
  })

  it('says where the files of drafts belong', () => {
    const draft = [file('draft_a_draft', 'draft_content.json'), file('draft_a_meta', 'draft_meta_info.json')]
    expect(nextStep(draft)).toContain(
      "Copy /w/cuts/draft_content.json and /w/cuts/draft_meta_info.json to a new folder talk-cut in the editor's folder of drafts, as draft_content.json and draft_meta_info.json. ",
    )
    expect(nextStep(draft.slice(0, 1))).toContain(
      "Copy /w/cuts/draft_content.json to a new folder talk-cut in the editor's folder of drafts, as draft_content.json. ",
    )
    const both = [...draft, file('draft_b_draft', 'draft_info.json')]
    expect(nextStep(both)).toContain(
      "Copy /w/cuts/draft_info.json to a new folder talk-cut in the editor's folder of drafts, as draft_info.json. ",
    )
    const output = { report: complete, files: draft, errors: { transcript: 'full' } }
    expect(videoOralCut.nextStep?.(output, { nameFile: (id) => id })).toContain(
      "to a new folder in the editor's folder of drafts, as draft_content.json and draft_meta_info.json. ",
    )
  })

  it('says how a gtrk project is rendered', () => {
    expect(nextStep([file('gtrk', 'talk-cut.gtrk')])).toContain(
      'To render /w/cuts/talk-cut.gtrk, pass its fields to video_timeline_render. ',
    )
  })

  it('names every project', () => {
    const files = [
      ...[
        xml,
        file('fcpxml', 'talk-cut.fcpxml'),
        file('otio', 'talk-cut.otio'),
        file('gtrk', 'talk-cut.gtrk'),
      ],
      ...[file('draft_a_draft', 'draft_content.json'), file('draft_b_draft', 'draft_info.json')],
    ]
    expect(files).toHaveLength(projectFormats.length)
    const step = nextStep(files)
    expect(step).toContain(
      'Open /w/cuts/talk-cut.xml, /w/cuts/talk-cut.fcpxml or /w/cuts/talk-cut.otio in the editor. ',
    )
    for (const { filename } of files) expect(step).toContain(filename)
  })

  it('names no footage that another session gave', () => {
    const output = {
      report: { ...complete, review_points: [{ time: 5, note: 'x' }] },
      ...{ files: [xml], errors: {} },
    }
    const step = videoOralCut.nextStep?.(output, { nameFile: (id) => id })
    expect(step).toContain('Check the footage at 5.0 s (x): call inspect_file with at [5].')
  })
})
