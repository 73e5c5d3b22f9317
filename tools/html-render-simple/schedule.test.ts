import { describe, expect, it } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import type { FileKind } from '../../src/contract/file-kind.ts'
import type { AudioFacts, MediaFacts, VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile } from '../../src/contract/operation.ts'
import { htmlRenderSimple } from './contract.ts'
import { coveredFrames, schedule } from './schedule.ts'
import { plan } from './plan.ts'
import { exactRate } from '../../src/media/frame-rate.ts'

const sound: AudioFacts = { codec: 'aac', channels: 2, sample_rate: 48_000, start_ms: 0, duration_ms: 10_000 }
const picture: VideoFacts = {
  ...{ codec: 'h264', width: 640, height: 360, coded_width: 640, coded_height: 360, rotation: 0 },
  sample_aspect_ratio: { num: 1, den: 1 },
  frame_rate: { num: 30, den: 1 },
  ...{
    variable_rate: false,
    start_ms: 0,
    duration_ms: 10_000,
    pixel_format: 'yuv420p',
    hdr: false,
    alpha: false,
  },
}

function file(name: string, kind: FileKind, facts: Partial<MediaFacts> | null): RequestFile {
  const plain = {
    container: 'mov',
    duration_ms: 10_000,
    size: 1,
    bit_rate: null,
    video: null,
    audio: [],
    subtitles: [],
  }
  return { file_id: name, name, size: 100, kind, facts: facts && { ...plain, ...facts } }
}

const all = [
  file('talk.mp4', 'video', { video: picture, audio: [sound] }),
  file('silent.mp4', 'video', { video: picture }),
  file('cut.mp4', 'video', { video: picture, cut_off_ms: 4_060 }),
  file('still.mp4', 'video', { video: { ...picture, duration_ms: 0 }, duration_ms: 0 }),
  file('song.mp3', 'audio', { audio: [sound] }),
  file('title.html', 'text', null),
  file('note.txt', 'text', null),
  { ...file('huge.html', 'text', null), size: 2 ** 25 },
]
const files = {
  get(id: string): RequestFile {
    const found = all.find(({ file_id }) => file_id === id)
    if (!found) throw new MediaError(6004, id)
    return found
  },
}
const names = Object.fromEntries(all.map(({ name }) => [name, name]))

const video = { type: 'video', asset: 'talk.mp4', track_index: 0, start: 0 }
const audio = { type: 'audio', asset: 'song.mp3', track_index: 0, start: 0 }
const beat = { start: 0, duration: 1, track_index: 0, html: 'x' }

function read(composition: object, render: object = {}) {
  const video_size = { width: 640, height: 360 }
  const given = { video_size, assets: { file_id: names }, tracks: [video], ...composition }
  return htmlRenderSimple.input.parse({ composition: given, render: { ...render } })
}

const lengthOf = (composition: object, render?: object) => {
  const { frames, rate } = schedule(read(composition, render), files)
  return (frames * rate.den) / rate.num
}

describe('length', () => {
  it.each<[string, number, object, object?]>([
    ['the latest track, to the end of its file', 12, { tracks: [{ ...video, start: 2 }] }],
    ['a sound by its start and duration', 23, { tracks: [video, { ...audio, start: 20, duration: 3 }] }],
    [
      'a track that is not used',
      15,
      {
        tracks: [
          { ...video, duration: 3 },
          { ...video, start: 5 },
        ],
      },
    ],
    ['the latest particle', 15, { beats: [{ ...beat, start: 14 }] }],
    ['a track that says how long it is', 3, { tracks: [{ ...video, duration: 3 }] }],
    ['the composition, where it says', 4, { duration: 4, beats: [{ ...beat, start: 14 }] }],
    [
      'the last particle of a layer',
      15,
      { duration: 4, beats: [{ ...beat, start: 14 }] },
      { output_format: 'webm' },
    ],
    ['one frame at least', 1 / 30, { duration: 0.001 }],
  ])('is that of %s', (_, seconds, composition, render) => {
    expect(lengthOf(composition, render)).toBeCloseTo(seconds, 9)
  })

  it('is a whole number of frames at the exact rate, and is charged by started minutes', () => {
    expect(exactRate(29.97)).toEqual({ num: 30_000, den: 1001 })
    expect(exactRate(23.976)).toEqual({ num: 24_000, den: 1001 })
    expect(exactRate(12.5)).toEqual({ num: 12_500, den: 1000 })
    expect(exactRate(60)).toEqual({ num: 60, den: 1 })
    const { frames } = schedule(read({ duration: 60, fps: 30 }, { fps: 29.97 }), files)
    expect(frames).toBe(1798)
    expect(plan(read({ duration: 60 }), files).credits).toBe(1)
    expect(plan(read({ duration: 60.1 }), files).credits).toBe(2)
  })
})

