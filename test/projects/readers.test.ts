import { expect, it } from 'vitest'
import { over, times } from './foreign.ts'
import { readDraft, readDraftMeta } from './readers/draft.ts'
import { readFcpxml } from './readers/fcpxml.ts'
import { readGtrkProject } from './readers/gtrk.ts'
import { pathOfUrl } from './readers/media-path.ts'
import { readOtio } from './readers/otio.ts'
import { frameNumber, fromNumber, parseDecimal, rational } from './readers/rational.ts'
import { Inspection } from './readers/read-project.ts'
import { framesOfTimecode } from './readers/timecode.ts'
import { readXmeml } from './readers/xmeml.ts'

const ntsc30 = rational(30_000, 1001)

it.each([
  ['file:///Users/me/a%20b.mp4', '/Users/me/a b.mp4'],
  ['file://localhost/Users/me/R%26D%20%23%3F.mp4', '/Users/me/R&D #?.mp4'],
  ['file:///tmp/100%25%20%22x%22%20%27y%27.mov', `/tmp/100% "x" 'y'.mov`],
  ['file:///tmp/%F0%9F%8E%AC%20%E5%BD%B1.mov', '/tmp/🎬 影.mov'],
  ['file:///C:/My%20Clips/a.mp4', String.raw`C:\My Clips\a.mp4`],
  ['file://localhost/D%3a/a.mp4', String.raw`D:\a.mp4`],
  ['file://server/share/a.mp4', String.raw`\\server\share\a.mp4`],
  ['clips/a%20b.mp4', 'clips/a b.mp4'],
])('reads the path of %s', (url, path) => {
  expect(pathOfUrl(url, 'here', new Inspection())).toBe(path)
})

it.each([
  '',
  'https://example.test/a.mp4',
  'file:///a b.mp4',
  'file:///é.mp4',
  'file:///50%.mp4',
  'file:///a#1.mp4',
  'file:///%FF.mp4',
  String.raw`C:\a.mp4`,
])('rejects the URL "%s"', (url) => {
  expect(() => pathOfUrl(url, 'here', new Inspection())).toThrow(/^path here: /)
})

it.each([
  ['01:00:00:00', 24, 86_400, false],
  ['01:00:00:00', 30, 108_000, false],
  ['01:00:00;00', 30, 107_892, true],
  ['00:00:59;29', 30, 1799, true],
  ['00:01:00;02', 30, 1800, true],
  ['00:01:00;00', 30, undefined, true],
  ['00:10:00;00', 30, 17_982, true],
  ['00:01:00;04', 60, 3600, true],
  ['01:00:00;00', 60, 215_784, true],
  ['00:00:00:30', 30, undefined, false],
])('counts the frames of %s at %i', (text, base, frames, isDropFrame) => {
  const rate = isDropFrame ? rational(base * 1000, 1001) : rational(base)
  expect(framesOfTimecode(text, rate, isDropFrame)).toBe(frames)
})

it('reads numbers exactly', () => {
  expect(parseDecimal('29.97')).toEqual({ num: 2997, den: 100 })
  expect(parseDecimal('1e-3')).toEqual({ num: 1, den: 1000 })
  expect(parseDecimal('a')).toBeUndefined()
  expect(fromNumber(0.1)).toEqual({ num: 1, den: 10 })
  expect(rational(6, -4)).toEqual({ num: -3, den: 2 })
  expect(() => rational(2n ** 60n)).toThrow(RangeError)
})

