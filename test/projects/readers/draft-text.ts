import * as z from 'zod'
import { parseProjectJson } from './json.ts'
import type { Inspection } from './read-project.ts'

/** The content of a text material: JSON inside a text. */
const textContent = z.looseObject({
  text: z.string(),
  styles: z.array(z.looseObject({ range: z.tuple([z.int(), z.int()]) })),
})

/**
 * Checks the text of a draft: the ranges of its styles count UTF-16 units, follow each other and end with the text.
 * Skips the older form, which is markup.
 */
export function checkDraftText(
  material: { readonly id: string; readonly content: string } | undefined,
  id: string,
  inspection: Inspection,
): void {
  if (!material) return inspection.broken('reference', `text ${id}`, 'there is no such text material')
  if (material.content.startsWith('<')) return inspection.skip(`text ${id}: markup`)
  const { text, styles } = parseProjectJson(material.content, textContent)
  let before = 0
  for (const { range } of styles) {
    const [start, end] = range
    const isRange = start >= before && end > start && end <= text.length && !splitsPair(text, end)
    inspection.require(isRange, [
      'text-range',
      `text ${id}`,
      `[${start}, ${end}] of ${text.length} UTF-16 units`,
    ])
    before = end
  }
}

/** Returns whether a position is inside a surrogate pair. */
function splitsPair(text: string, position: number): boolean {
  return position < text.length && (text.codePointAt(position - 1) ?? 0) > 0xffff
}
