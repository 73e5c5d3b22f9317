import { type Asset, parseTime, type Resources, timeAttribute } from './fcpxml-resources.ts'
import { containedScale, type Inspection, placedRect, type ReadClip, type ReadRect } from './read-project.ts'
import {
  add,
  compare,
  divide,
  isWholeFrames,
  multiply,
  unity,
  type Rational,
  show,
  subtract,
  zero,
} from './rational.ts'
import { child, childrenNamed, type Element } from './xml.ts'

/** A clip with the lane that it is on; 0 is the primary storyline. */
export interface LaneClip {
  readonly lane: number
  readonly kind: 'video' | 'audio'
  readonly clip: ReadClip
}

/** Size of the frame of a sequence, pixels. */
interface Canvas {
  readonly width: number
  readonly height: number
}

/** Reads the clips of a sequence. Times on the timeline are relative to its start. */
export class ClipReader {
  readonly clips: LaneClip[] = []
  /** Assets that a clip plays with drop-frame timecode. */
  readonly dropFrameAssets = new Set<string>()
  readonly #resources: Resources
  readonly #rate: Rational
  readonly #canvas: Canvas | undefined
  readonly #inspection: Inspection

  constructor(
    resources: Resources,
    { rate, canvas }: { readonly rate: Rational; readonly canvas: Canvas | undefined },
    inspection: Inspection,
  ) {
    this.#resources = resources
    this.#rate = rate
    this.#canvas = canvas
    this.#inspection = inspection
  }

  /**
   * Reads a storyline. `origin` is the offset of its start in its own time, `start` its place on the timeline,
   * seconds. Returns its end on the timeline. Items must follow each other without holes.
   */
  readSpine(
    spine: Element,
    { origin, start, lane }: { origin: Rational; start: Rational; lane: number },
  ): Rational {
    let expected = start
    for (const item of spine.children) {
      if (item.name === 'transition') {
        this.#inspection.skip(`${item.path}: transition`)
        continue
      }
      const clip = item.name === 'audition' ? this.#pick(item) : item
      const offset = this.#time(item, 'offset')
      const place = offset ? add(start, subtract(offset, origin)) : expected
      if (compare(place, expected) < 0) {
        this.#broken(
          'overlap',
          item,
          `starts at ${show(place)} s, the item before ends at ${show(expected)} s`,
        )
      } else if (compare(place, expected) > 0) {
        this.#broken('hole', item, `starts at ${show(place)} s, the item before ends at ${show(expected)} s`)
      }
      expected = add(place, this.#readItem(clip, place, lane))
    }
    return expected
  }