describe('tracks', () => {
  it('are used only if they are the first of their type', () => {
    const tracks = [audio, video, { ...video, start: 10 }, { ...audio, track_index: 1 }]
    const { base, sound: soundTracks, notes } = schedule(read({ tracks }), files)
    expect([base?.file.name, soundTracks?.name]).toEqual(['talk.mp4', 'song.mp3'])
    expect(notes).toEqual([
      'tracks[2] is not used, because only the first video track is',
      'tracks[3] is not used, because only the first audio track is',
      'talk.mp4 ends at 10 s of 20 s; the rest has a black background',
    ])
  })

  it('of audio get a note about fields that do not apply', () => {
    const notesOf = (track: object) =>
      schedule(read({ tracks: [video, { ...audio, ...track }] }), files).notes
    expect(notesOf({})).toEqual([])
    expect(notesOf({ duration: 10.0004 })).toEqual([])
    expect(notesOf({ start: 3, duration: 2, volume: 0.5 })).toEqual([
      'tracks[1] plays from 0 to 10 s unchanged: start, duration, volume do not apply to audio',
    ])
    expect(notesOf({ volume: 0.5 })).toEqual([
      'tracks[1] plays from 0 to 10 s unchanged: volume does not apply to audio',
    ])
    const cut = { duration: 4, tracks: [video, { ...audio, start: 1, duration: 4 }] }
    expect(schedule(read(cut), files).notes).toEqual([
      'tracks[1] plays from 0 to 4 s unchanged: start does not apply to audio',
    ])
  })

  it('of the base get a note if black follows', () => {
    const short = { ...video, duration: 4 }
    expect(schedule(read({ tracks: [short, audio] }), files).notes).toEqual([
      'talk.mp4 ends at 4 s of 10 s; the rest has a black background',
    ])
  })

  it('show the base on its frames, with sound only if it has any and is not muted', () => {
    const base = (track: object) =>
      schedule(read({ duration: 5, tracks: [{ ...video, ...track }] }), files).base
    expect(base({ start: 1, duration: 2 })).toMatchObject({ startFrame: 30, endFrame: 90, isHeard: false })
    expect(base({ start: 1, muted: false })).toMatchObject({ startFrame: 30, endFrame: 150, isHeard: true })
    expect(base({ asset: 'silent.mp4', muted: false })).toMatchObject({ isHeard: false })
    expect(base({ asset: 'cut.mp4', duration: 4 })).toMatchObject({ endFrame: 120 })
    expect(base({ start: 9 })).toMatchObject({ startFrame: 150, endFrame: 150 })
  })

  it('of the base are noted if its frames are not all shown equally often', () => {
    const notesAt = (fps: number) =>
      schedule(read({ fps, tracks: [{ ...video, muted: false }] }), files).notes
    expect([notesAt(30), notesAt(60)]).toEqual([[], []])
    expect([notesAt(25), notesAt(45)]).toEqual([
      [
        'talk.mp4 has 30 frames per second and the result 25: set composition.fps to 30 to show each of its frames once',
      ],
      [
        'talk.mp4 has 30 frames per second and the result 45: set composition.fps to 30 to show each of its frames once',
      ],
    ])
  })

  it('are noted if the result has no sound, but the base has', () => {
    const notesOf = (...tracks: object[]) => schedule(read({ tracks }), files).notes
    expect(notesOf(video)).toEqual([
      'the sound of talk.mp4 is not played: set composition.tracks[0].muted to false to keep it',
    ])
    expect(notesOf({ ...video, muted: false })).toEqual([])
    expect(notesOf({ ...video, asset: 'silent.mp4' })).toEqual([])
    expect(notesOf(video, audio)).toEqual([])
  })

  it('may be adjacent on one layer and overlap on two', () => {
    const on =
      (...tracks: object[]) =>
      () =>
        schedule(read({ tracks }), files)
    expect(on({ ...video, duration: 2 }, { ...video, start: 2 })).not.toThrow()
    expect(on(video, { ...video, track_index: 1 }, audio)).not.toThrow()
    expect(on(video, { ...video, start: 9.9 })).toThrow(
      'tracks[0] and tracks[1] overlap on the video layer 0',
    )
    const long = { ...audio, duration: 9 }
    expect(on(video, long, { ...audio, start: 1, duration: 1 }, { ...audio, start: 3 })).toThrow(
      'tracks[1] and tracks[2]',
    )
  })
})

