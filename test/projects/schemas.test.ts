import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { cutProject, type Project, type ProjectMaterial } from '../../src/media/timeline/project/project.ts'
import { writeFcpxml } from '../../src/media/timeline/project/fcpxml.ts'
import { pathFileName } from '../../src/media/timeline/project/media-url.ts'
import { writeXmeml } from '../../src/media/timeline/project/xmeml.ts'
import { edit, foreignFolder, foreignProject } from './foreign.ts'
import { rational } from './readers/rational.ts'

// An XML parser and validator that knows nothing of our writers and readers (libxml2) judges what we write.

const writers = { fcpxml: writeFcpxml, xmeml: writeXmeml } as const
type XmlFormat = keyof typeof writers
type XmlError = Awaited<ReturnType<typeof validateXML>>['errors'][number]

const nameOf = (index: number) => `project-${index}.xml`

/**
 * Returns the errors of documents, judged together: those of form and, with a format, those of its schema. Each has the
 * name of its document.
 */
async function errorsOf(documents: readonly string[], format?: XmlFormat): Promise<readonly XmlError[]> {
  const xml = documents.map((contents, index) => ({ fileName: nameOf(index), contents }))
  const file = format && `${format}.rng`
  const contents = file && readFileSync(join(import.meta.dirname, 'schemas', file), 'utf8')
  const result = await (file === undefined || contents === undefined
    ? validateXML({ xml, normalization: 'c14n' })
    : validateXML({ xml, schema: [{ fileName: file, contents }], extension: 'relaxng' }))
  if (!result.valid) expect(result.errors).not.toEqual([])
  return result.errors
}

/** Returns whether each document has an error. */
async function areInvalid(documents: readonly string[], format?: XmlFormat): Promise<boolean[]> {
  const errors = await errorsOf(documents, format)
  return documents.map((_, index) => errors.some(({ loc }) => loc?.fileName === nameOf(index)))
}

function material(given: Partial<ProjectMaterial> = {}): ProjectMaterial {
  const { path = '/Users/me/interview.mp4' } = given
  return {
    ...{ id: '1790000000000000001', path, name: pathFileName(path), frames: 9000 },
    ...{ picture: { width: 1920, height: 1080 }, sound: { channels: 2, sampleRate: 48_000 } },
    ...{ timecodeStart: 0, dropFrame: false },
    ...given,
  }
}

const ranges = [
  { first: 0, end: 40 },
  { first: 100, end: 101 },
  { first: 300, end: 420 },
]
const cut = (source: ProjectMaterial, rate = rational(25), name = 'Interview') =>
  cutProject(name, source, { ranges, rate })

/** A project with every kind of track: two pictures with gaps, own sound, and music of another file. */
function layeredProject(): Project {
  const base = cut(material())
  const music = material({
    id: '2',
    path: '/music.wav',
    picture: null,
    sound: { channels: 1, sampleRate: 44_100 },
  })
  const other = material({ id: '3', path: '/other.mov', picture: { width: 1280, height: 720 }, sound: null })
  const [main = []] = base.pictureTracks
  return {
    ...base,
    pictureTracks: [main, [{ material: other, from: 5, to: 25, at: 60 }]],
    soundTracks: [...base.soundTracks, [{ material: music, from: 0, to: 600, at: 10 }]],
  }
}

/** A project whose sound is not that of the picture: lines cut out of one file, and music. */
function dubbedProject(): Project {
  const sound = { channels: 1, sampleRate: 48_000 }
  const dub = material({ id: '2', path: '/dub.wav', picture: null, sound })
  const music = material({ id: '3', path: 'bgm.wav', picture: null })
  const lines = ranges.map(({ first, end }) => ({ material: dub, from: first, to: end, at: first }))
  const base = cut(material({ timecodeStart: 90_000 }))
  return { ...base, soundTracks: [lines, [{ material: music, from: 0, to: 600, at: 0 }]] }
}

/** A project on a portrait canvas, with crops and a silent overlay. */
function framedProject(): Project {
  const crop = { x: 437, y: 0, width: 608, height: 1080 }
  const framed = ranges.map((range, index) =>
    index === 1 ? range : { ...range, framing: { mode: 'crop' as const, crop } },
  )
  const size = { width: 1080, height: 1920 }
  const base = cutProject('clip1', material(), { ranges: framed, rate: rational(25), size })
  const split = material({ id: '2', path: '/clip1_split.mp4', picture: size, sound: null })
  return { ...base, pictureTracks: [...base.pictureTracks, [{ material: split, from: 0, to: 30, at: 20 }]] }
}

