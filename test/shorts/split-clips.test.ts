import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { detectFacesInImage } from '../../src/engines/vision/detect-faces.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { filmFaces, hasFaces } from '../engines/reframe/film-faces.ts'
import { face, rate25, wide } from '../engines/reframe/reframe-film.ts'
import { useNoPacks, useTestPacks } from '../engines/vision/test-packs.ts'
import { framesOfProject, projectReaders } from '../projects/project-readers.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { runShorts, type ShortsRun } from '../video-long2short/run-shorts.ts'
import { runPro, type ToneTalk, writeToneTalk } from '../video-long2short-pro/run-pro.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

// Clips of a talk of two people who are too far apart for one portrait crop.

const seconds = 4
// Small pictures are rendered fast.
const canvas = { width: 180, height: 320 }
const sourcePath = '/footage/two.mp4'

describe.skipIf(!hasFaces)('split screen of clips (REELWRIGHT_TESTDATA)', () => {
  let folder: string
  let talk: ToneTalk
  const path = () => join(folder, 'two.mp4')
  beforeAll(async () => {
    folder = await scratchFolder()
    talk = await writeToneTalk(join(folder, 'tones.mp4'), seconds)
    const shots = [{ frames: seconds * rate25.num, faces: [face(0.2), face(0.8)] }]
    const film = await filmFaces(folder, shots, { name: 'film', rate: rate25, ...wide })
    await ffmpeg(
      ...['-i', film, '-i', talk.path, '-map', '0:v', '-map', '1:a', '-c', 'copy', '-shortest', path()],
    )
  })
  beforeEach(() => void useTestPacks(join(folder, 'packs')))
  // The pictures of the clip are the same in all runs that analyse them.
  beforeAll(async () => {
    useTestPacks(join(folder, 'packs'))
    const request = { ...common(), outputs: ['project'], source_path: sourcePath }
    await runShorts(path(), request, { folder, scratch: join(folder, 'first') })
  })
  let copies = 0
  const analysed = async () => {
    const scratch = join(folder, `analysed-${(copies += 1)}`)
    await cp(join(folder, 'first', 'reframe-1'), join(scratch, 'reframe-1'), { recursive: true })
    return scratch
  }

  const common = () => ({
    ...{ output_size: `${canvas.width}x${canvas.height}`, stt: talk.stt },
    ...{ duration: { pref: 'short' }, split_screen: { enable: true } },
  })
  const shorts = (changes: object = {}, scratch?: string) =>
    runShorts(
      path(),
      {
        ...{ ...common(), outputs: ['project', 'video'], source_path: sourcePath },
        ...{ project_formats: projectFormats, struct_meta: { nle_draft_dir: '/Users/me/drafts' } },
        ...changes,
      },
      { folder, ...(scratch !== undefined && { scratch }) },
    )
  const pro = (changes: object = {}, scratch?: string) =>
    runPro(
      path(),
      { ...common(), camera_move: { enable: false }, subtitle: { enable: false }, ...changes },
      { folder, ...(scratch !== undefined && { scratch }) },
    )
  /** Middles of the faces of a frame, from the top to the bottom. */
  const facesOf = async (video: string, name: string) => {
    const image = join(folder, `${name}.png`)
    await ffmpeg('-ss', '3', '-i', video, '-frames:v', '1', image)
    const faces = await detectFacesInImage(image, await probe(image))
    return faces
      .map(({ box }) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }))
      .toSorted((one, other) => one.y - other.y)
  }
  const expectBothPeople = async (video: string, name: string) => {
    const faces = await facesOf(video, name)
    expect(faces).toHaveLength(2)
    for (const [index, { x, y }] of faces.entries()) {
      expect(Math.floor(y / (canvas.height / 2))).toBe(index)
      expect(Math.abs(x - canvas.width / 2)).toBeLessThan(canvas.width / 4)
    }
  }
  /** Clips of the tracks of a project, pictures first. */
  const tracksOf = async (run: ShortsRun, format: ProjectFormat) => {
    const [clip] = run.output.clips
    const isDraft = format.startsWith('draft')
    const file = clip?.files.find((one) => one.format === (isDraft ? `${format}_draft` : format))
    const text = await run.text(`${isDraft ? `clip1_${format}_` : ''}${file?.filename}`)
    return { frames: framesOfProject(text, format, rate25), read: projectReaders[format](text) }
  }

  it('of video_long2short is a muted mp4 on an overlay track, over an intact main track, and in the video', async () => {
    const run = await shorts({}, await analysed())
    const { clips, report, errors, notes } = run.output
    expect([errors, clips.length]).toEqual([{}, 1])
    expect(notes?.join() ?? '').not.toMatch(/faces/)
    const filename = 'clip1_split.mp4'
    expect(report.split_manifest).toEqual([
      {
        ...{ filename, clip: 1, path: `/footage/${filename}` },
        ...{ file_id: expect.any(String) as string, download_url: expect.any(String) as string },
      },
    ])
    const split = run.paths.get(filename) ?? ''
    const facts = await probe(split)
    expect(facts.video).toMatchObject(canvas)
    // Editors import a sound stream, even a silent one, as a linked clip.
    expect(facts.audio).toEqual([])
    await expectBothPeople(split, 'split')
    await expectBothPeople(run.paths.get('clip1.mp4') ?? '', 'shown')

    const plain = await shorts({ outputs: ['project'], split_screen: { enable: false } }, await analysed())
    expect(plain.output.report).not.toHaveProperty('split_manifest')
    for (const format of projectFormats) {
      const [withSplit, without] = [await tracksOf(run, format), await tracksOf(plain, format)]
      const [main, overlay = [], ...sound] = withSplit.frames
      expect([format, main]).toEqual([format, without.frames[0]])
      expect([format, sound]).toEqual([format, without.frames.slice(1)])
      expect(withSplit.read.tracks.filter(({ kind }) => kind === 'video')).toHaveLength(2)
      const frames = overlay.reduce((sum, { from, to }) => sum + to - from, 0)
      expect(Math.abs(frames - ((facts.video?.duration_ms ?? 0) * rate25.num) / 1000)).toBeLessThan(0.5)
    }
  })

  it('of video_long2short_pro is a part of the clip', async () => {
    for (const orientation of soakSize(['lr'], ['lr', 'auto'])) {
      const done = await pro({ split_screen: { enable: true, orientation } }, await analysed())
      expect(Object.keys(done.output.errors)).toEqual(['selection'])
      const clip = done.paths.get('clip1.mp4') ?? ''
      if (orientation === 'auto') await expectBothPeople(clip, 'burned')
      else {
        const faces = await facesOf(clip, 'side')
        expect(
          faces.map(({ x }) => Math.floor(x / (canvas.width / 2))).toSorted((one, other) => one - other),
        ).toEqual([0, 1])
      }
    }
  })

  it('that cannot be rendered leaves the projects and the video of video_long2short', async () => {
    const script = 'case "$*" in *clip1_split.mp4*) echo no >&2; exit 1;; esac; exec "$FFMPEG" "$@"'
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-split'), script)
    const run = await shorts({ project_formats: ['xml'] }, await analysed())
    expect(Object.keys(run.output.errors)).toEqual(['split'])
    expect(run.output.errors.split).toMatch(/^clip1: /)
    expect(run.output.report.split_manifest).toEqual([])
    expect(run.paths.has('clip1.mp4')).toBe(true)
    const { read } = await tracksOf(run, 'xml')
    expect(read.tracks.filter(({ kind }) => kind === 'video')).toHaveLength(1)
  })

  const shortsWithoutModel = async () => {
    const run = await shorts({ outputs: ['project'] })
    expect(run.output.errors.split).toMatch(/^clip1: faces were not searched: /)
    expect(run.output.report.split_manifest).toEqual([])
    expect(run.output.clips[0]?.files.length).toBeGreaterThan(5)
  }
  const proWithoutModel = async () => {
    const { output } = await pro({ output_size: '90x160' })
    expect(output.errors.split).toMatch(/^faces were not searched: /)
    expect(output.report.degraded_items['clip1']).toEqual(expect.arrayContaining(['camera', 'split']))
    expect(output.clips).toHaveLength(1)
  }
  it.each(
    sampleCases(
      [['video_long2short', shortsWithoutModel] as const, ['video_long2short_pro', proWithoutModel] as const],
      1,
    ),
  )('without the model of faces is reported by %s, and the clips are complete', async (_, expectReport) => {
    useNoPacks(join(folder, 'none'))
    await expect(expectReport()).resolves.toBeUndefined()
  })

  it('of pictures that cannot be analysed is reported by both operations, and the clips are complete', async () => {
    const script = 'case "$*" in *-f\\ rawvideo\\ pipe:1*) echo no >&2; exit 1;; esac; exec "$FFMPEG" "$@"'
    using _ = await replaceFfmpeg(join(folder, 'ffmpeg-analysis'), script)
    const run = await shorts({ outputs: ['project'] })
    expect(Object.keys(run.output.errors).toSorted()).toEqual(['framing', 'split'])
    expect(run.output.errors.split).toBe('clip1: the pictures could not be analysed')
    expect(run.output.report.split_manifest).toEqual([])
    const { output } = await pro({ output_size: '90x160' })
    expect(output.errors.split).toBe('the pictures could not be analysed')
    expect(output.report.degraded_items['clip1']).toContain('split')
    expect(output.clips).toHaveLength(1)
  })
})
