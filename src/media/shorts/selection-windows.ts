import type { IndexRange } from '../speech/align.ts'
import type { TimeSpan } from '../speech/speech-types.ts'

/** Length of a window and of what it shares with the next one, seconds: a clip is whole in one of them. */
const windowSeconds = 600
const overlapSeconds = 120

export interface SelectionWindowsOptions {
  /** Most tokens of a window. */
  readonly maxTokens: number
  /** Tokens of each unit. */
  readonly tokens: readonly number[]
}

/**
 * Divides units into overlapping windows that fit a language model: ten minutes with two in common, or less where the
 * text does not fit, with a fifth in common. Each unit is in a window; a unit with too many tokens is one of its own.
 */
export function selectionWindows(
  units: readonly TimeSpan[],
  { maxTokens, tokens }: SelectionWindowsOptions,
): IndexRange[] {
  const windows: IndexRange[] = []
  let from = 0
  while (from < units.length) {
    const to = windowEnd(units, from, { maxTokens, tokens })
    windows.push({ from, to })
    if (to >= units.length) break
    const length = (units[to - 1]?.end ?? 0) - (units[from]?.start ?? 0)
    const shared = Math.min(overlapSeconds, length / 5)
    let next = to
    while (next > from + 1 && (units[to - 1]?.end ?? 0) - (units[next - 1]?.start ?? 0) <= shared) next -= 1
    from = next
  }
  return windows
}

function windowEnd(
  units: readonly TimeSpan[],
  from: number,
  { maxTokens, tokens }: SelectionWindowsOptions,
): number {
  const start = units[from]?.start ?? 0
  let [to, used] = [from + 1, tokens[from] ?? 0]
  while (to < units.length && (units[to]?.end ?? 0) - start <= windowSeconds) {
    used += tokens[to] ?? 0
    if (used > maxTokens) break
    to += 1
  }
  return to
}
