import type { TimeSpan } from '../speech/speech-types.ts'
import { hopSeconds, type LevelCurve, partsPerHop } from './level-track.ts'

/** Where a recording has speech and breaths; spans in order and disjoint, seconds. */
export interface SpeechMap {
  /** Voiced sounds, together with the bursts and hisses that begin or end them (final t, s, f). */
  readonly voices: readonly TimeSpan[]
  /** Unvoiced noise apart from voices: 0.1 to 0.8 s at -45 to -12 dBFS. */
  readonly breaths: readonly TimeSpan[]
}

/** A stretch of sound, in hops. */
interface Sound {
  readonly first: number
  /** After the last hop. */
  readonly end: number
  /** Whether it is periodic, or rough as a creaky voice. */
  readonly isVoiced: boolean
  /** Whether at least 40 % of its energy is above 3.5 kHz, as that of s, sh and f. */
  readonly isBright: boolean
  /** Mean level, dBFS. */
  readonly level: number
}

/** Differences to the noise floor, dB: a sound rises to `begin` and lasts while above `hold`. */
const margins = { begin: 10, hold: 7 } as const

const toHops = (seconds: number): number => Math.round(seconds / hopSeconds)

/** Furthest that the first or last loud sample is from the edge in hops: the median covers three, and the filter rings. */
const edgeReach = { outside: 2, inside: 6 } as const

/**
 * Height of the highest sample of 1 ms over the noise floor at which a sound begins and ends, dB. Peaks of noise are up
 * to 12 dB above its level.
 */
const edgeMargin = 14

/** Shorter silence does not end a sound: the time between two periods of a low voice. */
const maxInnerGap = toHops(0.02)
/** Shorter sounds are clicks. */
const minSound = toHops(0.01)

/** Periodicity of a voice; noise reaches 0.5. A voice has at least so many periodic hops. */
const minPeriodicity = 0.6
const minVoicedHops = toHops(0.025)
/** The window of the periodicity covers neighbours of a sound: outer hops of sounds of this length are ignored. */
const blurredHops = toHops(0.025)
const minBlurredSound = toHops(0.06)

/**
 * Mean change of the level from hop to hop, dB, above which a sound without periodicity is a creaky voice, and its
 * least length. The irregular periods of creak change by 5 dB and more, breaths by up to 3 dB.
 */
const minCreakChange = 3.5
const minCreak = toHops(0.1)

/** Level above 3.5 kHz relative to the whole level, from which a sound is bright, dB. */
const minBrightness = -4

/**
 * Unvoiced sounds that belong to a voice: a burst of a stop after its closure, a sibilant, as in "cats" and "stop", and
 * any other consonant, as in "much". Longest sound and longest silence between, hops.
 */
const bursts = { longest: toHops(0.09), gap: toHops(0.12) } as const
const sibilants = { longest: toHops(0.25), gap: toHops(0.08) } as const
const consonants = { longest: toHops(0.15), gap: toHops(0.04) } as const

/** Bounds of breaths: 0.1 to 0.8 s and -45 to -12 dBFS, with the tolerance of the measurement. */
const breathHops = { min: toHops(0.095), max: toHops(0.85) } as const
const breathLevel = { min: -47, max: -10 } as const

/**
 * Returns the speech and the breaths of a recording, by levels at least 10 dB above the noise floor, periodicity and
 * brightness. A breath needs 20 ms of silence on both sides, and 60 ms if it is shorter than 0.15 s; otherwise it counts
 * as part of the word beside it.
 */
export function mapSpeech(curve: LevelCurve): SpeechMap {
  const sounds = findSounds(curve)
  const owners = assignToVoices(sounds)
  const voices: TimeSpan[] = []
  const breaths: TimeSpan[] = []
  for (const [index, sound] of sounds.entries()) {
    const span = refineEdges(curve, sound)
    const last = voices.at(-1)
    if (owners[index] === undefined) {
      if (isBreath(sound)) breaths.push(span)
    } else if (last && index > 0 && owners[index - 1] === owners[index]) {
      voices[voices.length - 1] = { start: last.start, end: span.end }
    } else voices.push(span)
  }
  return { voices, breaths }
}

/**
 * From the first to the last 1 ms of a sound whose peak is above the noise, seconds. The resolution of hops is kept at an
 * edge without such a peak, as that of a soft sibilant.
 */