  /** Returns the pick of an audition, its first clip. */
  #pick(audition: Element): Element {
    const [pick = audition, ...others] = audition.children
    if (others.length > 0) this.#inspection.skip(`${audition.path}: alternatives of an audition`)
    return pick
  }

  /** Reads an item at a place on the timeline, with what is connected to it. Returns its duration, seconds. */
  #readItem(item: Element, place: Rational, lane: number): Rational {
    const asset = this.#resources.assets.get(item.attributes['ref'] ?? '')
    const { name } = item
    if (['asset-clip', 'video', 'audio'].includes(name) && !asset) {
      this.#broken('reference', item, `there is no asset ${item.attributes['ref'] ?? ''}`)
    }
    const stated = this.#time(item, 'duration')
    const duration = stated ?? asset?.seconds ?? zero
    if (stated === null && name === 'asset-clip')
      this.#broken('missing', item, 'attribute duration is missing')
    this.#checkFrames(item, place, duration)
    const local = this.#time(item, 'start') ?? asset?.timecodeStart ?? zero
    if (name === 'asset-clip' && asset) this.#addAssetClip(item, asset, { place, duration, local, lane })
    else if (name === 'clip') this.#readComponents(item, { place, duration, local, lane })
    else if (name !== 'gap') this.#inspection.skip(`${item.path}: ${name}`)
    if (name !== 'clip') this.#readConnected(item, { place, local })
    return duration
  }

  #checkFrames(item: Element, place: Rational, duration: Rational): void {
    for (const [what, time] of Object.entries({ start: place, duration })) {
      if (isWholeFrames(time, this.#rate)) continue
      this.#broken('frames', item, `${what} ${show(time)} s is not on an edit frame boundary`)
    }
    if (duration.num <= 0) this.#broken('range', item, `duration ${show(duration)} s is not positive`)
  }

  #addAssetClip(
    item: Element,
    asset: Asset,
    span: { place: Rational; duration: Rational; local: Rational; lane: number },
  ): void {
    const { srcEnable = 'all', tcFormat, format, audioStart, audioDuration } = item.attributes
    if (tcFormat === 'DF') this.dropFrameAssets.add(asset.id)
    if (format !== undefined && !this.#resources.formats.has(format)) {
      this.#broken('reference', item, `there is no format ${format}`)
    }
    if (audioStart !== undefined || audioDuration !== undefined)
      this.#inspection.skip(`${item.path}: split edit`)
    const clip = this.#clip(item, asset, span)
    if (asset.hasVideo && srcEnable !== 'audio') {
      const picture = this.#picture(item, asset)
      this.clips.push({ lane: span.lane, kind: 'video', clip: { ...clip, picture } })
    }
    if (asset.hasAudio && srcEnable !== 'video') this.clips.push({ lane: span.lane, kind: 'audio', clip })
  }

  /** Returns where the picture of an item is: contained in the frame, then scaled and moved by its transform. */
  #picture(item: Element, { width, height }: Asset): ReadRect | undefined {
    const canvas = this.#canvas
    if (!width || !height || !canvas) return undefined
    const conform = child(item, 'adjust-conform')?.attributes['type'] ?? 'fit'
    if (conform !== 'fit') this.#inspection.skip(`${item.path}: adjust-conform ${conform}`)
    if (child(item, 'adjust-crop')) this.#inspection.skip(`${item.path}: adjust-crop`)
    const transform = child(item, 'adjust-transform')
    const pair = (name: string, otherwise: number) => {
      const text = transform?.attributes[name]
      if (text === undefined) return { x: otherwise, y: otherwise }
      const [x = Number.NaN, y = Number.NaN, ...others] = text.split(' ').map(Number)
      if (Number.isNaN(x) || Number.isNaN(y) || others.length > 0)
        this.#broken('value', transform ?? item, `${name} "${text}" is not two numbers`)
      return { x, y }
    }
    const [scale, position] = [pair('scale', 1), pair('position', 0)]
    const contained = containedScale({ width, height }, canvas)
    return placedRect(
      {
        ...{ width, height, scale: { x: scale.x * contained, y: scale.y * contained } },
        offset: { x: (position.x * canvas.height) / 100, y: (-position.y * canvas.height) / 100 },
      },
      canvas,
    )
  }

  /** Returns the part of an asset that an item plays from a local time for a duration. */
  #clip(
    item: Element,
    asset: Asset,
    { place, duration, local }: { place: Rational; duration: Rational; local: Rational },
  ): ReadClip {
    const map = this.#timeMap(item)
    const conform = child(item, 'conform-rate')
    const isScaled = isScaling(conform)
    if (isScaled) this.#inspection.skip(`${item.path}: scaled rate`)
    if (!child(item, 'timeMap') && !conform && !isWholeFrames(local, this.#rate)) {
      this.#broken('frames', item, `start ${show(local)} s is not on an edit frame boundary`)
    }
    const origin = asset.timecodeStart ?? zero
    const [from, to] = [map(local), map(add(local, duration))]
    return {
      media: asset.id,
      name: item.attributes['name'] ?? '',
      from: subtract(from, origin),
      to: subtract(to, origin),
      start: place,
      end: add(place, duration),
      speed: duration.num > 0 ? divide(subtract(to, from), duration) : unity,
    }
  }

  /** Reads the components of a `clip`: its video and audio, which are placed in its local time. */
  #readComponents(
    item: Element,
    span: { place: Rational; duration: Rational; local: Rational; lane: number },
  ): void {
    for (const part of item.children) {
      if (part.name !== 'video' && part.name !== 'audio') continue
      const asset = this.#resources.assets.get(part.attributes['ref'] ?? '')
      if (!asset) {
        this.#broken('reference', part, `there is no asset ${part.attributes['ref'] ?? ''}`)
        continue
      }
      const start = this.#time(part, 'start') ?? asset.timecodeStart ?? zero
      const local = add(start, subtract(span.local, this.#time(part, 'offset') ?? zero))
      const name = { ...part, attributes: { name: item.attributes['name'] ?? '', ...part.attributes } }
      const rated = { ...name, children: [...childrenNamed(item, 'conform-rate'), ...part.children] }
      this.clips.push({
        lane: span.lane,
        kind: part.name,
        clip: this.#clip(rated, asset, { ...span, local }),
      })
      this.#readComponents({ ...part, attributes: name.attributes }, { ...span, local })
    }
  }

  /** Reads the items that are connected to an item: each is placed in the local time of the item. */
  #readConnected(item: Element, { place, local }: { place: Rational; local: Rational }): void {
    for (const connected of item.children) {
      const lane = Number(connected.attributes['lane'] ?? 0)
      if (lane === 0 || !Number.isInteger(lane)) continue
      if (isScaling(child(item, 'conform-rate'))) {
        this.#inspection.skip(`${connected.path}: connected to a clip of scaled rate`)
        continue
      }
      const offset = this.#time(connected, 'offset') ?? local
      const start = add(place, subtract(offset, local))
      if (connected.name === 'spine') this.readSpine(connected, { origin: zero, start, lane })
      else this.#readItem(connected.name === 'audition' ? this.#pick(connected) : connected, start, lane)
    }
  }

  /** Returns the function from local time to media time of an item: the identity without a time map. */
  #timeMap(item: Element): (time: Rational) => Rational {
    const map = child(item, 'timeMap')
    if (!map) return (time) => time
    const points = childrenNamed(map, 'timept').map(({ attributes, path }) => ({
      time: parseTime(attributes['time'] ?? '', path, this.#inspection),
      value: parseTime(attributes['value'] ?? '', path, this.#inspection),
    }))
    const [first, second] = [points[0], points.at(-1)]
    if (!first || !second || compare(second.time, first.time) <= 0) {
      this.#broken('value', map, 'the time map does not have two points in order')
      return (time) => time
    }
    if (points.length > 2) this.#inspection.skip(`${map.path}: variable speed`)
    const slope = divide(subtract(second.value, first.value), subtract(second.time, first.time))
    return (time) => add(first.value, multiply(subtract(time, first.time), slope))
  }

  #time(element: Element, name: string): Rational | null {
    return timeAttribute(element, { name, otherwise: null }, this.#inspection)
  }

  #broken(rule: Parameters<Inspection['broken']>[0], { path }: Element, problem: string): void {
    this.#inspection.broken(rule, path, problem)
  }
}

/** Returns whether a `conform-rate` changes the speed of the media to match the rate of the sequence. */
function isScaling(conform: Element | undefined): boolean {
  return conform !== undefined && conform.attributes['scaleEnabled'] !== '0'
}
