import type { JsonSchema } from '../../src/contract/json-schema.ts'

/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), repeatable by seed. */
export type Random = () => number

const { MAX_SAFE_INTEGER, MAX_VALUE } = Number

/** Values that often break programs. */
const hostile: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 0.5, 1e21, 2 ** 31, 2 ** 53, -MAX_SAFE_INTEGER, MAX_VALUE, 5e-324],
  ...['', ' ', '0', '-1', '1e3', '٣', 'NaN', 'null', 'undefined', 'true', '[]', '{}', '\0', '\u007f\u0085'],
  ...['../../etc/passwd', '..\\..\\boot.ini', '/etc/passwd', 'file:///etc/passwd', 'http://169.254.169.254/'],
  ...[
    '%00',
    '%2e%2e%2f',
    '%',
    '%zz',
    '\ud800',
    '\u202egpj.exe',
    '\ufeff',
    'e\u0301'.repeat(50),
    '𝕏'.repeat(99),
  ],
  ...[
    "' or 1=1 --",
    '"; drop table files; --',
    '${7*7}',
    '$(id)',
    '`id`',
    '| id',
    '<script>alert(1)</script>',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'a'.repeat(9000),
    '9'.repeat(19),
    '9'.repeat(400),
  ],
  ...['\r\nSet-Cookie: a=b', '2026-13-45T99:99:99Z', '#', '?', '/', '\\', '*', '%s%s%n', '\x1b[2J'],
  ...[
    [],
    {},
    [[]],
    [null],
    { __proto__: { polluted: true } },
    { constructor: { prototype: {} } },
    [1, '2', {}],
  ],
]

/** Generates valid, almost valid and invalid values of a schema. */
export class Values {
  readonly #random: Random
  /** Existing names and ids. */
  readonly #known: string[]

  constructor(random: Random, known: string[]) {
    this.#random = random
    this.#known = known
  }

  /** Adds ids of a response, so that later values use them. Removes the last ones beyond the limit. */
  addIds(response: string, most: number): void {
    for (const [id] of response.matchAll(/\b\d{19}\b/g)) {
      if (this.#known.length < most) this.#known.push(id)
      else this.#known[this.integer(most / 2, most - 1)] = id
    }
  }

  /** True with this probability. */
  chance(share: number): boolean {
    return this.#random() < share
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined && items.length === 0) throw new TypeError('there is nothing to pick from')
    return item as T
  }

  /** An integer, both ends included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }

  hostile(): unknown {
    return this.pick(hostile)
  }

  hostileText(): string {
    const value = this.hostile()
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  /** A valid value, as far as the generator knows. */
  fitting(schema: JsonSchema | boolean): unknown {
    if (typeof schema === 'boolean') return this.hostile()
    const { const: constant, enum: choices, anyOf, oneOf, allOf, type, default: defaultValue } = schema
    if (constant !== undefined) return constant
    if (choices && choices.length > 0) return this.pick(choices)
    const alternatives = anyOf ?? oneOf ?? allOf
    if (alternatives) return this.fitting(this.pick(alternatives))
    if (defaultValue !== undefined && this.chance(0.3)) return defaultValue
    switch (Array.isArray(type) ? this.pick(type) : type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema)
      case 'integer':
        return Math.round(this.#number(schema))
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return this.chance(0.5)
      case 'string':
        return this.#text(schema)
      default:
        return this.hostile()
    }
  }

  /** A value with one random element replaced. */
  corrupted(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && this.chance(0.8)) {
      const at = this.integer(0, value.length - 1)
      if (this.chance(0.1)) return [...value, ...value]
      return value.map((item, index) => (index === at ? this.corrupted(item) : (item as unknown)))
    }
    if (typeof value === 'object' && value !== null && this.chance(0.9)) return this.#corruptedObject(value)
    return this.hostile()
  }

  #corruptedObject(value: object): unknown {
    const entries = Object.entries(value)
    const at = this.integer(0, entries.length)
    if (at === entries.length) return { ...value, [this.hostileText()]: this.hostile() }
    if (this.chance(0.2)) return Object.fromEntries(entries.filter((_, index) => index !== at))
    return Object.fromEntries(
      entries.map(([name, item], index) => [name, index === at ? this.corrupted(item) : (item as unknown)]),
    )
  }

  #object({ properties = {}, required = [] }: JsonSchema): unknown {
    const chosenProperties = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.chance(0.4),
    )
    return Object.fromEntries(chosenProperties.map(([name, schema]) => [name, this.fitting(schema)]))
  }

  #array({ items = {}, minItems = 0, maxItems = minItems + 3 }: JsonSchema): unknown {
    const length = this.integer(minItems, Math.min(maxItems, minItems + 3))
    const one = Array.isArray(items) ? (items[0] ?? {}) : items
    return Array.from({ length }, () => this.fitting(one))
  }

  #number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): number {
    // Published schemas omit many bounds: most quantities are positive, and many are small.
    const lowerBound = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1e-3 : 0
    const least = minimum ?? lowerBound
    const upperBound = least + this.pick([1, 10, 1000])
    const below = typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1e-3 : upperBound
    const most = maximum ?? below
    const edge = this.pick([least, most, least - 1, most + 1])
    return this.chance(0.1) ? edge : least + this.#random() * (Math.min(most, MAX_SAFE_INTEGER) - least)
  }

  #text({ pattern, maxLength = 40, minLength = 0 }: JsonSchema): string {
    if (pattern !== undefined || this.chance(0.5)) {
      if (this.#known.length > 0 && this.chance(0.8)) return this.pick(this.#known)
      return this.pick(['#00ff00', '00ff00', '16:9', '1.5', '123', 'a.txt', 'clip.mp4', 'ab'.repeat(32)])
    }
    const length = this.integer(minLength, Math.min(maxLength, minLength + 20))
    return Array.from({ length }, () => String.fromCodePoint(this.integer(32, 0x2fff))).join('')
  }
}
