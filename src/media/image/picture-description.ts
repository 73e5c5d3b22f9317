import { sentenceParts } from '../speech/sentences.ts'
import { plainModelText } from '../subtitles/control-characters.ts'
import { areMostlyChinese, isSimplifiedChinese } from '../text/simplified-chinese.ts'
import { type Addition, additionNames, isAddition } from './usable-flags.ts'

/** A description as a model gave it. */
export interface GivenDescription {
  readonly desc: string
  readonly tags: readonly string[]
  readonly mark: number
  readonly added: readonly string[]
}

/** A description within the rules. */
export interface PictureDescription {
  /** Simplified Chinese, at most 200 code points. */
  readonly desc: string
  /** 3 to 8. */
  readonly tags: readonly string[]
  /** 0 to 100, two decimals. */
  readonly mark: number
  /** What was laid over the picture. */
  readonly added: readonly Addition[]
}

/** Limits of a description (contract 3, 2.5), and of a tag, code points. */
export const descriptionLimits = { desc: 200, tag: 30, leastTags: 3, mostTags: 8 } as const

/** A usable description, or what is wrong with it: phrases that name the field. */
export type DescriptionCheck =
  | { readonly description: PictureDescription }
  | { readonly problems: readonly string[] }

/** Checks a description. Cuts a long text at a sentence, and drops repeated, empty and excess tags. */
export function checkDescription({ desc, tags, mark, added }: GivenDescription): DescriptionCheck {
  const text = cutAtSentence(plain(desc), descriptionLimits.desc)
  const kept = keptTags(tags)
  const unknown = added.filter((word) => !isAddition(word))
  const problems = [
    ...(isSimplifiedChinese(text) ? [] : ['desc is not in Simplified Chinese']),
    ...tagProblems(kept),
    ...(mark >= 0 && mark <= 100 ? [] : ['mark is not between 0 and 100']),
    ...(unknown.length > 0 ? [`added has other words than ${additionNames.join(', ')}`] : []),
  ]
  if (problems.length > 0) return { problems }
  return {
    description: {
      ...{ desc: text, tags: kept, mark: Math.round(mark * 100) / 100 },
      added: added.filter(isAddition),
    },
  }
}

function keptTags(tags: readonly string[]): readonly string[] {
  const plainTags = tags.map((tag) => plain(tag).replace(/^#\s*/u, ''))
  return [...new Set(plainTags)]
    .filter((tag) => tag !== '' && [...tag].length <= descriptionLimits.tag)
    .slice(0, descriptionLimits.mostTags)
}

function tagProblems(kept: readonly string[]): readonly string[] {
  const { tag: longest, leastTags } = descriptionLimits
  if (kept.length < leastTags) {
    return [
      `tags has ${kept.length} different tags of at most ${longest} characters, and at least ${leastTags} are needed`,
    ]
  }
  return areMostlyChinese(kept) ? [] : ['most tags are not in Simplified Chinese']
}

const plain = (text: string) => plainModelText(text).replaceAll(/\s+/gu, ' ').trim()

/**
 * Cuts a text to at most so many code points: after its last sentence that fits; else after a clause, else anywhere, with
 * an ellipsis.
 */
export function cutAtSentence(text: string, length: number): string {
  if ([...text].length <= length) return text
  let whole = ''
  for (const part of sentenceParts(text)) {
    if ([...(whole + part).trimEnd()].length > length) break
    whole += part
  }
  if (whole.trim() !== '') return whole.trimEnd()
  const head = [...text].slice(0, length - 1).join('')
  const clause = Math.max(...['，', '、', '；', ',', ';'].map((sign) => head.lastIndexOf(sign)))
  return `${(clause > head.length / 2 ? head.slice(0, clause) : head).trimEnd()}…`
}
