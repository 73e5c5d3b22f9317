import { isFiller, restartShare } from './insertions.ts'

/** Silence that separates the end of a passage from what does not belong to it, seconds. */
export const separatingPause = 0.25

/** Longest restart, units. */
const maxRestart = 24

/** What was read in one go. All lists have one entry per heard unit. */
export interface HeardRun {
  /** Unit of the script, or -1 for a unit beside the script. Ascending apart from -1. */
  readonly read: readonly number[]
  readonly texts: readonly string[]
  /** Silence before it, seconds. */
  readonly pauses: readonly number[]
}

/** The script by unit: its text, and the number of its sentence. */
export interface ScriptText {
  readonly texts: readonly string[]
  readonly sentences: readonly number[]
}

/**
 * Returns the units of the script that a run reads, corrected where an alignment by text alone is ambiguous. Wrong words
 * at the start and the end of what was read, without a pause, are readings of the units beside it. Of words said twice,
 * the later ones are read, and the earlier ones are beside the script.
 */
export function correctReading(run: HeardRun, script: ScriptText): number[] {
  const read = [...run.read]
  extendEdges(read, run, script)
  for (let from = 0; from < read.length;) {
    let to = from
    while (to < read.length && read[to] === -1) to += 1
    if (to > from && from > 0 && to < read.length) {
      const moved = joinWrongWords(read, { from, to }, { run, script })
      if (!preferRestart(read, { from: from + moved, to: to + moved }, { run, script }))
        preferLaterCopy(read, { from: from + moved, to: to + moved }, { run, script })
      to += moved
    }
    from = Math.max(to, from + 1)
  }
  return read
}

/**
 * Moves units beside the script, `from` to `to` of a run, behind the wrong words after them that rather continue what
 * precedes. Returns by how many units.
 */
function joinWrongWords(
  read: number[],
  { from, to }: { readonly from: number; readonly to: number },
  { run: { texts, pauses }, script }: { readonly run: HeardRun; readonly script: ScriptText },
): number {
  let moved = 0
  for (;;) {
    const unit = read[to + moved] ?? -1
    const isWrong = unit >= 0 && script.texts[unit] !== texts[to + moved]
    if (!isWrong || (pauses[from + moved] ?? 0) >= separatingPause || isFiller(texts[from + moved] ?? ''))
      return moved
    read[from + moved] = unit
    read[to + moved] = -1
    moved += 1
  }
}

/** Most units that one wrong unit replaces, and its least length, in lengths of usual units, per unit. */
const [maxReplaced, minUnitShare] = [3, 0.6]

/**
 * Returns how many units of the script before the first one that was read, or after the last one (`step` 1), were
 * recognised as part of it: it takes the time of so many more, and they are the rest of its sentence. `seconds` are the
 * lengths of the heard units.
 */
export function replacedUnits(
  { read, seconds }: { readonly read: readonly number[]; readonly seconds: readonly number[] },
  { sentences }: ScriptText,
  step: -1 | 1,
): number {
  const isRead = (unit: number) => unit >= 0
  const edge = step < 0 ? read.findIndex(isRead) : read.findLastIndex(isRead)
  const unit = read[edge]
  if (unit === undefined) return 0
  let count = 0
  while (count <= maxReplaced && sentences[unit + step * (count + 1)] === sentences[unit]) count += 1
  const usual = seconds.toSorted((one, other) => one - other)[seconds.length >> 1] ?? 0
  const isLong = (seconds[edge] ?? 0) >= minUnitShare * (count + 1) * usual
  return count <= maxReplaced && isLong ? count : 0
}

/** Most wrong units that are recognised in place of one unit of the script. */
const maxWrongPerUnit = 3

function extendEdges(read: number[], run: HeardRun, script: ScriptText): void {
  const isRead = (unit: number) => unit >= 0
  const first = read.findIndex(isRead)
  if (first < 0) return
  extendEdge(read, { edge: first, step: -1 }, { run, script })
  extendEdge(read, { edge: read.findLastIndex(isRead), step: 1 }, { run, script })
}

/**
 * Gives the wrong words beside the first (`step` -1) or the last unit that was read the units of the script beside it: one
 * each; if they are more than the rest of the sentence, its units evenly, the last wrong word the last unit. Without a
 * rest, the last one takes over the unit of a wrong word.
 */
