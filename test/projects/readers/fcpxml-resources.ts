import { pathOfUrl } from './media-path.ts'
import type { Inspection, ReadMedia } from './read-project.ts'
import { divide, unity, rational, type Rational, zero } from './rational.ts'
import { child, childrenNamed, type Element } from './xml.ts'

/** Frame rates of sequences that the editor knows. */
const sequenceRates = new Set([
  '24000/1001',
  '24/1',
  '25/1',
  '30000/1001',
  '30/1',
  '48/1',
  '50/1',
  '60000/1001',
  '60/1',
  '90/1',
  '100/1',
  '120000/1001',
  '120/1',
])

/** A `format` resource. */
export interface Format {
  readonly rate: Rational | null
  readonly width: number | null
  readonly height: number | null
}

/** An `asset` resource. */
export interface Asset extends ReadMedia {
  readonly hasVideo: boolean
  readonly hasAudio: boolean
}

/** The resources that clips refer to, by id. */
export interface Resources {
  readonly formats: ReadonlyMap<string, Format>
  readonly assets: ReadonlyMap<string, Asset>
}

/** Parses a time: `1001/30000s` or `5s`, with at most 64 bits over 32 bits. Returns zero for a malformed one. */
export function parseTime(text: string, where: string, inspection: Inspection): Rational {
  const match = /^(-?\d+)(?:\/(\d+))?s$/.exec(text)
  const [num, den] = [BigInt(match?.[1] ?? 0), BigInt(match?.[2] ?? 1)]
  const isTime = match !== null && den > 0n && den < 2n ** 32n && num < 2n ** 63n
  if (isTime) return rational(num, den)
  inspection.broken('value', where, `"${text}" is not a time such as 1001/30000s`)
  return zero
}

/** Returns the time in an attribute, or a default when the attribute is absent. */
export function timeAttribute<Default>(
  element: Element,
  { name, otherwise }: { name: string; otherwise: Default },
  inspection: Inspection,
): Rational | Default {
  const text = element.attributes[name]
  return text === undefined ? otherwise : parseTime(text, `${element.path}@${name}`, inspection)
}

/** Returns the rate of a sequence and checks that the editor knows it. */
export function sequenceRate(format: Format | undefined, where: string, inspection: Inspection): Rational {
  const rate = format?.rate
  if (!rate) {
    inspection.broken('missing', where, 'the format of the sequence has no frameDuration')
    return unity
  }
  const isKnown = sequenceRates.has(`${rate.num}/${rate.den}`)
  inspection.require(isKnown, ['value', where, `the editor knows no rate ${rate.num}/${rate.den}`])
  return rate
}

/** Reads the formats and assets of a file and checks their references. */
export function readResources(root: Element, inspection: Inspection): Resources {
  const resources = child(root, 'resources')
  const formats = new Map<string, Format>()
  for (const format of childrenNamed(resources, 'format')) {
    const frame = timeAttribute(format, { name: 'frameDuration', otherwise: null }, inspection)
    if (frame && frame.num <= 0) inspection.broken('value', format.path, 'frameDuration is not positive')
    formats.set(format.attributes['id'] ?? '', {
      rate: frame && frame.num > 0 ? divide(unity, frame) : null,
      width: integerOrNull(format, 'width', inspection),
      height: integerOrNull(format, 'height', inspection),
    })
  }
  const assets = new Map(
    childrenNamed(resources, 'asset').map((asset) => {
      const read = readAsset(asset, formats, inspection)
      return [read.id, read]
    }),
  )
  return { formats, assets }
}

function readAsset(asset: Element, formats: ReadonlyMap<string, Format>, inspection: Inspection): Asset {
  const { id = '', name = '', format, hasVideo, hasAudio, audioRate } = asset.attributes
  const shape = formats.get(format ?? '')
  if (hasVideo === '1' && !shape) {
    inspection.broken(
      'reference',
      asset.path,
      `the asset has video, but there is no format ${format ?? '(none)'}`,
    )
  }
  const seconds = timeAttribute(asset, { name: 'duration', otherwise: null }, inspection)
  if (!seconds) inspection.broken('missing', asset.path, 'attribute duration is missing')
  const file = childrenNamed(asset, 'media-rep').find(
    ({ attributes }) => (attributes['kind'] ?? 'original-media') === 'original-media',
  )
  if (!file) inspection.broken('missing', asset.path, '<media-rep kind="original-media"> is missing')
  const rate = /^(\d+)$/.exec(audioRate ?? '48000')
  if (!rate) inspection.broken('value', asset.path, `audioRate "${audioRate}" is not a number of hertz`)
  return {
    id,
    name,
    path: pathOfUrl(file?.attributes['src'] ?? '', file?.path ?? asset.path, inspection),
    seconds,
    timecodeStart: timeAttribute(asset, { name: 'start', otherwise: null }, inspection),
    dropFrame: false,
    width: shape?.width ?? null,
    height: shape?.height ?? null,
    rate: shape?.rate ?? null,
    channels: integerOrNull(asset, 'audioChannels', inspection),
    sampleRate: audioRate === undefined ? null : Number(rate?.[1] ?? 0),
    hasVideo: hasVideo === '1',
    hasAudio: hasAudio === '1',
  }
}

function integerOrNull(element: Element, name: string, inspection: Inspection): number | null {
  const text = element.attributes[name]
  if (text === undefined) return null
  if (!/^\d+$/.test(text)) inspection.broken('value', element.path, `${name} "${text}" is not a whole number`)
  return Number(text)
}
