import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { GivenFile, PlanOperation } from '../../src/contract/operation.ts'
import { audioTtsZeroShot } from './contract.ts'

/** Lengths of a reference (contract 3, 4.4), seconds. */
const lengths = { shortest: 3, longest: 30 * 60 } as const

/**
 * Seconds of work to expect: to start; for a second of the reference, which is heard; for a letter, which takes some
 * 0.07 s to say in Latin and 0.22 s in Chinese and about as long to speak, and half as long to recognise again.
 */
const measured = { start: 8, reference: 0.02, letter: 0.1, character: 0.33 }

/** Checks that the reference has sound of a fitting length, and prices the text. */
export const plan: PlanOperation<typeof audioTtsZeroShot> = ({ ref_file_id, text }, files) => {
  const length = soundOf(files.get(ref_file_id))
  const letters = [...text]
  const wide = letters.filter((letter) =>
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(letter),
  ).length
  const speaking = measured.character * wide + measured.letter * (letters.length - wide)
  const seconds = measured.start + measured.reference * length + speaking
  return {
    credits: creditsFor(audioTtsZeroShot.price, letters.length),
    seconds: Math.round(seconds * 10) / 10,
  }
}

/** Seconds of a reference's first sound. Throws 6014 for what has no sound, 6016 for too little or too much of it. */
function soundOf({ name, facts }: Pick<GivenFile, 'name' | 'facts'>): number {
  const [sound] = facts?.audio ?? []
  if (!sound) {
    throw new MediaError(6014, `ref_file_id: ${name} has no sound`, {
      hint: 'Give a recording in which the person speaks whose voice is wanted.',
    })
  }
  const seconds = sound.duration_ms / 1000
  if (seconds < lengths.shortest || seconds > lengths.longest) {
    throw new MediaError(6016, `ref_file_id: ${name} lasts ${describe(seconds)}, not 3 s to 30 min`, {
      hint:
        seconds < lengths.shortest
          ? 'Give a longer recording: 5 to 10 s of clear speech are best.'
          : 'Cut it shorter: 5 to 10 s of clear speech are best.',
    })
  }
  return seconds
}

function describe(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`
}