it.each<[string, number, object, RegExp, object?]>([
  [
    'a sound as picture',
    6014,
    { tracks: [{ ...video, asset: 'song.mp3' }] },
    /tracks\[0\]\.asset: song\.mp3 is not a video/,
  ],
  [
    'a still as picture',
    6014,
    { tracks: [{ ...video, asset: 'still.mp4' }] },
    /still\.mp4 is not a video with moving/,
  ],
  ['text as picture', 6014, { tracks: [{ ...video, asset: 'title.html' }] }, /title\.html is not a video/],
  [
    'a silent video as sound',
    6014,
    { tracks: [{ ...audio, asset: 'silent.mp4' }] },
    /silent\.mp4 has no sound/,
  ],
  [
    'a picture that ends too early',
    6021,
    { tracks: [{ ...video, asset: 'cut.mp4' }] },
    /cut\.mp4 is cut off, .* after 4\.0 s/,
  ],
  [
    'a particle of another type',
    6014,
    { beats: [{ ...beat, html: undefined, html_asset: 'note.txt' }] },
    /beats\[0\]\.html_asset: note\.txt/,
  ],
  [
    'a particle that is too large',
    6016,
    { beats: [{ ...beat, html: undefined, html_asset: 'huge.html' }] },
    /beats\[0\]\.html_asset: .* 16 MiB/,
  ],
  [
    'seven hours',
    6016,
    { tracks: [{ ...video, start: 21_595 }], beats: [{ ...beat, start: 21_600, duration: 3600 }] },
    /7\.0 hours/,
  ],
])('%s is rejected', (_, code, composition, expected, render = {}) => {
  let refused: unknown
  try {
    schedule(read(composition, render), files)
  } catch (error) {
    refused = error
  }
  expect(refused).toMatchObject({ code, message: expect.stringMatching(expected) })
})

it('particles are limited to 64 MiB together, and a shared file counts once', () => {
  const large = [0, 1, 2, 3, 4].map((n) => ({ ...file(`${n}.html`, 'text', null), size: 15 * 2 ** 20 }))
  const given = { get: (id: string) => large.find(({ file_id }) => file_id === id) ?? files.get(id) }
  const assets = { file_id: { ...names, ...Object.fromEntries(large.map(({ name }) => [name, name])) } }
  const showing = (...shown: string[]) => {
    const beats = shown.map((html_asset) => ({ ...beat, html: undefined, html_asset }))
    return schedule(read({ assets, beats }), given).beats
  }
  expect(showing('0.html', '1.html', '2.html', '3.html', ...Array(100).fill('0.html'))).toHaveLength(104)
  expect(() => showing('0.html', '1.html', '2.html', '3.html', '4.html')).toThrow(
    'composition.beats: the particles are larger than 64 MiB together',
  )
})

it('the size of a particle is counted in bytes', () => {
  const html = '€'.repeat(6 * 2 ** 20)
  expect(() => schedule(read({ beats: [{ ...beat, html }] }), files)).toThrow(
    'beats[0].html: the particle is larger than',
  )
})

it('coveredFrames returns the frames that show any particle as disjoint spans in order', () => {
  const rate = { num: 10, den: 1 }
  const beats = [
    { start: 2, duration: 0.5 },
    { start: 0.1, duration: 0.2 },
    { start: 0.25, duration: 1 },
    { start: 1.25, duration: 0.04 },
    { start: 2.9, duration: 5 },
  ]
  expect(coveredFrames(beats, { rate, frames: 30 })).toEqual([
    { first: 1, end: 13 },
    { first: 20, end: 25 },
    { first: 29, end: 30 },
  ])
})
