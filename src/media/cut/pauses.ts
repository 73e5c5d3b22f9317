import { MediaError } from '../../contract/errors.ts'

/** Keys of `punctuation_breaks`: the mark that a pause follows, or `paragraph` for a line break of the script. */
export const breakClasses = ['、', ',', ';', ':', '—', '。', '!', '?', '……', 'paragraph'] as const
export type BreakClass = (typeof breakClasses)[number]

/** Names of `rhythm_preset`. */
export const rhythmPresets = ['steady', 'concise', 'compact'] as const
export type RhythmPreset = (typeof rhythmPresets)[number]

/** Pauses and pads of a cut, seconds. A pause includes both pads. */
export interface Rhythm {
  /** Pause per punctuation class. */
  readonly breaks: Readonly<Record<BreakClass, number>>
  /** Longer pauses within a sentence are shortened to `intraGapTarget`. */
  readonly intraGapMax: number
  readonly intraGapTarget: number
  /** Silence kept before and after speech. */
  readonly padIn: number
  readonly padOut: number
}

/** Rhythm values that a request contains; absent ones come from the preset. Seconds. */
export interface GivenRhythm {
  readonly rhythm_preset?: RhythmPreset | undefined
  readonly punctuation_breaks?: Readonly<Record<string, number>> | undefined
  readonly intra_gap_max?: number | undefined
  readonly intra_gap_target?: number | undefined
  readonly pad_in?: number | undefined
  readonly pad_out?: number | undefined
}

type RhythmName = RhythmPreset | 'default'
const rhythmNames: readonly RhythmName[] = [...rhythmPresets, 'default']

/** Values of the contract (4.7), seconds: steady, concise, compact, default. */
const breakRows: Readonly<Record<BreakClass, readonly number[]>> = {
  '、': [0.18, 0.12, 0.06, 0.15],
  ',': [0.25, 0.18, 0.08, 0.2],
  ';': [0.36, 0.26, 0.12, 0.3],
  ':': [0.45, 0.32, 0.15, 0.35],
  '—': [0.55, 0.4, 0.18, 0.45],
  '。': [0.55, 0.4, 0.18, 0.45],
  '!': [0.55, 0.4, 0.18, 0.45],
  '?': [0.6, 0.45, 0.2, 0.5],
  '……': [0.75, 0.55, 0.25, 0.6],
  paragraph: [1.2, 0.9, 0.4, 1],
}
const scalarRows = {
  intraGapMax: [0.45, 0.35, 0.25, 0.35],
  intraGapTarget: [0.15, 0.1, 0.05, 0.1],
  padIn: [0.05, 0.05, 0.03, 0.05],
  padOut: [0.1, 0.08, 0.05, 0.08],
} as const

function tableColumn(index: number): Rhythm {
  return {
    breaks: mapBreaks((key) => breakRows[key][index] ?? 0),
    intraGapMax: scalarRows.intraGapMax[index] ?? 0,
    intraGapTarget: scalarRows.intraGapTarget[index] ?? 0,
    padIn: scalarRows.padIn[index] ?? 0,
    padOut: scalarRows.padOut[index] ?? 0,
  }
}

function mapBreaks(value: (key: BreakClass) => number): Record<BreakClass, number> {
  return Object.fromEntries(breakClasses.map((key) => [key, value(key)])) as Record<BreakClass, number>
}

/** Rhythm of each preset, and the default without one (contract, 4.7). */
export const rhythmTable = Object.fromEntries(
  rhythmNames.map((name, index) => [name, tableColumn(index)]),
) as Readonly<Record<RhythmName, Rhythm>>

/** Factors that scale the speaker's own pauses, by preset (contract, 4.7). */
export const adaptiveFactors: Readonly<Record<RhythmName, number>> = {
  steady: 1.25,
  concise: 1,
  compact: 0.5,
  default: 1,
}

