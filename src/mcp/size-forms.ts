import * as z from 'zod'
import { plainText } from '../contract/agent-form.ts'
import { type AnySchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'

/** A size that an argument means. */
interface MeantSize {
  readonly width: number
  readonly height: number
  /** Whether it was given by name, so that the result must state it. */
  readonly isNamed: boolean
}

/** Aspect ratios (width / height) by name. */
const shapes: Readonly<Record<string, number>> = {
  vertical: 9 / 16,
  portrait: 9 / 16,
  tall: 9 / 16,
  horizontal: 16 / 9,
  landscape: 16 / 9,
  wide: 16 / 9,
  widescreen: 16 / 9,
  square: 1,
}

/** Shorter sides by name, pixels. */
const shortSides: Readonly<Record<string, number>> = {
  '720': 720,
  '720p': 720,
  hd: 720,
  '1080': 1080,
  '1080p': 1080,
  'full hd': 1080,
  fullhd: 1080,
  fhd: 1080,
  '1440p': 1440,
  qhd: 1440,
  '2160': 2160,
  '2160p': 2160,
  '4k': 2160,
  uhd: 2160,
  '4k uhd': 2160,
  'ultra hd': 2160,
}

/** Longest text that is read as a size, characters. */
const maxTextLength = 60

/** Returns whether a schema is a size in pixels: a list of two numbers, or an object of width and height. */
export function isSize(schema: AnySchema): schema is z.ZodArray | z.ZodObject {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape).join() === 'width,height'
  return (
    schema instanceof z.ZodArray &&
    unwrapSchema(schema.element) instanceof z.ZodNumber &&
    z.safeParse(schema, [16, 16]).success &&
    !z.safeParse(schema, [16]).success
  )
}

/** Returns the size that a value in another form means, if the schema is one: "1920x1080", 4K, vertical, a list, an object. */
export function readSize(schema: AnySchema, value: unknown): MeantSize | undefined {
  if (!isSize(schema)) return undefined
  if (typeof value === 'string' || typeof value === 'number') return parseSize(String(value))
  const [width, height] = Array.isArray(value)
    ? (value as unknown[])
    : isRecord(value)
      ? [value['width'], value['height']]
      : []
  const isPair = Array.isArray(value) ? value.length === 2 : width !== undefined && height !== undefined
  return isPair ? { width: width as number, height: height as number, isNamed: false } : undefined
}

function parseSize(text: string): MeantSize | undefined {
  if (text.length > maxTextLength) return undefined
  const [, width, height] = /^\s*(\d{1,5})\s*[x×*, ]\s*(\d{1,5})\s*$/i.exec(text) ?? []
  if (width !== undefined && height !== undefined) {
    return { width: Number(width), height: Number(height), isNamed: false }
  }
  const plain = plainText(text)
  const shape = Object.keys(shapes).find((name) => ` ${plain} `.includes(` ${name} `))
  const quality = shape === undefined ? plain : ` ${plain} `.replace(` ${shape} `, ' ').trim()
  const short = quality === '' && shape !== undefined ? 1080 : namedValue(shortSides, quality)
  if (short === undefined) return undefined
  const aspect = (shape === undefined ? undefined : shapes[shape]) ?? 16 / 9
  return {
    width: aspect > 1 ? Math.round(short * aspect) : short,
    height: aspect < 1 ? Math.round(short / aspect) : short,
    isNamed: true,
  }
}

function namedValue(names: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined
}

/** Instruction for a value that is no size; undefined for other fields. */
export function sizeHint(schema: AnySchema): string | undefined {
  const inner = unwrapSchema(schema)
  if (!isSize(inner)) return undefined
  const example = inner instanceof z.ZodArray ? '[1920, 1080]' : '{"width": 1920, "height": 1080}'
  return `Use ${example}, "1920x1080", or a name: landscape (1920x1080), vertical (1080x1920), square (1080x1080), 720p, 1080p or 4K (3840x2160).`
}
