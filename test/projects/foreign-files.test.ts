import { describe, expect, it } from 'vitest'
import { foreignFolder, foreignProject, over, times, trackSizes } from './foreign.ts'
import { readDraft } from './readers/draft.ts'
import { readFcpxml } from './readers/fcpxml.ts'
import { readOtio } from './readers/otio.ts'
import { rational } from './readers/rational.ts'
import { readXmeml } from './readers/xmeml.ts'

describe.skipIf(foreignFolder === undefined)('projects of other programs (REELWRIGHT_TESTDATA)', () => {
  it('reads an xmeml export with cuts, transitions, linked sound and a clip of another rate', () => {
    const project = readXmeml(foreignProject('xmeml/premiere_example.xml'), {
      tolerate: ['overlap audio track 7 clip 2', 'sequence-end'],
    })
    expect(project).toMatchObject({
      name: 'sc01_sh010_layerA',
      rate: rational(30),
      dropFrame: false,
      width: 1280,
      height: 720,
    })
    expect(trackSizes(project)).toEqual([
      ['video', 1],
      ['video', 3],
      ['video', 0],
      ['video', 2],
      ['audio', 2],
      ['audio', 2],
      ['audio', 1],
      ['audio', 1],
      ['audio', 1],
      ['audio', 1],
      ['audio', 2],
      ['audio', 2],
    ])
    const [first, second, , fourth] = project.tracks
    // The clip counts 50 frames at 15 a second.
    expect(times(first?.clips[0])).toEqual(over(30, 0, 100, 536, 636))
    expect(times(second?.clips[1])).toEqual(over(30, 0, 157, 165, 322))
    // The clip ends with a transition to black.
    expect(times(second?.clips[2])).toEqual(over(30, 0, 235, 322, 557))
    // The transition from 1152 to 1177 is centred on the cut at 1164, where the linked sound is cut.
    expect(times(fourth?.clips[0])).toEqual(over(30, 34, 242, 956, 1164))
    expect(times(fourth?.clips[1])).toEqual(over(30, 18, 100, 1164, 1246))
    expect(times(project.tracks[11]?.clips[0])).toEqual(over(30, 34, 242, 956, 1164))
    expect(times(project.tracks[11]?.clips[1])).toEqual(over(30, 18, 100, 1164, 1246))
    expect(project.skipped).toHaveLength(8)
  })

  it('reads the media of an xmeml export: Windows paths, drop-frame timecode, channels', () => {
    const { media } = readXmeml(foreignProject('xmeml/premiere_example.xml'), {
      tolerate: ['overlap audio track 7 clip 2', 'sequence-end'],
    })
    expect(media.map(({ id }) => id)).toEqual(['file-1', 'file-2', 'file-3', 'file-5', 'file-6', 'file-7'])
    expect(media[3]).toEqual({
      id: 'file-5',
      name: 'sc01_master_layerA_sh030_temp.mov',
      path: String.raw`D:\media\sc01_master_layerA_sh030_temp.mov`,
      seconds: rational(400, 30),
      timecodeStart: rational(99, 30),
      dropFrame: false,
      width: 1280,
      height: 720,
      rate: rational(30),
      channels: 2,
      sampleRate: 48_000,
    })
    expect(media[4]).toMatchObject({
      path: String.raw`D:\media\sc01_placeholder.wav`,
      timecodeStart: rational(8497, 30),
      dropFrame: true,
      width: null,
    })
  })

  it('reads another xmeml export, whose media starts at 12:44:37:23', () => {
    const project = readXmeml(foreignProject('xmeml/hiero_xml_export.xml'), {
      tolerate: [
        'missing xmeml/sequence/media/video/track/clipitem',
        'frames',
        'media-end video track 1 clip 2',
      ],
    })
    expect(project).toMatchObject({ rate: rational(24), width: 1920, height: 1080, dropFrame: false })
    expect(project.media[0]).toMatchObject({
      path: '/A160R0MN/A160R0MN/A160C005_171213_R0MN.mxf',
      seconds: rational(1055, 24),
      timecodeStart: rational(1_101_071, 24),
      width: 3424,
      height: 2202,
    })
    expect(times(project.tracks[0]?.clips[0])).toEqual(over(24, 0, 1055, 14, 1069))
    expect(project.tracks[0]?.clips[1]).toMatchObject({ start: rational(1085, 24), end: rational(1324, 24) })
  })

  it('reads an empty xmeml sequence', () => {
    const project = readXmeml(foreignProject('xmeml/sample_just_track.xml'), {
      tolerate: ['missing xmeml/sequence', 'sequence-end'],
    })
    expect(project).toMatchObject({ rate: rational(30), width: null, tracks: [], media: [] })
  })

  it('reads FCPXML at 23.976 with retimes, an audition and connected storylines', () => {
    const project = readFcpxml(foreignProject('fcpxml/23.98.fcpxml'))
    expect(project).toMatchObject({
      name: '23.98_V1',
      rate: rational(24_000, 1001),
      dropFrame: false,
      width: 1920,
      height: 1080,
    })
    expect(trackSizes(project)).toEqual([
      ['video', 7],
      ['video', 3],
      ['audio', 7],
      ['audio', 3],
    ])
    const [main, connected, sound] = project.tracks
    expect(times(main?.clips[0])).toEqual(over(24_000, 0, 760_760, 0, 760_760))
    expect(times(main?.clips[2])).toEqual(
      over(24_000, 2_088_086, 2_088_086 + 624_624, 1_407_406, 1_407_406 + 624_624),
    )
    // Sound has no picture; the rest is the same.
    expect(sound?.clips).toEqual(main?.clips.map((clip) => ({ ...clip, picture: undefined })))
    expect(main?.clips[0]?.picture).toEqual({ x: 0, y: 0, width: project.width, height: project.height })
    // The retime continues where the clip before it ends, to less than a frame.
    const [before, retimed] = main?.clips.slice(2) ?? []
    expect(retimed?.speed).toEqual(rational(149_819_760, 65_872_008))
    expect((retimed?.from.num ?? 0) / (retimed?.from.den ?? 1)).toBeCloseTo(
      (before?.to.num ?? 0) / (before?.to.den ?? 1),
      1,
    )
    // In the storyline at 571571/3000 s of a clip that starts at 4292288/24000 s and is at 2726724/24000 s.
    const storyline = 2_726_724 + 571_571 * 8 - 4_292_288
    expect(times(connected?.clips[1])).toEqual(
      over(24_000, 7_423_416, 7_797_790, storyline + 89_089, storyline + 89_089 + 374_374),
    )
    // Connected to a clip, without a storyline.
    const place = 4_799_795 + 9_349_340 - 9_171_162
    expect(times(connected?.clips[2])).toEqual(over(24_000, 7_198_191, 7_573_566, place, place + 375_375))
    expect(project.skipped).toContain(
      'fcpxml/library/event/project/sequence/spine/audition/asset-clip: scaled rate',
    )
  })

  it('reads interlaced FCPXML at 25 with media at 29.97 and a path with spaces and brackets', () => {
    const project = readFcpxml(foreignProject('fcpxml/25i.fcpxml'))
    expect(project).toMatchObject({ name: '25i_V1', rate: rational(25), width: 720, height: 576 })
    expect(trackSizes(project)).toEqual([
      ['video', 6],
      ['video', 4],
      ['audio', 6],
      ['audio', 4],
    ])
    expect(project.media).toEqual([
      {
        id: 'r2',
        name: 'Test Video (29.97 fps)',
        path: '/Users/user/Desktop/Marker_Interlaced.fcpbundle/11-9-22/Original Media/Test Video (29.97 fps).mp4',
        seconds: rational(101_869, 1000),
        timecodeStart: rational(0),
        dropFrame: false,
        width: 1920,
        height: 1080,
        rate: rational(30_000, 1001),
        channels: 2,
        sampleRate: 48_000,
      },
    ])
    expect(times(project.tracks[0]?.clips[1])).toEqual(over(5000, 35_702, 53_302, 17_000, 34_600))
    expect(times(project.tracks[1]?.clips[3])).toEqual(
      over(5000, 289_956, 291_156, 69_400 + 4000 + 3800, 69_400 + 4000 + 5000),
    )
  })

  it('reads FCPXML at 29.97 drop-frame', () => {
    const project = readFcpxml(foreignProject('fcpxml/29.97d.fcpxml'))
    expect(project).toMatchObject({ name: '29.97d_V1', rate: rational(30_000, 1001), dropFrame: true })
    expect(trackSizes(project).slice(0, 2)).toEqual([
      ['video', 6],
      ['video', 4],
    ])
    expect(times(project.tracks[0]?.clips[1])).toEqual(over(30_000, 214_214, 320_320, 103_103, 209_209))
    expect(times(project.tracks[0]?.clips[5])).toEqual(over(30_000, 2_676_674, 2_885_883, 678_678, 887_887))
    expect(project.media[0]).toMatchObject({ path: '/Users/user/Movies/TestVideo.mp4', dropFrame: false })
  })

  it('reads FCPXML at 59.94 with a gap', () => {
    const project = readFcpxml(foreignProject('fcpxml/59.94.fcpxml'))
    expect(project).toMatchObject({ name: '59.94_V1', rate: rational(60_000, 1001) })
    expect(trackSizes(project)).toEqual([
      ['video', 13],
      ['video', 4],
      ['audio', 13],
      ['audio', 4],
    ])
    const [before, after] = project.tracks[0]?.clips.slice(6) ?? []
    expect(before?.end).toEqual(rational(84_150_066, 360_000))
    expect(times(after)).toEqual(
      over(360_000, 0, (309_309 * 360) / 90, 84_222_138, 84_222_138 + (309_309 * 360) / 90),
    )
    expect(times(project.tracks[0]?.clips[8])?.slice(0, 2)).toEqual(over(90_000, 636_636, 957_957))
  })

  it('reads FCPXML whose clips contain their video and audio', () => {
    const project = readFcpxml(foreignProject('fcpxml/CutSample.fcpxml'))
    expect(project).toMatchObject({
      name: 'Cut-Sample',
      rate: rational(30_000, 1001),
      width: 3840,
      height: 1920,
    })
    expect(trackSizes(project)).toEqual([
      ['video', 4],
      ['audio', 4],
    ])
    const cuts = [
      over(30_000, 0, 916_916, 0, 916_916),
      over(30_000, 0, 673_673, 916_916, 1_590_589),
      over(30_000, 673_673, 2_305_303, 1_590_589, 3_222_219),
      over(30_000, 2_305_303, 3_521_518, 3_222_219, 4_438_434),
    ]
    expect(project.tracks.map(({ clips }) => clips.map(times))).toEqual([cuts, cuts])
    expect(project.media[0]?.path).toBe('/Users/user/Movies/Mojave desert sunrise_LYNDA_61316.mp4')
    expect(project.skipped).toEqual([])
  })

  it('reads OTIO cuts, one of which states no source range', () => {
    const project = readOtio(foreignProject('otio/simple_cut.otio'))
    expect(project).toMatchObject({ name: 'Figure 1 - Simple Cut List', rate: rational(24), skipped: [] })
    expect(project.tracks.map(({ clips }) => clips.map(times))).toEqual([
      [over(24, 3, 6, 0, 3), over(24, 2, 8, 3, 9), over(24, 0, 4, 9, 13), over(24, 0, 6, 13, 19)],
    ])
    expect(project.media.map(({ path }) => path)).toEqual([
      '/folder/titles.mov',
      '/folder/wind-up.mov',
      '/folder/punchline.mov',
      '/folder/credits.mov',
    ])
    expect(project.media[3]).toMatchObject({ seconds: rational(6, 24), timecodeStart: rational(100, 24) })
  })

  it('reads OTIO gaps, transitions and several tracks', () => {
    const example = readOtio(foreignProject('otio/clip_example.otio'), { tolerate: ['path'] })
    expect(example.tracks.map(({ clips }) => clips.map(times))).toEqual([[over(24, 3, 6, 8, 11)]])
    const project = readOtio(foreignProject('otio/multitrack.otio'), {
      tolerate: ['path', 'missing'],
    })
    expect(project.tracks.map(({ clips }) => clips.map(times))).toEqual([
      [over(24, 0, 720, 0, 720), over(24, 0, 722, 803, 1525), over(24, 0, 720, 1957, 2677)],
      [over(24, 0, 480, 482, 962)],
      [over(24, 0, 640, 1198, 1838)],
    ])
  })

  it('reads a draft of a mobile editor', () => {
    const project = readDraft(foreignProject('draft/draft_content.json'), {
      tolerate: ['value segment bbbbbb01', 'media-end video track 1 clip 1', 'text-range'],
    })
    expect(project).toMatchObject({ name: 'Test Project', rate: rational(30), width: 1920, height: 1080 })
    expect(trackSizes(project)).toEqual([
      ['video', 2],
      ['audio', 1],
    ])
    expect(project.tracks[0]?.clips[0]).toEqual({
      media: 'mat-video-01',
      name: 'intro-clip.mp4',
      from: rational(0),
      to: rational(15, 2),
      start: rational(0),
      end: rational(5),
      speed: rational(3, 2),
      picture: { x: 0, y: 0, width: 1920, height: 1080 },
    })
    expect(times(project.tracks[0]?.clips[1])).toEqual(over(1, 0, 5, 5, 10))
    expect(times(project.tracks[1]?.clips[0])).toEqual(over(1, 0, 10, 0, 10))
    expect(project.media.map(({ path, seconds }) => [path, seconds])).toEqual([
      ['/media/intro-clip.mp4', rational(5)],
      ['/media/main-content.mp4', rational(12)],
      ['/media/background-music.mp3', rational(180)],
    ])
  })
})
