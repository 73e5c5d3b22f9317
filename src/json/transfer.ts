/** Most elements of one step: they are copied to another thread within a few milliseconds. */
const stepWeight = 10_000

/** Characters of a string that weigh as much as an element. */
const charactersPerElement = 1024

/** One step of building a value in another thread: a copy of the whole value would block that thread. */
export type TransferStep =
  | { readonly step: 'items'; readonly items: readonly unknown[] }
  | { readonly step: 'fields'; readonly fields: object }
  /** Begins a list or object, in the field `key` of the current object or as an item of the current list. */
  | { readonly step: 'open'; readonly kind: 'list' | 'object'; readonly key: string | null }
  | { readonly step: 'close' }

type Container = unknown[] | Record<string, unknown>

/** Splits a JSON value, nested at most 64 levels deep, into steps of limited size. */
export function* splitValue(value: unknown): Generator<TransferStep> {
  yield* splitItems([value])
}

function* splitItems(items: readonly unknown[]): Generator<TransferStep> {
  let [batch, weight]: [unknown[], number] = [[], 0]
  for (const item of items) {
    const itemWeight = weigh(item)
    if (weight + itemWeight > stepWeight && batch.length > 0) {
      yield { step: 'items', items: batch }
      ;[batch, weight] = [[], 0]
    }
    if (isContainer(item) && itemWeight > stepWeight) {
      yield* splitContainer(item, null)
    } else {
      batch.push(item)
      weight += itemWeight
    }
  }
  if (batch.length > 0) yield { step: 'items', items: batch }
}

function* splitFields(object: Record<string, unknown>): Generator<TransferStep> {
  let [batch, weight]: [Record<string, unknown>, number] = [{}, 0]
  for (const [key, field] of Object.entries(object)) {
    const fieldWeight = 1 + weigh(field)
    if (weight + fieldWeight > stepWeight && weight > 0) {
      yield { step: 'fields', fields: batch }
      ;[batch, weight] = [{}, 0]
    }
    if (isContainer(field) && fieldWeight > stepWeight) {
      yield* splitContainer(field, key)
    } else {
      batch[key] = field
      weight += fieldWeight
    }
  }
  if (weight > 0) yield { step: 'fields', fields: batch }
}

function* splitContainer(container: Container, key: string | null): Generator<TransferStep> {
  const isList = Array.isArray(container)
  yield { step: 'open', kind: isList ? 'list' : 'object', key }
  yield* isList ? splitItems(container) : splitFields(container)
  yield { step: 'close' }
}

/** Number of elements in a value, and long strings as several; counts only until it exceeds that of one step. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / charactersPerElement)
  if (!isContainer(value)) return 1
  let weight = 1
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    weight += weigh(child)
    if (weight > stepWeight) break
  }
  return weight
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** Builds a value from its steps. */
export class ValueBuilder {
  readonly #root: unknown[] = []
  readonly #open: Container[] = [this.#root]

  apply(step: TransferStep): void {
    const current = this.#open.at(-1)
    if (current === undefined) throw new TypeError('a step follows the end of the value')
    if (step.step === 'close') {
      this.#open.pop()
    } else if (step.step === 'items') {
      if (Array.isArray(current)) for (const item of step.items) current.push(item)
    } else if (step.step === 'fields') {
      Object.assign(current, step.fields)
    } else {
      const child: Container = step.kind === 'list' ? [] : {}
      if (Array.isArray(current)) current.push(child)
      else if (step.key !== null) current[step.key] = child
      this.#open.push(child)
    }
  }

  /** The complete value. */
  get value(): unknown {
    return this.#root[0]
  }
}