/** Groups of marks, after compatibility normalisation: `…` is three full stops, `，` is a comma. */
const markPattern =
  /(?<paragraph>[\n\v\f\r\u0085\u2028\u2029])|(?<ellipsis>[.。]{2,}|⋯)|(?<dash>[—–―─]|-{2,}|(?<=\s)-(?=\s|$))|(?<mark>[、,;:。.!?])/gu

/** Classes of the marks in a text, in order. */
function markClasses(text: string): BreakClass[] {
  return [...text.normalize('NFKC').matchAll(markPattern)].map(({ groups }) => {
    if (groups?.['paragraph'] !== undefined) return 'paragraph'
    if (groups?.['ellipsis'] !== undefined) return '……'
    if (groups?.['dash'] !== undefined) return '—'
    return groups?.['mark'] === '.' ? '。' : (groups?.['mark'] as BreakClass)
  })
}

/**
 * Returns the punctuation class of the text between a word and the next one, or null without punctuation. Of several
 * marks, such as `?!` or `。」`, the one with the longest pause counts, the first of equal ones. `breaks` are the
 * pauses in seconds, by default those without a preset.
 */
export function breakClass(
  textAfterWord: string,
  breaks: Rhythm['breaks'] = rhythmTable.default.breaks,
): BreakClass | null {
  let longest: BreakClass | null = null
  for (const key of markClasses(textAfterWord)) {
    if (longest === null || breaks[key] > breaks[longest]) longest = key
  }
  return longest
}

/**
 * Returns `punctuation_breaks` with the keys of the contract: `，` is `,`, `.` is `。`, `…` is `……`. Throws 6016 for an
 * unknown key, and for two spellings of one key with different values.
 */
export function normalizeBreaks(
  given: Readonly<Record<string, number>>,
): Readonly<Partial<Record<BreakClass, number>>> {
  const breaks: Partial<Record<BreakClass, number>> = {}
  const spellings: Partial<Record<BreakClass, string>> = {}
  for (const [spelling, seconds] of Object.entries(given)) {
    const key = breakKey(spelling)
    const earlier = spellings[key]
    if (earlier !== undefined && breaks[key] !== seconds) {
      throw new MediaError(
        6016,
        `punctuation_breaks: "${earlier}" is ${breaks[key]} and "${spelling}" is ${seconds}, but both are the key "${key}"`,
        { hint: `Give "${key}" once.` },
      )
    }
    breaks[key] = seconds
    spellings[key] = spelling
  }
  return breaks
}

function breakKey(spelling: string): BreakClass {
  if (spelling === 'paragraph') return spelling
  const [key, ...others] = /^\P{L}+$/u.test(spelling) ? markClasses(spelling) : []
  const repeats = key === '—' && others.every((other) => other === key)
  if (key !== undefined && key !== 'paragraph' && (others.length === 0 || repeats)) {
    // Marks with anything else beside them, such as ", ", are not a key.
    if (spelling.normalize('NFKC').replaceAll(markPattern, '') === '') return key
  }
  throw new MediaError(6016, `punctuation_breaks: "${spelling}" is not a punctuation key`, {
    hint: `Use ${breakClasses.map((known) => `"${known}"`).join(', ')}.`,
  })
}

/**
 * Returns the rhythm of a request: the preset or the default, replaced key by key by given values. Throws 6016 for
 * unknown punctuation keys, and unless intra_gap_target is less than intra_gap_max, wherever either comes from.
 */
export function effectiveRhythm(given: GivenRhythm): Rhythm {
  const base = rhythmTable[given.rhythm_preset ?? 'default']
  const rhythm = {
    breaks: { ...base.breaks, ...normalizeBreaks(given.punctuation_breaks ?? {}) },
    intraGapMax: given.intra_gap_max ?? base.intraGapMax,
    intraGapTarget: given.intra_gap_target ?? base.intraGapTarget,
    padIn: given.pad_in ?? base.padIn,
    padOut: given.pad_out ?? base.padOut,
  }
  if (rhythm.intraGapTarget >= rhythm.intraGapMax) throw intraGapError(given, rhythm)
  return rhythm
}

