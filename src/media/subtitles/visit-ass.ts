/** What a piece of an entry's text is. */
export type TokenKind = 'text' | 'tags' | 'drawing' | 'break' | 'space'

/** Visits the pieces of a text of ASS in their order: breaks, spaces, blocks in braces; the rest is text, escaped braces too. */
export function visitAssTokens(
  text: string,
  visit: (kind: TokenKind, from: number, to: number) => void,
): void {
  let drawing = false
  let done = 0
  const add = (kind: TokenKind, from: number, to: number) => {
    if (from > done) visit(drawing ? 'drawing' : 'text', done, from)
    visit(kind, from, to)
    done = to
  }
  const lastBrace = text.lastIndexOf('}')
  // The next `\p`, which begins and ends drawings: most blocks have none.
  let scaleAt = -1
  const sign = /[\\{]/g
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    const at = found.index
    const next = text[at + 1] ?? ''
    if (found[0] === '\\' && /[Nnh]/.test(next) && !drawing) add(next === 'h' ? 'space' : 'break', at, at + 2)
    // A block that nothing ends is text.
    else if (found[0] === '{' && at < lastBrace) {
      const end = text.indexOf('}', at) + 1
      add('tags', at, end)
      if (scaleAt < at) scaleAt = indexFrom(text, String.raw`\p`, at)
      const scale = scaleAt < end ? [...text.slice(at, end).matchAll(/\\p(\d+)/g)].at(-1)?.[1] : undefined
      if (scale !== undefined) drawing = Number(scale) > 0
      sign.lastIndex = end
      continue
    }
    sign.lastIndex = at + (/[\\Nnh{}]/.test(next) && found[0] === '\\' && next !== '\\' ? 2 : 1)
  }
  if (done < text.length) visit(drawing ? 'drawing' : 'text', done, text.length)
}

/** Where a text has something from an offset on; beyond its end where nowhere. */
function indexFrom(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from)
  return found < 0 ? text.length : found
}
