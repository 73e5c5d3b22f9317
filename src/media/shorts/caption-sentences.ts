import { unwrapText } from '../subtitles/wrap.ts'
import type { ClipCaption } from './clip-captions.ts'

/** Successive captions that are translated together. */
export interface CaptionSentence {
  readonly captions: readonly ClipCaption[]
  /** Their text on one line. */
  readonly text: string
}

/**
 * Lengths from which a sentence is divided, ms: at the end of a clause, and at any caption. The words of a longer translation
 * would be too far from the captions that they translate.
 */
const maxLength = { clause: 8000, any: 15_000 }

/** Groups captions by sentences, which a translator needs whole. */
export function captionSentences(captions: readonly ClipCaption[]): CaptionSentence[] {
  const groups: ClipCaption[][] = []
  let isOpen = false
  for (const caption of captions) {
    const group = groups.at(-1)
    if (group && isOpen) group.push(caption)
    else groups.push([caption])
    const length = caption.end - (groups.at(-1)?.[0]?.start ?? 0)
    const isLong = length >= (endsClause(caption) ? maxLength.clause : maxLength.any)
    isOpen = !caption.endsSentence && !isLong
  }
  return groups.map((group) => ({
    captions: group,
    text: unwrapText(group.flatMap(({ lines }) => lines).join('\n')),
  }))
}

function endsClause({ lines }: ClipCaption): boolean {
  return /[,，、;；:：—–][”’」』）)"'»]*$/u.test(lines.at(-1) ?? '')
}
