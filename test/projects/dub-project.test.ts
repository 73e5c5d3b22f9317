import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MediaFacts } from '../../src/contract/media-facts.ts'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import {
  type DubbedSpan,
  dubFileNames,
  dubProject,
  type DubProjectOptions,
} from '../../src/media/dubbing/dub-project.ts'
import { type Gtrk, readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { projectFiles } from '../../src/media/timeline/project/project-files.ts'
import { type Project, projectFrames } from '../../src/media/timeline/project/project.ts'
import { framesOfProject, projectReaders } from './project-readers.ts'
import { rational, type Rational } from './readers/rational.ts'

let ids = 0
const options = {
  createdAt: 1_790_000_000_000_000,
  newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
}

function factsOf(frame_rate: Rational, seconds: number, timecode?: string): MediaFacts {
  const times = { start_ms: 0, duration_ms: seconds * 1000 }
  return {
    ...{ container: 'mov', duration_ms: seconds * 1000, size: 1, bit_rate: null, subtitles: [] },
    audio: [{ codec: 'aac', channels: 2, sample_rate: 48_000, ...times }],
    video: {
      ...{ codec: 'h264', width: 1920, height: 1080, coded_width: 1920, coded_height: 1080, rotation: 0 },
      ...{ sample_aspect_ratio: rational(1), frame_rate, variable_rate: false },
      ...{ pixel_format: 'yuv420p', hdr: false, alpha: false, ...times },
    },
    ...(timecode !== undefined && { timecode: { text: timecode, drop_frame: false, rate: frame_rate } }),
  }
}

const source = (facts: MediaFacts) => ({ id: '11', name: 'talk.mp4', facts })
const dub = (seconds: number) => ({ id: '12', seconds, channels: 1, sampleRate: 48_000 })
const music = (seconds: number) => ({ id: '13', seconds, channels: 2, sampleRate: 48_000 })

/** Lines from their pauses before them and their lengths, ms. */
function linesOf(steps: readonly (readonly [pause: number, length: number])[]): DubbedSpan[] {
  let at = 0
  return steps.map(([pause, length], index) => {
    const start = at + pause
    at = start + length
    return { clipId: `line-${index}`, start, end: at }
  })
}

const rates = [
  ...[rational(24_000, 1001), rational(24), rational(25), rational(30_000, 1001), rational(30)],
  ...[rational(50), rational(60), rational(10), rational(1), rational(25, 2), rational(7)],
]

/** A dub whose last line ends before the video does. */
const anyDub = fc
  .record({
    rate: fc.constantFrom(...rates),
    steps: fc.array(fc.tuple(fc.oneof(fc.constant(0), fc.integer({ min: 80, max: 3000 })), fc.nat(8000)), {
      maxLength: 30,
    }),
    hasMusic: fc.boolean(),
    isExtended: fc.boolean(),
    hasTimecode: fc.boolean(),
  })
  .map(({ rate, steps, hasMusic, isExtended, hasTimecode }) => {
    const lines = linesOf(steps.map(([pause, length]) => [pause, length + 300]))
    const seconds = ((lines.at(-1)?.end ?? 0) + 1000) / 1000
    const facts = factsOf(rate, seconds, hasTimecode ? '01:00:10:00' : undefined)
    const given: DubProjectOptions = {
      ...{ name: 'talk-dub', source: source(facts), dub: dub(seconds) },
      ...(hasMusic && { music: music(seconds) }),
      ...(isExtended && { base: { id: '14', facts: factsOf(rate, seconds + 0.2) } }),
      ...{ sourcePath: '/Users/me/talk.mp4', outputDir: '/Users/me/out' },
    }
    return { lines, given, project: dubProject(lines, given) }
  })

/**
 * Returns the tracks of a project as a format has them: a track per channel in xml; in fcpxml none without clips, and the
 * last one, which is the lowest layer, first.
 */
function writtenTracks({ pictureTracks, soundTracks }: Project, format: ProjectFormat) {
  if (format === 'fcpxml')
    return [...pictureTracks, ...soundTracks.filter(({ length }) => length > 0).toReversed()]
  const channels = (track: Project['soundTracks'][number]) =>
    format === 'xml' ? Math.max(1, ...track.map(({ material }) => material.sound?.channels ?? 1)) : 1
  return [
    ...pictureTracks,
    ...soundTracks.flatMap((track) => Array.from({ length: channels(track) }, () => track)),
  ]
}

describe('the project of a dub', () => {
  it('has a clip per line, at its own position in the dub, disjoint and within a frame of the record', () => {
    fc.assert(
      fc.property(anyDub, ({ lines, project }) => {
        const [spoken = []] = project.soundTracks
        expect(spoken.map(({ id }) => id)).toEqual(lines.map(({ clipId }) => clipId))
        const frame = (1000 * project.rate.den) / project.rate.num
        for (const [index, { at, from, to }] of spoken.entries()) {
          const { start = 0, end = 0 } = lines[index] ?? {}
          expect(from).toBe(at)
          expect(Math.abs(from * frame - start)).toBeLessThanOrEqual(frame)
          expect(Math.abs(to * frame - end)).toBeLessThanOrEqual(frame)
          expect(from).toBeGreaterThanOrEqual(spoken[index - 1]?.to ?? 0)
          // A pause as long as two frames leaves no part of a line out.
          const pause = (lines[index + 1]?.start ?? Infinity) - end
          if (pause >= 2 * frame) expect(to * frame).toBeGreaterThanOrEqual(end - 1e-6)
        }
      }),
      { numRuns: 300 },
    )
  })

  it.each(projectFormats)('%s has the whole muted video, the lines and the music, to the frame', (format) => {
    fc.assert(
      fc.property(anyDub, ({ given, project }) => {
        const [file] = projectFiles(project, format, options)
        const text = file?.text ?? ''
        const read = projectReaders[format](text)
        expect(read.skipped).toEqual([])
        const tracks = framesOfProject(text, format, project.rate)
        const frames = ({ from, to, at }: { from: number; to: number; at: number }) => ({ from, to, at })
        const expected = writtenTracks(project, format)
        expect(tracks).toEqual(expected.map((track) => track.map(frames)))
        expect(read.tracks.map(({ kind }) => kind)).toEqual([
          'video',
          ...expected.slice(1).map(() => 'audio'),
        ])
        const media = new Map(read.media.map(({ id, path }) => [id, path]))
        const played = read.tracks.map(({ clips }) => [
          ...new Set(clips.map((clip) => media.get(clip.media))),
        ])
        const paths = expected.map((track) => [...new Set(track.map(({ material }) => material.path))])
        expect(played).toEqual(paths)
        expect(paths[0]).toEqual([given.base ? '/Users/me/out/base.mp4' : '/Users/me/talk.mp4'])
      }),
      { numRuns: 40 },
    )
  })

  it('mutes the video in drafts, has music in its own role in fcpxml, and the ids of the record and our names in gtrk, which is rendered', () => {
    const lines = linesOf([
      [500, 1000],
      [80, 2000],
    ])
    const project = dubProject(lines, {
      ...{ name: 'talk-dub', source: source(factsOf(rational(25), 10)), dub: dub(10), music: music(10) },
    })
    const [draft] = projectFiles(project, 'draft_a', options)
    const { tracks } = JSON.parse(draft?.text ?? '') as {
      tracks: { type: string; segments: { volume: number }[] }[]
    }
    expect(tracks.map(({ type, segments }) => [type, ...segments.map(({ volume }) => volume)])).toEqual([
      ['video', 0],
      ['audio', 1, 1],
      ['audio', 1],
    ])
    const [final] = projectFiles(project, 'fcpxml', options)
    const roles = [...(final?.text ?? '').matchAll(/name="(\S+)"[^>]* audioRole="(\w+)"/g)]
    expect(roles.map(([, name, role]) => [name, role])).toEqual([
      ['dub.wav', 'dialogue'],
      ['dub.wav', 'dialogue'],
      ['bgm.wav', 'music'],
    ])
    const [file] = projectFiles(project, 'gtrk', options)
    const gtrk = JSON.parse(file?.text ?? '') as Gtrk & {
      materials: { id: string; path: string }[]
    }
    expect(gtrk.materials.map(({ id, path }) => [id, path])).toEqual([
      ['11', 'talk.mp4'],
      ['12', 'dub.wav'],
      ['13', 'bgm.wav'],
    ])
    expect(gtrk.video_track).toMatchObject([{ muted: true, track_timeline: [{ clip_id: 'base' }] }])
    expect(gtrk.audio_track).toMatchObject([
      { track_timeline: [{ clip_id: 'line-0' }, { clip_id: 'line-1' }] },
      { track_timeline: [{ clip_id: 'bgm', clip_st: 0, clip_ed: 10 }] },
    ])
    const timeline = readGtrk(gtrk)
    expect(timeline.seconds).toBe(10)
    expect(timeline.picture).toMatchObject([{ material: '11', volume: 0, source: { from: 0, to: 10 } }])
    expect(timeline.sound.flat().filter(({ volume }) => volume > 0)).toMatchObject([
      { material: '12', track: { from: 0.48, to: 1.52 } },
      { material: '12', track: { from: 1.56, to: 3.6 } },
      { material: '13', track: { from: 0, to: 10 } },
    ])
  })

  const folders: readonly (readonly [folder: string | undefined, base: string])[] = [
    ['/Users/me/out', '/Users/me/out/base.mp4'],
    ['/Users/me/out/', '/Users/me/out/base.mp4'],
    ['/', '/base.mp4'],
    [String.raw`C:\Users\me\my dubs`, String.raw`C:\Users\me\my dubs\base.mp4`],
    ['C:\\', String.raw`C:\base.mp4`],
    [String.raw`\\server\share\dubs`, String.raw`\\server\share\dubs\base.mp4`],
    [undefined, 'base.mp4'],
  ]
  it.each(projectFormats)('%s refers to the files in the folder of the user', (format) => {
    for (const [outputDir, base] of folders) {
      const facts = factsOf(rational(25), 10)
      const project = dubProject(linesOf([[500, 1000]]), {
        ...{ name: 'dub', source: source(facts), dub: dub(10), music: music(10), outputDir },
        base: { id: '14', facts },
      })
      const [file] = projectFiles(project, format, options)
      const paths = projectReaders[format](file?.text ?? '').media.map(({ path }) => path)
      // A file URL with a host has no relative path.
      const root = format === 'xml' && outputDir === undefined ? '/' : ''
      const expected = [dubFileNames.base, dubFileNames.dub, dubFileNames.music].map(
        (name) => root + base.replace('base.mp4', name),
      )
      expect(paths.toSorted()).toEqual(expected.toSorted())
    }
  })

  it.each(projectFormats)('%s refers to the video by source_path, else by its name', (format) => {
    for (const path of [String.raw`D:\a & b\ö 1.mov`, '/media/x y.mp4']) {
      const project = dubProject([], {
        ...{ name: 'dub', source: source(factsOf(rational(25), 10)), dub: dub(10), sourcePath: path },
      })
      const [file] = projectFiles(project, format, options)
      expect(projectReaders[format](file?.text ?? '').media).toMatchObject([{ path }])
    }
    const unnamed = dubProject([], {
      ...{ name: 'd', source: source(factsOf(rational(25), 1)), dub: dub(1) },
    })
    expect(unnamed.pictureTracks[0]?.[0]?.material.path).toBe('talk.mp4')
  })

  it('ends with the video, also where a sound is a little longer', () => {
    const project = dubProject(linesOf([[500, 9700]]), {
      ...{ name: 'd', source: source(factsOf(rational(25), 10)), dub: dub(10.3), music: music(10.3) },
    })
    expect(projectFrames(project)).toBe(250)
    expect(project.soundTracks.flat().map(({ at, from, to }) => at + to - from)).toEqual([250, 250])
  })

  it('has one clip per line where many lines share frames', () => {
    const project = dubProject(linesOf(Array.from({ length: 50 }, () => [0, 45] as const)), {
      ...{ name: 'd', source: source(factsOf(rational(1), 10)), dub: dub(10) },
    })
    expect(project.rate).toEqual({ num: 24, den: 1 })
    const [spoken = []] = project.soundTracks
    expect(spoken).toHaveLength(50)
    for (const { from, to } of spoken) expect(to).toBeGreaterThan(from)
  })
})
