import { summarizeList } from '../../src/contract/format.ts'
import type { NextStepContext } from '../../src/contract/operation.ts'
import { isRecord } from '../../src/contract/validation.ts'

/** Parts of a result that the next step describes. */
interface DescribedItem {
  readonly index: number
  readonly mark: number
  readonly usable_flags: Readonly<Record<string, boolean>>
}

/** Most images that are named; the result lists all. */
const maxNamed = 5

/** Returns the instruction after images were described: the best without flags, and those with flags. */
export function describeFindings(
  { data }: { readonly data: readonly DescribedItem[] },
  { input }: NextStepContext,
): string {
  const name = ({ index }: DescribedItem) => fileOf(input?.['input'], index) ?? `input[${index}]`
  const flagsOf = ({ usable_flags: flags }: DescribedItem) => Object.keys(flags).filter((flag) => flags[flag])
  const clean = data
    .filter((item) => flagsOf(item).length === 0)
    .toSorted((one, other) => other.mark - one.mark)
  const flagged = data.filter((item) => flagsOf(item).length > 0)
  const best = clean.map((item) => `${name(item)} (${item.mark})`)
  const marked = flagged.map((item) => `${name(item)} (${flagsOf(item).join(', ')})`)
  return [
    ...(best.length > 0 ? [`Without flags, best mark first: ${summarizeList(best, maxNamed, ', ')}.`] : []),
    ...(marked.length > 0
      ? [
          `With flags, which are hints: ${summarizeList(marked, maxNamed, ', ')}. Look at one before you reject it: call inspect_file. image_purify removes watermarks and text.`,
        ]
      : []),
    'desc and tags are in Chinese: translate them for a user who does not read it.',
  ].join(' ')
}

/** The file that a call names at an index. */
function fileOf(items: unknown, index: number): string | undefined {
  const item: unknown = Array.isArray(items) ? items[index] : undefined
  const file = isRecord(item) ? item['file_id'] : item
  return typeof file === 'string' ? file : undefined
}
