import { expect, test } from 'vitest'
import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { cutProject } from '../../media/timeline/project/project.ts'
import { languageNotes, pathNotes, projectNotes } from './footage-notes.ts'

const material = {
  ...{ id: '1', name: 'talk.mp4', path: '/talk.mp4', frames: 100_000 },
  ...{ picture: { width: 160, height: 90 }, sound: { channels: 1, sampleRate: 48_000 } },
  ...{ timecodeStart: 0, dropFrame: false },
}

function projectOf(clips: number, rate: Rational) {
  const ranges = Array.from({ length: clips }, (_, index) => ({ first: 20 * index, end: 20 * index + 10 }))
  return cutProject('talk-cut', material, { ranges, rate })
}

function videoOf(frame_rate: Rational, variable_rate = false): VideoFacts {
  return {
    ...{ codec: 'h264', width: 160, height: 90, coded_width: 160, coded_height: 90, rotation: 0 },
    ...{ sample_aspect_ratio: { num: 1, den: 1 }, frame_rate, variable_rate, start_ms: 0 },
    ...{ duration_ms: 60_000, pixel_format: 'yuv420p', hdr: false, alpha: false },
  }
}

/** Footage of a minute. */
function footageOf(frame_rate: Rational, variable_rate = false) {
  return { video: videoOf(frame_rate, variable_rate), duration_ms: 60_000 }
}

const ntsc = { num: 30_000, den: 1001 }
const outputs = ['project']
const xml = { outputs, project_formats: ['xml' as const] }
const gtrk = { outputs, project_formats: ['gtrk' as const] }

test('footage of a usual rate with few cuts has no notes', () => {
  expect(projectNotes(projectOf(250, ntsc), gtrk, footageOf(ntsc))).toEqual([])
})

test('a variable rate, and a rate that editors do not have, are reported with the rate of the project', () => {
  const varying = projectNotes(projectOf(2, ntsc), xml, footageOf({ num: 27, den: 1 }, true))
  expect(varying).toEqual([
    'the frame rate of the footage varies; the cut and its projects have 29.97 frames per second',
  ])
  const slow = projectNotes(projectOf(2, { num: 13, den: 1 }), xml, footageOf({ num: 25, den: 2 }))
  expect(slow).toEqual([
    'the footage has 12.5 frames per second, which editors do not have; the cut and its projects have 13 frames per second',
  ])
})

test('a gtrk project with more clips than a timeline may have is reported', () => {
  const notes = projectNotes(projectOf(251, ntsc), gtrk, footageOf(ntsc))
  expect(notes).toEqual([expect.stringContaining('502 clips, but a timeline is rendered with at most 500')])
  expect(projectNotes(projectOf(251, ntsc), xml, footageOf(ntsc))).toEqual([])
})

test('footage that is cut off is reported', () => {
  expect(projectNotes(projectOf(2, ntsc), xml, { ...footageOf(ntsc), cut_off_ms: 40_500 })).toEqual([
    'the footage is cut off after 40.5 s of 60 s: the rest cannot be cut',
  ])
})

test.each([
  ['/Users/ann/talk.mp4', true],
  ['C:\\Footage\\talk.mp4', true],
  ['d:/footage/talk.mp4', true],
  ['\\\\server\\share\\talk.mp4', true],
  ['//server/share/talk.mp4', true],
  ['talk.mp4', false],
  ['./talk.mp4', false],
  ['footage\\talk.mp4', false],
  ['C:talk.mp4', false],
  ['~/talk.mp4', false],
])('source_path %s is a full path: %s', (source_path, isFull) => {
  const note = [expect.stringContaining(`source_path ${JSON.stringify(source_path)} is not a full path`)]
  expect(pathNotes({ ...xml, source_path })).toEqual(isFull ? [] : note)
  expect(pathNotes({ ...gtrk, source_path })).toEqual([])
  expect(pathNotes({ outputs: ['video'], source_path })).toEqual([])
  expect(pathNotes({ outputs, source_path })).toEqual(isFull ? [] : note)
})

test.each([
  ['zh-CN', ['今天', '做', 'Premiere', '教程。'], true],
  ['zh-CN', ['Today', 'we', 'are', 'building'], false],
  ['ja-JP', ['これは', 'ペン', 'です'], true],
  ['ja-JP', ['이것은', '펜입니다'], false],
  ['ko-KR', ['이것은', '펜입니다'], true],
  ['ko-KR', ['これは', 'ペン'], false],
  ['en-US', ['Today', '2014'], true],
  ['fr-FR', ['今天', '做'], false],
  ['zh-CN', ['2014'], true],
  ['zh-CN', [], true],
] as const)('words recognised as %s: %j are in its script: %s', (la, words, isOwn) => {
  const notes = languageNotes(
    words.map((text) => ({ text })),
    { field: 'la', language: la },
  )
  expect(notes).toEqual(isOwn ? [] : [expect.stringContaining(`la (${la})`)])
})