function refineEdges(curve: LevelCurve, { first, end }: Sound): TimeSpan {
  const isLoud = (part: number, hop: number) => curve.peak(part) >= curve.floor(hop) + edgeMargin
  const reach = Math.min(edgeReach.inside, Math.ceil((end - first) / 2))
  let start = (first - edgeReach.outside) * partsPerHop
  while (start < (first + reach) * partsPerHop && !isLoud(start, first)) start += 1
  if (start === (first + reach) * partsPerHop) start = (first + 0.5) * partsPerHop
  let last = (end + edgeReach.outside) * partsPerHop
  while (last > (end - reach) * partsPerHop && !isLoud(last - 1, end - 1)) last -= 1
  if (last === (end - reach) * partsPerHop) last = (end - 0.5) * partsPerHop
  const partSeconds = hopSeconds / partsPerHop
  return { start: start * partSeconds, end: last * partSeconds }
}

function isBreath({ first, end, level }: Sound): boolean {
  const length = end - first
  return (
    length >= breathHops.min &&
    length <= breathHops.max &&
    level >= breathLevel.min &&
    level <= breathLevel.max
  )
}

/** Stretches above the noise floor, in order. */
function findSounds(curve: LevelCurve): Sound[] {
  const runs: { first: number; end: number; peaks: number }[] = []
  for (let hop = 0; hop < curve.hops; hop += 1) {
    const above = heightAboveFloor(curve, hop)
    if (above < margins.hold) continue
    const peak = above >= margins.begin ? 1 : 0
    const last = runs.at(-1)
    if (!last || hop - last.end >= maxInnerGap) runs.push({ first: hop, end: hop + 1, peaks: peak })
    else [last.end, last.peaks] = [hop + 1, last.peaks + peak]
  }
  return runs.filter(({ peaks }) => peaks >= minSound).map((run) => measureSound(curve, run))
}

/** Height of the level, or of that above 3.5 kHz, over its noise floor, dB; the median of three hops. */
function heightAboveFloor(curve: LevelCurve, hop: number): number {
  return Math.max(
    median(curve.level, hop) - curve.floor(hop),
    median(curve.sibilance, hop) - curve.sibilanceFloor(hop),
  )
}

/** Median of a level over three hops, which ignores clicks and keeps edges. */
function median(level: (hop: number) => number, hop: number): number {
  const [one, two, three] = [level(hop - 1), level(hop), level(hop + 1)]
  return Math.max(Math.min(one, two), Math.min(Math.max(one, two), three))
}

function measureSound(
  curve: LevelCurve,
  { first, end }: { readonly first: number; readonly end: number },
): Sound {
  const length = end - first
  const outer = length < minBlurredSound ? 0 : Math.min(blurredHops, Math.floor(length / 4))
  let [periodic, power, high, change] = [0, 0, 0, 0]
  for (let hop = first; hop < end; hop += 1) {
    power += 10 ** (curve.level(hop) / 10)
    high += 10 ** (curve.sibilance(hop) / 10)
    if (hop < first + outer || hop >= end - outer) continue
    if (curve.periodicity(hop) >= minPeriodicity) periodic += 1
    change += Math.abs(curve.level(hop) - curve.level(hop - 1))
  }
  const isCreaky = length >= minCreak && change > minCreakChange * (length - 2 * outer)
  return {
    ...{ first, end },
    isVoiced: periodic >= minVoicedHops || isCreaky,
    isBright: high >= power * 10 ** (minBrightness / 10),
    level: 10 * Math.log10(power / length),
  }
}

/**
 * Index of the voice that each sound belongs to, undefined for none. An unvoiced sound may belong to the voice before
 * or after it, directly or through others that do, and to the nearer of two.
 */
function assignToVoices(sounds: readonly Sound[]): (number | undefined)[] {
  const owners = sounds.map(({ isVoiced }, index) => (isVoiced ? index : undefined))
  for (const order of [sounds.keys(), [...sounds.keys()].toReversed()]) {
    for (const index of order) {
      if (sounds[index]?.isVoiced) continue
      const gaps = [index - 1, index + 1].map((other) => ({ owner: owners[other], gap: gapTo(index, other) }))
      const nearest = gaps
        .filter(({ owner, gap }) => owner !== undefined && isWithin(sounds[index], gap))
        .toSorted((one, other) => one.gap - other.gap)[0]
      owners[index] = nearest?.owner
    }
  }
  return owners

  function gapTo(one: number, other: number): number {
    const [before, after] = [sounds[Math.min(one, other)], sounds[Math.max(one, other)]]
    return before && after ? after.first - before.end : Number.POSITIVE_INFINITY
  }
}

/** Whether an unvoiced sound may belong to a voice at a distance in hops. */
function isWithin(sound: Sound | undefined, gap: number): boolean {
  if (!sound) return false
  const rules = sound.isBright ? [bursts, consonants, sibilants] : [bursts, consonants]
  return rules.some((rule) => sound.end - sound.first <= rule.longest && gap <= rule.gap)
}