function intraGapError(given: GivenRhythm, { intraGapMax, intraGapTarget }: Rhythm): MediaError {
  const base = given.rhythm_preset ? `of rhythm_preset ${given.rhythm_preset}` : 'the default'
  const origin = (value: number | undefined) => (value === undefined ? base : 'given')
  const raise = `set intra_gap_max above ${intraGapTarget}`
  return new MediaError(
    6016,
    `intra_gap_target ${intraGapTarget} (${origin(given.intra_gap_target)}) is not less than intra_gap_max ${intraGapMax} (${origin(given.intra_gap_max)})`,
    {
      hint:
        intraGapMax > 0
          ? `Set intra_gap_target below ${intraGapMax}, or ${raise}.`
          : `S${raise.slice(1)}, and intra_gap_target below it.`,
    },
  )
}

/** Pause statistics of one class: seconds, and the number of pauses. */
export interface PauseStatistics {
  readonly median: number
  readonly p75: number
  readonly n: number
}

/** Pauses of a speaker by class; `intra` is within a sentence. Classes without pauses are absent. */
export type PauseProfile = Readonly<Partial<Record<BreakClass | 'intra', PauseStatistics>>>

/** A measured silence between two words, seconds, with its class; null within a sentence. */
export interface MeasuredPause {
  readonly class: BreakClass | null
  readonly seconds: number
}

/** Returns median and third quartile of each class of pauses, seconds, interpolated linearly. */
export function pauseProfile(pauses: readonly MeasuredPause[]): PauseProfile {
  const byClass = Map.groupBy(pauses, (pause) => pause.class ?? 'intra')
  return Object.fromEntries(
    [...byClass].map(([key, group]) => {
      const sorted = group.map(({ seconds }) => seconds).toSorted((one, other) => one - other)
      return [key, { median: quantile(sorted, 0.5), p75: quantile(sorted, 0.75), n: sorted.length }]
    }),
  )
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? 0
  return below + (above - below) * (position - Math.floor(position))
}

/** Least speech, seconds, and least pauses for a profile, and least pauses of a class that is adapted. */
const minSpeechSeconds = 60
const minPauses = 12
const minClassPauses = 5

/**
 * Returns a rhythm scaled to the speaker: in classes with at least 5 pauses, the median times `factor`, from half to
 * twice the value of `rhythm`. Values that the request contains stay. intraGapTarget stays below the midpoint of its
 * value and intraGapMax. Returns null below 60 s of speech or 12 pauses.
 */
export function adaptRhythm(
  rhythm: Rhythm,
  profile: PauseProfile,
  {
    factor,
    given,
    speechSeconds,
  }: { readonly factor: number; readonly given: GivenRhythm; readonly speechSeconds: number },
): Rhythm | null {
  const count = Object.values(profile).reduce((sum, { n }) => sum + n, 0)
  if (speechSeconds < minSpeechSeconds || count < minPauses) return null
  const fixed = normalizeBreaks(given.punctuation_breaks ?? {})
  const adapted = (key: BreakClass | 'intra', value: number) => {
    const statistics = profile[key]
    if (!statistics || statistics.n < minClassPauses) return value
    return Math.min(Math.max(statistics.median * factor, value / 2), value * 2)
  }
  const { breaks, intraGapMax, intraGapTarget } = rhythm
  return {
    ...rhythm,
    breaks: mapBreaks((key) => fixed[key] ?? adapted(key, breaks[key])),
    intraGapTarget:
      given.intra_gap_target ??
      Math.min(adapted('intra', intraGapTarget), (intraGapTarget + intraGapMax) / 2),
  }
}

/**
 * Returns the wanted pause after a word, seconds. After punctuation it is the value of the class. Within a sentence
 * (null), a `measured` pause above intraGapMax becomes intraGapTarget; others stay.
 */
export function targetPause({
  class: key,
  measured,
  rhythm,
}: {
  readonly class: BreakClass | null
  readonly measured: number
  readonly rhythm: Rhythm
}): number {
  if (key !== null) return rhythm.breaks[key]
  return measured > rhythm.intraGapMax ? rhythm.intraGapTarget : measured
}