/** An xmeml file with one clip: frames 10 to 40 of a file, retimed by a percentage. */
function xmemlOf({ ntsc = 'TRUE', timebase = 30, speed = '' }): string {
  const rate = `<rate><timebase>${timebase}</timebase><ntsc>${ntsc}</ntsc></rate>`
  const size = `<samplecharacteristics>${rate}<width>1920</width><height>1080</height></samplecharacteristics>`
  return `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE xmeml><xmeml version="5"><sequence id="s"><name>a &amp; b</name>
    <duration>30</duration>${rate}<timecode>${rate}<string>01:00:00;00</string><frame>107892</frame><displayformat>DF</displayformat></timecode>
    <media><video><format>${size}</format><track><clipitem id="c1"><name>c</name><duration>100</duration>${rate}
    <start>0</start><end>30</end><in>10</in><out>40</out><file id="f1"><name>f</name><pathurl>file:///f.mp4</pathurl>${rate}
    <duration>100</duration><media><video>${size}</video></media></file>${speed}</clipitem></track></video></media></sequence></xmeml>`
}

it('reads xmeml at NTSC rates with drop-frame timecode', () => {
  const project = readXmeml(xmemlOf({}))
  expect(project).toMatchObject({ name: 'a & b', rate: ntsc30, dropFrame: true, skipped: [] })
  expect(times(project.tracks[0]?.clips[0])).toEqual(over(30_000, 10_010, 40_040, 0, 30_030))
  expect(project.media[0]).toMatchObject({ seconds: rational(100_100, 30_000), timecodeStart: null })
})

it('reads a time remap of xmeml, whose in and out points count retimed frames', () => {
  const effect =
    '<effectid>timeremap</effectid><parameter><parameterid>speed</parameterid><value>200</value></parameter>'
  const project = readXmeml(xmemlOf({ speed: `<filter><effect>${effect}</effect></filter>` }))
  expect(project.tracks[0]?.clips[0]?.speed).toEqual(rational(2))
  expect(times(project.tracks[0]?.clips[0])).toEqual(over(30_000, 20_020, 80_080, 0, 30_030))
})

/** An FCPXML file with a timecode of 1 hour in sequence and source, and clips of 2 s and 1 s with a gap between. */
function fcpxmlOf(inside = '', start = '3603600/1000s'): string {
  return `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE fcpxml><fcpxml version="1.10"><resources>
    <format id="r1" frameDuration="1001/30000s" width="1920" height="1080"/>
    <asset id="r2" name="a" start="3603600/1000s" duration="300300/30000s" hasVideo="1" hasAudio="1" format="r1" audioChannels="2" audioRate="44100">
    <media-rep kind="original-media" src="file:///a.mp4"/></asset></resources><library><event><project name="p">
    <sequence format="r1" duration="120120/30000s" tcStart="3603600/1000s" tcFormat="DF" audioRate="44.1k"><spine>
    <asset-clip ref="r2" name="one" offset="3603600/1000s" start="${start}" duration="60060/30000s" tcFormat="DF">${inside}</asset-clip>
    <gap name="Gap" offset="108168060/30000s" duration="30030/30000s"/>
    <asset-clip ref="r2" name="two" offset="108198090/30000s" duration="30030/30000s" srcEnable="audio"/>
    </spine></sequence></project></event></library></fcpxml>`
}

it('subtracts timecode of sequence and source in FCPXML', () => {
  const project = readFcpxml(fcpxmlOf())
  expect(project).toMatchObject({ name: 'p', dropFrame: true, skipped: [] })
  expect(project.media[0]).toMatchObject({
    timecodeStart: rational(36_036, 10),
    dropFrame: true,
    seconds: rational(1001, 100),
    sampleRate: 44_100,
  })
  const [video, audio] = project.tracks
  expect(video?.clips.map(times)).toEqual([over(30_000, 0, 60_060, 0, 60_060)])
  expect(audio?.clips.map(times)).toEqual([
    over(30_000, 0, 60_060, 0, 60_060),
    over(30_000, 0, 30_030, 90_090, 120_120),
  ])
})