function extendEdge(
  read: number[],
  { edge, step }: { readonly edge: number; readonly step: -1 | 1 },
  { run: { texts, pauses }, script }: { readonly run: HeardRun; readonly script: ScriptText },
): void {
  const { sentences } = script
  const unit = read[edge] ?? -1
  const isWrong = (at: number) => read[at] === -1 && !isFiller(texts[at] ?? '')
  const pauseBetween = (count: number) => pauses[edge + step * count + (step < 0 ? 1 : 0)] ?? 0
  let [wrong, missing] = [0, 0]
  while (isWrong(edge + step * (wrong + 1)) && pauseBetween(wrong + 1) < separatingPause) wrong += 1
  while (sentences[unit + step * (missing + 1)] === sentences[unit]) missing += 1
  if (missing === 0 && wrong > 0 && wrong < maxWrongPerUnit && texts[edge] !== script.texts[unit]) {
    read[edge] = -1
    read[edge + step * wrong] = unit
    return
  }
  const spacing = Math.min(maxWrongPerUnit, Math.max(1, wrong / missing))
  for (let count = 1; count <= missing && Math.ceil(count * spacing) <= wrong; count += 1)
    read[edge + step * Math.ceil(count * spacing)] = unit + step * count
}

/**
 * Returns the units of the script from `first` to `end`, one for each of `count` heard units, evenly: the last one is that
 * before `end`; -1 for heard units that are too many.
 */
export function spreadEvenly(
  count: number,
  { first, end }: { readonly first: number; readonly end: number },
): number[] {
  const passed = (at: number) => Math.floor((at * (end - first)) / count)
  return Array.from({ length: count }, (_, at) =>
    passed(at + 1) > passed(at) ? first + passed(at + 1) - 1 : -1,
  )
}

/** Greatest ratio of the numbers of units of a restart and of the passage that it repeats. */
const maxRestartRatio = 2

/**
 * Prefers units beside the script, `from` to `to` of a run, to what was read of their sentence before them, if they are
 * its restart with wrong words: they follow a pause, begin as the sentence does, and pass without a pause into what is
 * read after them.
 */
function preferRestart(
  read: number[],
  { from, to }: { readonly from: number; readonly to: number },
  {
    run: { texts, pauses },
    script: { texts: scriptTexts, sentences },
  }: { readonly run: HeardRun; readonly script: ScriptText },
): boolean {
  if ((pauses[from] ?? 0) < separatingPause || (pauses[to] ?? 0) >= separatingPause) return false
  const end = read[to] ?? -1
  const first = sentences.indexOf(sentences[end] ?? -1)
  const [count, repeated] = [to - from, end - first]
  const isAlike = Math.max(count, repeated) <= maxRestartRatio * Math.min(count, repeated)
  if (!isAlike || first < 0 || texts[from] !== scriptTexts[first]) return false
  for (let at = from - 1; at >= 0; at -= 1) {
    const unit = read[at] ?? -1
    if (unit >= 0 && unit < first) break
    read[at] = -1
  }
  read.splice(from, count, first, ...spreadEvenly(count - 1, { first: first + 1, end }))
  return true
}

/** Moves units beside the script, `from` to `to` of a run, before those that repeat them. */
function preferLaterCopy(
  read: number[],
  { from, to }: { readonly from: number; readonly to: number },
  { run: { texts, pauses }, script }: { readonly run: HeardRun; readonly script: ScriptText },
): void {
  const length = to - from
  if (length > maxRestart) return
  let best: { moved: number; share: number } | undefined
  for (let moved = 0; moved <= length; moved += 1) {
    // The last `moved` units take the place in the script of as many units before the block.
    const start = from - moved
    if (start < 0 || read.slice(start, from).some((unit) => unit < 0)) break
    const second = start + length
    let equal = 0
    for (let at = 0; at < length; at += 1) if (texts[start + at] === texts[second + at]) equal += 1
    const share = equal / length
    if (share >= restartShare(pauses[second] ?? 0) && (!best || share > best.share)) best = { moved, share }
  }
  if (!best || best.moved === 0) return
  const units = read.slice(from - best.moved, from)
  if (!isOneSentence(units, script)) return
  for (const [index, unit] of units.entries()) {
    read[from - best.moved + index] = -1
    read[to - best.moved + index] = unit
  }
}

function isOneSentence(units: readonly number[], { sentences }: ScriptText): boolean {
  return units.every((unit) => sentences[unit] === sentences[units[0] ?? 0])
}
