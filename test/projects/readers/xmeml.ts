import { pathOfUrl } from './media-path.ts'
import {
  checkTracks,
  endOfTracks,
  Inspection,
  placedRect,
  ProjectError,
  type ReadClip,
  type ReadMedia,
  type ReadOptions,
  type ReadProject,
  type ReadRect,
  type ReadTrack,
} from './read-project.ts'
import { compare, multiply, type Rational, show } from './rational.ts'
import { child, childrenNamed, descendants, type Element, parseProjectXml } from './xml.ts'
import { frames, XmemlFields } from './xmeml-fields.ts'
import { checkLinks } from './xmeml-links.ts'

/** What the clips of a sequence refer to. */
interface XmemlContext {
  readonly fields: XmemlFields
  readonly rate: Rational
  /** Full definitions of files by id. */
  readonly files: ReadonlyMap<string, Element>
  /** Size of the sequence. */
  readonly size: { readonly width: number | null; readonly height: number | null }
}

/**
 * Reads a Final Cut Pro 7 XML project (xmeml 4 or 5). Throws a `ProjectError` where the file breaks a rule that an
 * editor rejects. In and out points count frames from the first frame of the media; start and end count frames of
 * the sequence, and -1 is the cut inside the transition beside it.
 */
export function readXmeml(text: string, options?: ReadOptions): ReadProject {
  const inspection = new Inspection(options)
  const fields = new XmemlFields(inspection)
  const root = parseProjectXml(text, 'xmeml')
  const version = root.attributes['version'] ?? ''
  inspection.require(['4', '5'].includes(version), ['version', 'xmeml', `version "${version}" is not 4 or 5`])
  const sequence = descendants(root).find(({ name }) => name === 'sequence')
  if (!sequence) throw new ProjectError('missing', 'xmeml', '<sequence> is missing')
  checkClipIds(root, inspection)
  const rate = fields.rate(sequence)
  const size = readSize(sequence, { fields, rate })
  const context = { fields, rate, files: collectFiles(root, inspection), size }
  const tracks = (['video', 'audio'] as const).flatMap((kind) =>
    childrenNamed(child(sequence, `media/${kind}`), 'track').map((track) => readTrack(track, kind, context)),
  )
  checkLinks(sequence, inspection)
  const used = new Set(tracks.flatMap(({ clips }) => clips.map(({ media }) => media)))
  const project = {
    name: fields.text(sequence, 'name'),
    rate: context.rate,
    dropFrame: fields.timecode(sequence)?.dropFrame ?? false,
    ...size,
    media: [...context.files.values()]
      .filter(({ attributes }) => used.has(attributes['id'] ?? ''))
      .map((file) => readFile(file, fields)),
    tracks,
  }
  checkTracks(project, inspection)
  const seconds = frames(fields.integer(sequence, 'duration'), context.rate)
  const end = endOfTracks(tracks)
  inspection.require(compare(end, seconds) === 0, [
    'sequence-end',
    sequence.path,
    `<duration> is ${show(seconds)} s, the last clip ends at ${show(end)} s`,
  ])
  return { ...project, skipped: inspection.skipped }
}

/** Returns the size of the picture, which must be stated in `media/video/format`, and checks its rate. */
function readSize(
  sequence: Element,
  { fields, rate }: Pick<XmemlContext, 'fields' | 'rate'>,
): { width: number | null; height: number | null } {
  const format = child(sequence, 'media/video/format/samplecharacteristics')
  if (!format) {
    fields.inspection.broken(
      'missing',
      sequence.path,
      '<media><video><format><samplecharacteristics> is missing',
    )
    return { width: null, height: null }
  }
  if (compare(fields.rate(format), rate) !== 0) {
    fields.inspection.broken(
      'value',
      format.path,
      `<rate> differs from the rate of the sequence, ${show(rate)}`,
    )
  }
  return { width: fields.integer(format, 'width'), height: fields.integer(format, 'height') }
}

/** Requires a unique id on every clip item of the file. */
function checkClipIds(root: Element, inspection: Inspection): void {
  const seen = new Set<string>()
  for (const { attributes, name, path } of descendants(root)) {
    if (name !== 'clipitem') continue
    const id = attributes['id']
    if (id === undefined || id === '') {
      inspection.broken('missing', path, 'attribute id is missing')
      continue
    }
    inspection.require(!seen.has(id), ['duplicate', path, `another clipitem has the id ${id}`])
    seen.add(id)
  }
}

/** Returns the definition of each file. The first mention must define it; later ones refer to it by id alone. */
function collectFiles(root: Element, inspection: Inspection): Map<string, Element> {
  const files = new Map<string, Element>()
  for (const file of descendants(root)) {
    if (file.name !== 'file') continue
    const id = file.attributes['id'] ?? ''
    inspection.require(id !== '', ['missing', file.path, 'attribute id is missing'])
    if (file.children.length === 0) {
      inspection.require(files.has(id), ['reference', file.path, `no file ${id} is defined before`])
    } else {
      inspection.require(!files.has(id), ['duplicate', file.path, `file ${id} is defined twice`])
      files.set(id, file)
    }
  }
  return files
}