it('reads a linear time map of FCPXML', () => {
  const map =
    '<timeMap><timept time="3603600/1000s" value="3603600/1000s" interp="linear"/><timept time="108258150/30000s" value="108408300/30000s" interp="linear"/></timeMap>'
  const [clip] = readFcpxml(fcpxmlOf(`${map}<adjust-volume amount="-3dB"/>`)).tracks[0]?.clips ?? []
  expect(clip?.speed).toEqual(rational(2))
  expect(times(clip)).toEqual(over(30_000, 0, 120_120, 0, 60_060))
})

it('rejects an FCPXML clip that ignores the source timecode', () => {
  expect(() => readFcpxml(fcpxmlOf('', '0s'))).toThrow(/^range video track 1 clip 1 \(one\): in point/)
})

/** An OTIO timeline with a clip of 60 frames that starts 30 frames into its media. */
function otioOf({ rate = 30_000 / 1001, effects = [] as object[], key = 'DEFAULT_MEDIA' }): string {
  const time = (value: number) => ({ OTIO_SCHEMA: 'RationalTime.1', rate, value })
  const range = (start: number, duration: number) => ({
    OTIO_SCHEMA: 'TimeRange.1',
    start_time: time(start),
    duration: time(duration),
  })
  const reference = {
    OTIO_SCHEMA: 'ExternalReference.1',
    target_url: 'file:///R%26D.mp4',
    available_range: range(107_892, 300),
  }
  const clip = {
    OTIO_SCHEMA: 'Clip.2',
    name: 'c',
    source_range: range(107_922, 60),
    effects,
    media_references: { DEFAULT_MEDIA: reference },
    active_media_reference_key: key,
  }
  const gap = { OTIO_SCHEMA: 'Gap.1', source_range: range(0, 15) }
  const track = { OTIO_SCHEMA: 'Track.1', kind: 'Audio', children: [gap, clip] }
  return JSON.stringify({
    OTIO_SCHEMA: 'Timeline.1',
    name: 't',
    global_start_time: time(0),
    tracks: { OTIO_SCHEMA: 'Stack.1', children: [track] },
  })
}

it('reads OTIO clips of version 2 at NTSC rates, with source timecode and speed', () => {
  const effects = [{ OTIO_SCHEMA: 'LinearTimeWarp.1', effect_name: 'LinearTimeWarp', time_scalar: 1.25 }]
  const project = readOtio(otioOf({ effects }))
  expect(project).toMatchObject({ rate: ntsc30, skipped: [] })
  expect(project.media[0]).toMatchObject({
    path: '/R&D.mp4',
    timecodeStart: rational(107_892 * 1001, 30_000),
  })
  expect(project.tracks[0]?.kind).toBe('audio')
  expect(times(project.tracks[0]?.clips[0])).toEqual(over(30_000, 30_030, 30_030 + 75_075, 15_015, 75_075))
  expect(() => readOtio(otioOf({ rate: 29.97 }))).toThrow('frames global_start_time: rate 29.97 is not exact')
  expect(() => readOtio(otioOf({ key: 'OTHER' }))).toThrow('reference tracks/children/0/children/1')
})

/** A draft at 29.97 with one segment from frame 1 to 31, in microseconds rounded at both ends. */
function draftOf({ start = 33_367, duration = 1_001_000, styles = [[0, 5]] }): string {
  const target = { start, duration }
  const at = {
    clip: {},
    extra_material_refs: [],
    speed: 1,
    source_timerange: target,
    target_timerange: target,
  }
  const text = { text: '🎬 AB', styles: styles.map((range) => ({ range })) }
  return JSON.stringify({
    id: 'd',
    fps: 29.97,
    duration: start + duration,
    canvas_config: { width: 1080, height: 1920 },
    tracks: [
      { id: 't1', type: 'video', segments: [{ id: 's1', material_id: 'm1', ...at }] },
      { id: 't2', type: 'text', segments: [{ id: 's2', material_id: 'm2', ...at }] },
    ],
    materials: {
      videos: [{ id: 'm1', path: String.raw`C:\a b.mp4`, duration: 9_000_000 }],
      audios: [],
      texts: [{ id: 'm2', content: JSON.stringify(text) }],
      speeds: [],
    },
  })
}

