import type { Inspection } from './read-project.ts'
import { divide, parseDecimal, rational, type Rational } from './rational.ts'
import { framesOfTimecode } from './timecode.ts'
import { child, type Element } from './xml.ts'

/** Reads fields of xmeml elements and reports the missing and malformed ones. */
export class XmemlFields {
  readonly inspection: Inspection

  constructor(inspection: Inspection) {
    this.inspection = inspection
  }

  /** Returns the text of a required child; empty when it is missing and that is tolerated. */
  text(element: Element, name: string): string {
    const found = child(element, name)?.text ?? ''
    if (found === '') this.inspection.broken('missing', element.path, `<${name}> is missing or empty`)
    return found
  }

  /** Returns the whole number in a required child. Reports `1055.0`, which not every editor parses. */
  integer(element: Element, name: string): number {
    const text = this.text(element, name)
    if (/^-?\d+$/.test(text)) return Number(text)
    if (text !== '') this.inspection.broken('frames', element.path, `<${name}> ${text} is not a whole number`)
    return Math.trunc(Number(text))
  }

  /** Returns a number that may be absent, or null. */
  optionalNumber(element: Element | undefined, path: string): number | null {
    const text = child(element, path)?.text
    if (text === undefined) return null
    if (!/^\d+$/.test(text)) {
      this.inspection.broken('value', element?.path ?? path, `<${path}> ${text} is not a whole number`)
    }
    return Number(text)
  }

  /** Returns the frames a second of the `rate` child: an integer timebase, times 1000/1001 with ntsc TRUE. */
  rate(element: Element): Rational {
    const rate = child(element, 'rate')
    if (!rate) {
      this.inspection.broken('missing', element.path, '<rate> is missing')
      return rational(1)
    }
    const timebase = this.integer(rate, 'timebase')
    const ntsc = this.text(rate, 'ntsc')
    if (timebase < 1) this.inspection.broken('value', rate.path, `<timebase> ${timebase} is not a rate`)
    if (!['TRUE', 'FALSE'].includes(ntsc)) {
      this.inspection.broken('value', rate.path, `<ntsc> ${ntsc} is neither TRUE nor FALSE`)
    }
    return ntsc === 'TRUE' ? rational(timebase * 1000, 1001) : rational(timebase)
  }

  /** Returns the start and the display format of the `timecode` child, or null. Checks that string and frame agree. */
  timecode(element: Element): { start: Rational; dropFrame: boolean } | null {
    const timecode = child(element, 'timecode')
    if (!timecode) return null
    const rate = this.rate(timecode)
    const frame = this.integer(timecode, 'frame')
    const format = this.text(timecode, 'displayformat')
    if (!['DF', 'NDF'].includes(format)) {
      this.inspection.broken('value', timecode.path, `<displayformat> ${format} is neither DF nor NDF`)
    }
    const string = this.text(timecode, 'string')
    const named = framesOfTimecode(string, rate, format === 'DF')
    if (named !== frame) {
      this.inspection.broken(
        'timecode',
        timecode.path,
        `${string} ${format} is frame ${named ?? 'that does not exist'}, not ${frame}`,
      )
    }
    if (string.includes(';') !== (format === 'DF')) {
      this.inspection.broken('timecode', timecode.path, `${string} is not written as ${format}`)
    }
    return { start: divide(rational(frame), rate), dropFrame: format === 'DF' }
  }

  /**
   * Returns the static scale of a basic motion filter, a percentage in the file, and the offset of its center as a share
   * of the sides of the canvas; 1 and 0 without a filter.
   */
  motion(clip: Element): { scale: number; x: number; y: number } {
    const effects = clip.children
      .filter(({ name }) => name === 'filter')
      .map((filter) => child(filter, 'effect'))
      .filter((effect) => child(effect, 'effectid')?.text === 'basic')
    const [motion, ...others] = effects
    if (!motion) return { scale: 1, x: 0, y: 0 }
    if (others.length > 0) this.inspection.broken('duplicate', clip.path, 'more than one basic motion')
    const value = (id: string, path: string, otherwise: number) => {
      const parameter = motion.children.find((one) => child(one, 'parameterid')?.text === id)
      if (!parameter) return otherwise
      if (child(parameter, 'keyframe')) this.inspection.skip(`${parameter.path}: key frames`)
      const number = parseDecimal(child(parameter, path)?.text ?? '')
      if (number) return number.num / number.den
      this.inspection.broken('value', parameter.path, `<${path}> of ${id} is not a number`)
      return otherwise
    }
    const scale = value('scale', 'value', 100) / 100
    if (scale <= 0) this.inspection.broken('value', motion.path, 'scale is not positive')
    return { scale, x: value('center', 'value/horiz', 0), y: value('center', 'value/vert', 0) }
  }

  /** Returns the constant speed of a time remap filter, a percentage in the file; 1 without a filter. */
  speed(clip: Element): Rational {
    const effects = clip.children
      .filter(({ name }) => name === 'filter')
      .map((filter) => child(filter, 'effect'))
    const remap = effects.find((effect) => child(effect, 'effectid')?.text === 'timeremap')
    const parameter = remap?.children.find((one) => child(one, 'parameterid')?.text === 'speed')
    if (!remap) return rational(1)
    const percent = parseDecimal(child(parameter, 'value')?.text ?? '')
    if (percent && percent.num > 0) return divide(percent, rational(100))
    this.inspection.broken('value', remap.path, 'the speed of the time remap is not a positive percentage')
    return rational(1)
  }
}

/** Returns a number of frames as seconds. */
export function frames(count: number, rate: Rational): Rational {
  return divide(rational(count), rate)
}
