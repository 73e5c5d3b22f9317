import type { Effort } from '../../src/engines/ffmpeg/encode-frames.ts'
import { pictureShare } from './picture-share.ts'
import { likenessAt, rateFactor, wanted, type Trial } from './rate-factor.ts'
import type { Coding } from './sample.ts'
import { tryOut, type Trying } from './try-out.ts'
import type { WholePicture } from './whole-picture.ts'

/** The factor that is tried first. */
const first = 21

/** Trying would take as long as the whole, frames. */
const tooFew = 60

/** Trials at most, and how far a factor may lie beside one that was tried: lines through them are no further right. */
const mostTrials = 3
const nearEnough = 1

/** Largest result, as a share of its source: a little less than the half as much again that is promised. */
const largest = 1.4

/** How finely a video is coded. */
export interface Quality extends Coding {
  /** How near to its source that makes it, dB of brightness; undefined where that was not tried. */
  readonly decibels?: number
}

/** Taken where nothing is tried. */
const untried: Quality = { effort: 'veryfast', crf: 18 }

/**
 * The quality with which this video comes out as near to itself as wanted: its own grain and its own coding decide that,
 * so some frames of it are encoded and compared. Where that would make the file too large more effort is taken, and
 * where that is not enough it is coarser, which only happens to grain that the source was too small for.
 */
export async function chooseQuality(
  footage: WholePicture,
  { fileSize, ...reading }: Trying & { readonly fileSize: number },
): Promise<Quality> {
  if (footage.count <= tooFew) return untried
  // What goes with the picture stays as large as it is.
  const others = 1 - (await pictureShare(footage, reading))
  const largestFrame = ((largest - others) * fileSize) / footage.count
  const quick = await chooseFactor('superfast', { footage, largestFrame }, reading)
  // Where no place has pictures the parts will tell.
  if (!quick) return untried
  if (quick.decibels >= wanted - slack) return quick
  return (await chooseFactor('veryfast', { footage, largestFrame }, reading)) ?? untried
}

/** What a line through trials may be off by, dB. */
const slack = 0.4

async function chooseFactor(
  effort: Effort,
  { footage, largestFrame }: { footage: WholePicture; largestFrame: number },
  reading: Trying,
): Promise<Required<Quality> | undefined> {
  const trials: Trial[] = []
  let next = first
  while (trials.length < mostTrials && trials.every((one) => Math.abs(one.crf - next) > nearEnough)) {
    const tried = await tryOut(footage, { effort, crf: next }, reading)
    if (!tried) return undefined
    trials.push({ crf: next, ...tried })
    next = rateFactor(trials, largestFrame)
  }
  return { effort, crf: next, decibels: likenessAt(trials, next) }
}