function readFile(file: Element, fields: XmemlFields): ReadMedia {
  const rate = fields.rate(file)
  const timecode = fields.timecode(file)
  const url = fields.text(file, 'pathurl')
  fields.inspection.require(url === '' || url.startsWith('file://'), [
    'path',
    file.path,
    `${url} is not file://`,
  ])
  const media = child(file, 'media')
  if (!media) fields.inspection.broken('missing', file.path, '<media> is missing')
  const picture = child(media, 'video/samplecharacteristics')
  const sound = child(media, 'audio')
  return {
    id: file.attributes['id'] ?? '',
    name: fields.text(file, 'name'),
    path: url === '' ? '' : pathOfUrl(url, file.path, fields.inspection),
    seconds: frames(fields.integer(file, 'duration'), rate),
    timecodeStart: timecode?.start ?? null,
    dropFrame: timecode?.dropFrame ?? false,
    width: fields.optionalNumber(picture, 'width'),
    height: fields.optionalNumber(picture, 'height'),
    rate,
    channels: fields.optionalNumber(sound, 'channelcount'),
    sampleRate: fields.optionalNumber(sound, 'samplecharacteristics/samplerate'),
  }
}

function readTrack(track: Element, kind: 'video' | 'audio', context: XmemlContext): ReadTrack {
  const { inspection } = context.fields
  const items = track.children.filter(({ name }) =>
    ['clipitem', 'transitionitem', 'generatoritem'].includes(name),
  )
  const clips = items.flatMap((item, index): ReadClip[] => {
    if (item.name !== 'clipitem') {
      inspection.skip(`${item.path}: ${item.name}`)
      return []
    }
    if (child(item, 'sequence')) {
      inspection.skip(`${item.path}: nested sequence`)
      return []
    }
    const file = context.files.get(child(item, 'file')?.attributes['id'] ?? '')
    if (child(file, 'mediaSource')) {
      inspection.skip(`${item.path}: generated media`)
      return []
    }
    if (!file) {
      inspection.broken('missing', item.path, '<file> is missing')
      return []
    }
    if (kind === 'audio') checkSourceTrack(item, file, context.fields)
    const clip = readClip(item, { before: items[index - 1], after: items[index + 1] }, { ...context, file })
    return [kind === 'video' ? { ...clip, picture: readPicture(item, file, context) } : clip]
  })
  return { kind, clips }
}

/** Returns where the picture of a clip is: its own pixels in the middle of the canvas, unless a filter moves them. */
function readPicture(item: Element, file: Element, { fields, size }: XmemlContext): ReadRect | undefined {
  const picture = child(file, 'media/video/samplecharacteristics')
  const [width, height] = [fields.optionalNumber(picture, 'width'), fields.optionalNumber(picture, 'height')]
  if (!width || !height || !size.width || !size.height) return undefined
  const { scale, x, y } = fields.motion(item)
  const offset = { x: x * size.width, y: y * size.height }
  const canvas = { width: size.width, height: size.height }
  return placedRect({ width, height, scale: { x: scale, y: scale }, offset }, canvas)
}

/** Requires a sound clip to name an audio channel that its file has. */
function checkSourceTrack(item: Element, file: Element, fields: XmemlFields): void {
  const source = child(item, 'sourcetrack')
  if (!source) return fields.inspection.broken('missing', item.path, '<sourcetrack> is missing')
  const channel = fields.integer(source, 'trackindex')
  const channels = fields.optionalNumber(child(file, 'media/audio'), 'channelcount')
  if (channel >= 1 && channels !== null && channel <= channels) return
  fields.inspection.broken('reference', source.path, `the file has no audio channel ${channel}`)
}

/** Reads a clip. Media is cut back to the cut point where a transition overlaps the clip. */
function readClip(
  item: Element,
  { before, after }: { before: Element | undefined; after: Element | undefined },
  { fields, rate, file }: XmemlContext & { file: Element },
): ReadClip {
  const ownRate = fields.rate(item)
  const speed = fields.speed(item)
  fields.integer(item, 'duration')
  let [start, end] = [fields.integer(item, 'start'), fields.integer(item, 'end')]
  let [first, last] = [fields.integer(item, 'in'), fields.integer(item, 'out')]
  if (start === -1) {
    start = cutPoint(item, before, fields)
    first += start - (before ? fields.integer(before, 'start') : start)
  }
  if (end === -1) {
    end = cutPoint(item, after, fields)
    last -= (after ? fields.integer(after, 'end') : end) - end
  }
  return {
    media: file.attributes['id'] ?? '',
    name: fields.text(item, 'name'),
    // A time remap counts in and out points in retimed frames.
    from: multiply(frames(first, ownRate), speed),
    to: multiply(frames(last, ownRate), speed),
    start: frames(start, rate),
    end: frames(end, rate),
    speed,
  }
}

/** Returns the frame of the cut in a transition: its start, end or middle, as its alignment says. */
function cutPoint(item: Element, transition: Element | undefined, fields: XmemlFields): number {
  if (transition?.name !== 'transitionitem') {
    fields.inspection.broken('range', item.path, 'start or end is -1 without a transition beside it')
    return 0
  }
  const [start, end] = [fields.integer(transition, 'start'), fields.integer(transition, 'end')]
  const alignment = fields.text(transition, 'alignment')
  if (alignment.startsWith('start')) return start
  if (alignment.startsWith('end')) return end
  return Math.floor((start + end) / 2)
}