it('reads drafts to the frame, and their text in UTF-16 units', () => {
  const project = readDraft(draftOf({}))
  expect(project.rate).toEqual(ntsc30)
  const clip = project.tracks[0]?.clips[0]
  expect([clip?.start, clip?.end].map((time) => time && frameNumber(time, ntsc30))).toEqual([1, 31])
  expect(project.media[0]?.path).toBe(String.raw`C:\a b.mp4`)
  expect(() => readDraft(draftOf({ start: 33_366 }))).toThrow(/^frames segment s1/)
  expect(() => readDraft(draftOf({ duration: 1_001_002 }))).toThrow(/^frames segment s1/)
  expect(() => readDraft(draftOf({ styles: [[0, 6]] }))).toThrow(/^text-range/)
  expect(() => readDraft(draftOf({ styles: [[0, 1]] }))).toThrow(/^text-range/)
  expect(
    readDraft(
      draftOf({
        styles: [
          [0, 2],
          [3, 5],
        ],
      }),
    ).skipped,
  ).toEqual(['track t2: text'])
})

it('reads the meta file of a draft', () => {
  const meta = {
    draft_id: 'd',
    draft_name: 'n',
    draft_fold_path: String.raw`C:\drafts\n`,
    draft_root_path: String.raw`C:\drafts`,
    tm_duration: 1_500_000,
    draft_materials: [{ type: 0, value: [{ file_Path: '/a.mp4' }] }],
  }
  expect(readDraftMeta(JSON.stringify(meta))).toMatchObject({ seconds: rational(3, 2), files: ['/a.mp4'] })
  expect(() => readDraftMeta(JSON.stringify({ ...meta, draft_root_path: '/other' }))).toThrow(
    /^path draft_fold_path/,
  )
})

/** A gtrk project with a gap and a clip at double speed. */
function gtrkOf(change: object = {}): string {
  const gap = { clip_id: '', track_st: 0, track_ed: 0.5, duration: 0.5 }
  const clip = {
    clip_id: 'c',
    material: 'f',
    clip_st: 1.001,
    clip_ed: 3.003,
    track_st: 0.5,
    track_ed: 1.501,
    duration: 1.001,
    speed: 2,
    ...change,
  }
  return JSON.stringify({
    version: 'v1',
    video_size: [1920, 1080],
    video_rate: 30,
    duration: 1.501,
    materials: [{ id: 'f', path: '/a b.mp4', duration: 10 }],
    video_track: [{ track_index: 0, track_timeline: [gap, clip] }],
    audio_track: [],
  })
}

it('reads gtrk projects', () => {
  const project = readGtrkProject(gtrkOf())
  expect(project).toMatchObject({ rate: rational(30), width: 1920, height: 1080, skipped: [] })
  expect(project.media[0]).toMatchObject({ id: 'f', path: '/a b.mp4', seconds: rational(10) })
  expect(project.tracks.map(({ clips }) => clips.map(times))).toEqual([[over(1000, 1001, 3003, 500, 1501)]])
  expect(() => readGtrkProject(gtrkOf({ clip_ed: 2.5 }))).toThrow(/^speed video track 1 clip 1/)
  expect(() => readGtrkProject(gtrkOf({ clip_ed: 10.5, clip_st: 8.498 }))).toThrow(/^media-end/)
  expect(() => readGtrkProject(gtrkOf({ duration: 2 }))).toThrow(/^range video_track 0 item 1: duration/)
  expect(() => readGtrkProject(gtrkOf({ material: 'g' }))).toThrow(/^reference/)
  expect(() => readGtrkProject(gtrkOf({ track_ed: 1.7, duration: 1.2 }))).toThrow(/^speed|^sequence-end/)
})
