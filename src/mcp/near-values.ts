import * as z from 'zod'
import { agentFieldOf, plainText } from '../contract/agent-form.ts'
import { knownLanguages } from '../contract/languages.ts'
import { type AnySchema, nearestWord, unwrapSchema } from '../contract/suggest-fix.ts'
import { parseColour } from './css-colours.ts'
import { languageHint, offeredLanguage } from './language-names.ts'

/** Unit of a number field. */
export type TimeUnit = 'ms' | 's'

/** What an argument means. */
interface MeantValue {
  readonly value: unknown
  /** Whether the value was chosen among several, so that the result must state it. */
  readonly isAssumed: boolean
}

/** Unit of the times in a field: milliseconds by its name, seconds by its description; undefined for other numbers. */
export function timeUnit(name: string, description = ''): TimeUnit | undefined {
  if (name.endsWith('_ms')) return 'ms'
  return /(^|[\s,(])(s|seconds)([;,.:\s)]|$)/i.test(description) ? 's' : undefined
}

/**
 * Returns what a value means in a field of a simple type: text as a number, time, truth value or choice, and colours
 * and languages by name. Returns undefined if the value is not near any valid one.
 */
export function nearValue(schema: AnySchema, given: unknown, unit?: TimeUnit): MeantValue | undefined {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodEnum && (typeof given === 'string' || typeof given === 'number')) {
    return nearChoice(inner, String(given))
  }
  if (typeof given !== 'string') return undefined
  if (inner instanceof z.ZodNumber) return nearNumber(given, unit)
  if (inner instanceof z.ZodBoolean) return nearTruth(given)
  if (inner instanceof z.ZodString && agentFieldOf(inner)?.kind === 'colour') {
    const colour = /^#[\da-f]{6}$/i.test(given) ? undefined : parseColour(given)
    return colour === undefined ? undefined : { value: colour, isAssumed: true }
  }
  if (inner instanceof z.ZodString && agentFieldOf(inner)?.kind === 'language') return nearLanguage(given)
  return undefined
}

/** The code of a language that is named otherwise, where the field takes any code. */
function nearLanguage(given: string): MeantValue | undefined {
  const meant = offeredLanguage(given, knownLanguages)
  return meant === undefined || meant === given ? undefined : { value: meant, isAssumed: true }
}

function nearNumber(text: string, unit: TimeUnit | undefined): MeantValue | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text), isAssumed: false }
  const seconds = unit === undefined ? undefined : parseTime(text)
  if (seconds === undefined) return undefined
  return { value: unit === 'ms' ? Math.round(seconds * 1000) : seconds, isAssumed: true }
}

function nearTruth(text: string): MeantValue | undefined {
  const plain = text.trim().toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(plain)) return { value: true, isAssumed: false }
  return ['false', 'no', 'off', '0'].includes(plain) ? { value: false, isAssumed: false } : undefined
}

/** Longest text that is read as a time or a choice, characters. */
const maxTextLength = 60

/** Parses a time with a unit or colons, such as 1:20, 0:01:20.5, 80 s, 1m20s or 500ms. Returns seconds. */
export function parseTime(text: string): number | undefined {
  if (text.length > maxTextLength) return undefined
  // "1,500 ms" may be 1500 or 1.5.
  if (/^\s*[1-9]\d{0,2},\d{3}(?!\d)/.test(text)) return undefined
  const plain = text.trim().toLowerCase().replace(',', '.')
  const [, hours = '0', minutes, seconds] = /^(?:(\d+):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)$/.exec(plain) ?? []
  if (minutes !== undefined && seconds !== undefined) {
    return Number(seconds) < 60 ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : undefined
  }
  const [, thousandths] = /^(\d+(?:\.\d+)?) ?(?:ms|milliseconds?)$/.exec(plain) ?? []
  if (thousandths !== undefined) return Number(thousandths) / 1000
  const parts =
    /^(?:(\d+(?:\.\d+)?) ?(?:h|hours?) ?)?(?:(\d+(?:\.\d+)?) ?(?:m|min|mins|minutes?) ?)?(?:(\d+(?:\.\d+)?) ?(?:s|secs?|seconds?))?$/.exec(
      plain,
    )
  if (!parts || plain === '') return undefined
  const [, wholeHours = '0', wholeMinutes = '0', wholeSeconds = '0'] = parts
  return Number(wholeHours) * 3600 + Number(wholeMinutes) * 60 + Number(wholeSeconds)
}

function nearChoice(schema: z.ZodEnum, text: string): MeantValue | undefined {
  const choices = schema.options.map(String)
  if (choices.includes(text) || text.length > maxTextLength) return undefined
  const { kind, names = {}, published = {} } = agentFieldOf(schema) ?? {}
  const plain = plainText(text)
  const same = choices.find(
    (choice) => plainText(choice) === plain || published[choice] === plain.replaceAll(' ', '_'),
  )
  if (same !== undefined) return { value: same, isAssumed: false }
  const named = Object.hasOwn(names, plain) ? names[plain] : undefined
  const meant =
    named ??
    (kind === 'language'
      ? offeredLanguage(text, choices)
      : (nearRatio(plain, choices) ?? nearSpelling(plain, choices)))
  return meant === undefined ? undefined : { value: meant, isAssumed: true }
}

/** Ratios in another notation, and numbers without the unit of the choice, such as 1080 for 1080p. */
function nearRatio(plain: string, choices: readonly string[]): string | undefined {
  const ratio = plain.replace(/^(\d+) ?[x×/:] ?(\d+)$/, '$1:$2')
  const withUnit = choices.filter(
    (choice) => /^\d/.test(plain) && new RegExp(`^${plain.replaceAll(/\D/g, '\\D')}[a-z]+$`).test(choice),
  )
  return choices.find((choice) => choice === ratio) ?? (withUnit.length === 1 ? withUnit[0] : undefined)
}

function nearSpelling(plain: string, choices: readonly string[]): string | undefined {
  const near = nearestWord(plain, choices.map(plainText))
  return choices.find((choice) => near !== undefined && plainText(choice) === near)
}

/** Instruction for a value that means nothing in its field; undefined where the schema explains more. */
export function nearValueHint(schema: AnySchema, given: unknown): string | undefined {
  const inner = unwrapSchema(schema)
  const field = agentFieldOf(inner)
  if (typeof given !== 'string') return undefined
  if (field?.kind === 'colour') return 'Use #RRGGBB or a CSS colour name, such as orange or rebeccapurple.'
  if (!(inner instanceof z.ZodEnum)) return undefined
  if (field?.kind === 'language') return languageHint(given, inner.options.map(String))
  const published = Object.values(field?.published ?? {})
  return published.length > 0 ? `Use one of ${published.join(', ')}.` : undefined
}