const ntsc = rational(30_000, 1001)
const projects: readonly (readonly [name: string, Project])[] = [
  ['a stereo video', cut(material())],
  ['drop-frame timecode', cut(material({ timecodeStart: 107_892, dropFrame: true }), ntsc)],
  ['23.976, mono', cut(material({ sound: { channels: 1, sampleRate: 44_100 } }), rational(24_000, 1001))],
  [
    '59.94, six channels',
    cut(material({ sound: { channels: 6, sampleRate: 48_000 } }), rational(60_000, 1001)),
  ],
  ['a silent video', cut(material({ sound: null }))],
  [
    'names with quotes, markup, emoji and characters that XML cannot contain',
    cut(
      material({ path: `/a/"b" 'c' & <d> 100% #1? 🎬 影片.mov` }),
      rational(50),
      'A & "B" <c> \u0001\uD800 ]]>',
    ),
  ],
  ['a Windows path', cut(material({ path: String.raw`C:\Users\me\My Videos\Take (1)!.MP4` }))],
  ['a network path', cut(material({ path: String.raw`\\server\footage\cam a\clip.mxf` }))],
  ['layers, gaps and music', layeredProject()],
  ['sound of other files, one without a folder', dubbedProject()],
  ['crops and an overlay on another canvas', framedProject()],
]

describe.each(['fcpxml', 'xmeml'] as const)('%s', (format) => {
  it('is well-formed and fits its schema, whatever the project', async () => {
    const texts = projects.map(([, project]) => writers[format](project))
    expect(await errorsOf(texts)).toEqual([])
    expect(await errorsOf(texts, format)).toEqual([])
  })

  /** Replacements in a project that a schema rejects. */
  const plain: Readonly<Record<XmlFormat, readonly (readonly [string, string])[]>> = {
    fcpxml: [
      ['version="1.10"', 'version="1.99"'],
      [' src="file:///Users/me/interview.mp4"', ''],
      ['duration="161/25s"', 'duration="6.44s"'],
      ['audioRate="48k"', 'audioRate="48000"'],
      ['tcFormat="NDF" audioRole', 'srcEnable="none" tcFormat="NDF" audioRole'],
      ['<spine>', '<spine><note>x</note>'],
      ['/interview.mp4', '/an interview.mp4'],
      ['file:///Users/me/interview.mp4', 'http://a/interview.mp4'],
    ],
    xmeml: [
      ['version="5"', 'version="4"'],
      ['<ntsc>FALSE</ntsc>', '<ntsc>no</ntsc>'],
      ['<timebase>25</timebase>', '<timebase>25.5</timebase>'],
      ['<string>00:00:00:00</string>', '<string>00:00:00;00</string>'],
      ['<in>0</in>', ''],
      ['id="audio-1-clip-1"', ''],
      ['/interview.mp4', '/an interview.mp4'],
    ],
  }
  /** The same in a project with crops. */
  const framed: typeof plain = {
    fcpxml: [
      [' scale="3.157895 3.160494"', ' scale="3.157895"'],
      ['position="20.', 'position="+20.'],
    ],
    xmeml: [
      ['<parameterid>center</parameterid>', '<parameterid>centre</parameterid>'],
      ['<name>Scale</name>', ''],
    ],
  }

  it('its schema rejects each change of an element, an attribute or a transform', async () => {
    const [[, project] = ['', layeredProject()]] = projects
    const changes = [
      ...plain[format].map((change) => [project, change] as const),
      ...framed[format].map((change) => [framedProject(), change] as const),
    ]
    const changed = changes.map(([original, change]) => edit(writers[format](original), change))
    const areRejected = await areInvalid(changed, format)
    expect(changes.filter((_, index) => !areRejected[index]).map(([, change]) => change)).toEqual([])
  })

  it('is not taken for well-formed when it is cut off', async () => {
    const [[, project] = ['', layeredProject()]] = projects
    expect(await errorsOf([writers[format](project).slice(0, -20)])).not.toEqual([])
  })
})

it.skipIf(foreignFolder === undefined)('takes projects of other programs for well-formed', async () => {
  const names = ['fcpxml/29.97d.fcpxml', 'xmeml/premiere_example.xml']
  expect(await errorsOf(names.map((name) => foreignProject(name)))).toEqual([])
})
