/** Flags of a picture that may make it unusable (contract 3, 2.5). */
export interface UsableFlags {
  readonly watermark: boolean
  readonly text_overlay: boolean
  readonly black_border: boolean
  readonly blurry: boolean
}

/** What may be laid over a picture after it was taken, by the flag that it raises, and whether it consists of letters. */
const additions = {
  subtitle: { flag: 'text_overlay', isText: true },
  text: { flag: 'text_overlay', isText: true },
  timecode: { flag: 'text_overlay', isText: true },
  sticker: { flag: 'text_overlay', isText: false },
  interface: { flag: 'text_overlay', isText: false },
  logo: { flag: 'watermark', isText: false },
  text_mark: { flag: 'watermark', isText: true },
} as const

/** A kind of addition. */
export type Addition = keyof typeof additions

/** All kinds of additions. */
export const additionNames = Object.keys(additions) as readonly Addition[]

/** Whether a word names a kind of addition. */
export function isAddition(word: string): word is Addition {
  return Object.hasOwn(additions, word)
}

/** What was measured in a picture. */
export interface PictureEvidence {
  readonly hasBorder: boolean
  readonly isBlurred: boolean
  /** Detected lines of letters, of the scene or laid over it. */
  readonly textLines: number
}

/**
 * Returns the flags of a picture. Border and blur are those measured. A model distinguishes additions from the scene;
 * those that consist of letters count only if letters were detected, as models also report text that is not there.
 */
export function usableFlags(
  added: readonly Addition[],
  { hasBorder, isBlurred, textLines }: PictureEvidence,
): UsableFlags {
  const raises = (flag: 'watermark' | 'text_overlay') =>
    added.some((kind) => additions[kind].flag === flag && (textLines > 0 || !additions[kind].isText))
  return {
    watermark: raises('watermark'),
    text_overlay: raises('text_overlay'),
    ...{ black_border: hasBorder, blurry: isBlurred },
  }
}
