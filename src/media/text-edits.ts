/** A part of a text from one UTF-16 offset up to another one, which is excluded. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** Replaces a range of a text. */
export interface TextEdit extends TextRange {
  readonly replacement: string
}

/** Applies edits to a text. They must be in order and must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { from, to, replacement: by } of edits) {
    pieces.push(text.slice(at, from), by)
    at = to
  }
  return [...pieces, text.slice(at)].join('')
}
