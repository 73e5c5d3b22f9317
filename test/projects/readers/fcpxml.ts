import { ClipReader, type LaneClip } from './fcpxml-clips.ts'
import { readResources, sequenceRate, timeAttribute } from './fcpxml-resources.ts'
import { checkStructure } from './fcpxml-structure.ts'
import {
  checkTracks,
  Inspection,
  ProjectError,
  type ReadOptions,
  type ReadProject,
  type ReadTrack,
} from './read-project.ts'
import { compare, isWholeFrames, show, zero } from './rational.ts'
import { child, descendants, parseProjectXml } from './xml.ts'

/** Versions whose assets have a `media-rep`. */
const versions = ['1.9', '1.10', '1.11', '1.12', '1.13', '1.14']

/**
 * Reads the first project of an FCPXML file. Throws a `ProjectError` where the file breaks a rule that the editor
 * rejects. An asset clip yields a video clip and an audio clip, as its asset has. Each lane is a track.
 */
export function readFcpxml(text: string, options?: ReadOptions): ReadProject {
  const inspection = new Inspection(options)
  const root = parseProjectXml(text, 'fcpxml')
  const version = root.attributes['version'] ?? ''
  inspection.require(versions.includes(version), [
    'version',
    'fcpxml',
    `version "${version}" is not 1.9 to 1.14`,
  ])
  checkStructure(root, inspection)
  if (['1.9', '1.10'].includes(version)) {
    const later = descendants(root).find(({ name }) => name === 'adjust-colorConform')
    if (later) inspection.broken('unknown', later.path, `<${later.name}> is unknown in version ${version}`)
  }
  const resources = readResources(root, inspection)
  checkEffects(root, inspection)
  const project = descendants(root).find(({ name }) => name === 'project')
  const sequence = child(project, 'sequence')
  const spine = child(sequence, 'spine')
  if (!project || !sequence || !spine)
    throw new ProjectError('missing', 'fcpxml', 'there is no project with a sequence and a spine')
  const format = resources.formats.get(sequence.attributes['format'] ?? '')
  if (!format)
    inspection.broken('reference', sequence.path, `there is no format ${sequence.attributes['format'] ?? ''}`)
  const rate = sequenceRate(format, sequence.path, inspection)
  const origin = timeAttribute(sequence, { name: 'tcStart', otherwise: zero }, inspection)
  inspection.require(isWholeFrames(origin, rate), [
    'frames',
    sequence.path,
    `tcStart ${show(origin)} s is not a whole number of frames`,
  ])
  const { width, height } = format ?? {}
  const canvas = width && height ? { width, height } : undefined
  const reader = new ClipReader(resources, { rate, canvas }, inspection)
  const end = reader.readSpine(spine, { origin, start: zero, lane: 0 })
  const seconds = timeAttribute(sequence, { name: 'duration', otherwise: null }, inspection)
  if (!seconds) inspection.broken('missing', sequence.path, 'attribute duration is missing')
  else if (compare(seconds, end) !== 0) {
    inspection.broken(
      'sequence-end',
      sequence.path,
      `duration is ${show(seconds)} s, the spine ends at ${show(end)} s`,
    )
  }
  const read = {
    name: project.attributes['name'] ?? '',
    rate,
    dropFrame: sequence.attributes['tcFormat'] === 'DF',
    width: format?.width ?? null,
    height: format?.height ?? null,
    media: [...resources.assets.values()].map(({ hasVideo: _video, hasAudio: _audio, ...media }) => ({
      ...media,
      dropFrame: reader.dropFrameAssets.has(media.id),
    })),
    tracks: toTracks(reader.clips),
  }
  checkTracks(read, inspection)
  return { ...read, skipped: inspection.skipped }
}

/** Requires the effects that filters refer to. */
function checkEffects(root: Parameters<typeof descendants>[0], inspection: Inspection): void {
  const all = descendants(root)
  const effects = new Set(
    all.filter(({ name }) => name === 'effect').map(({ attributes }) => attributes['id']),
  )
  for (const { name, attributes, path } of all) {
    if (!['filter-video', 'filter-audio', 'title'].includes(name)) continue
    inspection.require(effects.has(attributes['ref']), [
      'reference',
      path,
      `there is no effect ${attributes['ref'] ?? ''}`,
    ])
  }
}

/** Groups clips by lane, lowest first, video before audio. */
function toTracks(clips: readonly LaneClip[]): ReadTrack[] {
  return (['video', 'audio'] as const).flatMap((kind) => {
    const own = clips.filter((one) => one.kind === kind)
    const lanes = [...new Set(own.map(({ lane }) => lane))].toSorted((one, other) => one - other)
    return lanes.map((lane) => ({
      kind,
      clips: own
        .filter((one) => one.lane === lane)
        .map(({ clip }) => clip)
        .toSorted((one, other) => compare(one.start, other.start)),
    }))
  })
}
