/** A division of an area: a single slot, or adjacent parts sized by weight. */
export type Shape =
  | { readonly kind: 'slot' }
  | { readonly kind: 'rows' | 'columns'; readonly parts: readonly Part[] }

interface Part {
  readonly weight: number
  readonly shape: Shape
}

const slot: Shape = { kind: 'slot' }

/**
 * Parses the notation of the catalogue. `/` stacks rows, `|` puts columns side by side and binds tighter, a
 * number n is n equal slots side by side, `w*` before a part sets its weight, and parentheses group. `2*1/3`
 * is one slot above three, twice as high. Throws TypeError for anything else.
 */
export function parseShape(text: string): Shape {
  const tokens = text.match(/\d+\*?|[/|()]|\S/g) ?? []
  let next = 0

  const split = (kind: 'rows' | 'columns', separator: string, part: () => Part): Part => {
    const parts = [part()]
    while (tokens[next] === separator) {
      next += 1
      parts.push(part())
    }
    const [only] = parts
    return only && parts.length === 1 ? only : { weight: 1, shape: { kind, parts } }
  }
  const rows = (): Part => split('rows', '/', columns)
  const columns = (): Part => split('columns', '|', weighted)
  const weighted = (): Part => {
    const token = tokens[next] ?? ''
    if (!/^[1-9]\d*\*$/.test(token)) return { weight: 1, shape: term() }
    next += 1
    return { weight: Number.parseInt(token, 10), shape: term() }
  }
  const term = (): Shape => {
    const token = tokens[next] ?? 'the end'
    next += 1
    if (/^[1-9]\d*$/.test(token)) return sideBySide(Number(token))
    if (token !== '(') throw new TypeError(`${token} where a slot or ( belongs in the shape ${text}`)
    const inner = rows()
    if (tokens[next] !== ')') throw new TypeError(`) missing in the shape ${text}`)
    next += 1
    return inner.shape
  }

  const { shape } = rows()
  if (next < tokens.length) throw new TypeError(`${tokens[next]} left over in the shape ${text}`)
  return shape
}

function sideBySide(count: number): Shape {
  if (count === 1) return slot
  return { kind: 'columns', parts: Array.from({ length: count }, () => ({ weight: 1, shape: slot })) }
}

/** Swaps rows and columns, which adapts a portrait layout to landscape. */
export function turned(shape: Shape): Shape {
  if (shape.kind === 'slot') return shape
  return {
    kind: shape.kind === 'rows' ? 'columns' : 'rows',
    parts: shape.parts.map((part) => ({ weight: part.weight, shape: turned(part.shape) })),
  }
}
