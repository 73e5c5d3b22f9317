import { expect, it } from 'vitest'
import { findFileRefs } from '../../src/contract/file.ts'
import { videoTimelineRender } from './contract.ts'

it('every field that refers to a file accepts a path, with the permitted kinds of files', () => {
  const [{ input }] = videoTimelineRender.examples
  const references = findFileRefs(videoTimelineRender.input, input).map(({ path, kinds, value }) => [
    path.join('.'),
    kinds.join(),
    value,
  ])
  expect(references).toEqual([
    ['materials.0.id', 'video,audio', 'street.mp4'],
    ['materials.1.id', 'video,audio', 'jump.mp4'],
    ['materials.2.id', 'video,audio', 'music.mp3'],
    ['video_track.0.track_timeline.0.material', 'video', 'street.mp4'],
    ['video_track.0.track_timeline.1.material', 'video', 'jump.mp4'],
    ['audio_track.0.track_timeline.0.material', 'audio,video', 'music.mp3'],
  ])
})

const gap = { clip_id: '', track_st: 0, track_ed: 1, duration: 1 }
const timeline = {
  ...{ version: 'v1', video_size: [640, 360], video_rate: 25, materials: [], audio_track: [] },
  video_track: [{ track_index: 0, track_timeline: [gap] }],
}
const parse = (changes: string) =>
  videoTimelineRender.input.safeParse({ ...timeline, ...(JSON.parse(changes) as object) })

it('ignored fields are discarded, however deep they are nested and whatever their names', () => {
  const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)
  const { data } = parse(`{"struct_meta": ${deep}, "beat_track": [${deep}, {"__proto__": {"muted": true}}]}`)
  expect(data?.struct_meta).toEqual({})
  expect(JSON.stringify(data?.beat_track)).toBe('[{},{}]')
})

it.each([
  ['an infinite time', '"track_st": 1e400, "track_ed": 1e401'],
  ['a time longer than any file', '"track_st": 1e308, "track_ed": 1.1e308, "duration": 1e307'],
  ['a time as text', '"track_st": "NaN"'],
  ['a negative time', '"track_st": -1e-9'],
  ['a speed of nearly zero', '"speed": 5e-324'],
  ['a duration of zero', '"duration": -0'],
])('%s is rejected', (_, change) => {
  const clip = JSON.stringify(gap).replace(/}$/, `,${change}}`)
  const { error } = parse(`{"video_track": [{"track_index": 0, "track_timeline": [${clip}]}]}`)
  expect(error?.issues[0]?.path.slice(0, 4)).toEqual(['video_track', 0, 'track_timeline', 0])
})

it('accepts keys of objects, lone surrogates and duplicates as names', () => {
  const clips = ['__proto__', 'constructor', '\\ud800', '\\ud800'].map(
    (name, at) => `{"clip_id": "${name}", "material": "__proto__", "clip_st": -0, "clip_ed": 1,
      "track_st": ${at}, "track_ed": ${at + 1}, "duration": 1, "__proto__": {"muted": true}}`,
  )
  const tracks = `"video_track": [{"track_index": -1e308, "track_timeline": [${clips.join()}]}]`
  const { data } = parse(`{"materials": [{"id": "__proto__"}, {"id": "__proto__"}], ${tracks}}`)
  expect(data?.video_track[0]?.track_timeline.map(({ muted }) => muted)).toEqual(Array(4).fill(undefined))
  expect(parse(`{"materials": [{"id": "x"}], ${tracks}}`).error?.issues[0]?.path.at(-1)).toBe('material')
})
