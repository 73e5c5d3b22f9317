import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RequestFile, PlanOperation } from '../../src/contract/operation.ts'
import { estimateSpeechSeconds } from '../../src/media/speech/sentences.ts'
import { audioTtsZeroShot } from './contract.ts'

/** Lengths of a reference (contract 3, 4.4), seconds. */
const referenceSeconds = { shortest: 3, longest: 30 * 60 } as const

/**
 * Seconds of work to expect: to start; for a second of the reference, which is heard; for a second of speech, which is
 * spoken in about its own time, and recognised again in half of that.
 */
const measured = { start: 8, reference: 0.02, speech: 1.5 }

/** Checks that the reference has sound of a fitting length, and prices the text. */
export const plan: PlanOperation<typeof audioTtsZeroShot> = ({ ref_file_id, text }, files) => {
  const length = referenceSoundSeconds(files.get(ref_file_id))
  const seconds = measured.start + measured.reference * length + measured.speech * estimateSpeechSeconds(text)
  return {
    credits: creditsFor(audioTtsZeroShot.price, [...text].length),
    seconds: Math.round(seconds * 10) / 10,
  }
}

/** Seconds of a reference's first sound. Throws 6014 for what has no sound, 6016 for too little or too much of it. */
function referenceSoundSeconds({ name, facts }: Pick<RequestFile, 'name' | 'facts'>): number {
  const [sound] = facts?.audio ?? []
  if (!sound) {
    throw new MediaError(6014, `ref_file_id: ${name} has no sound`, {
      hint: 'Give a recording in which the person speaks whose voice is wanted.',
    })
  }
  const told = sound.duration_ms || facts?.duration_ms || 0
  const seconds = Math.min(told, (facts?.cut_off_ms ?? Infinity) - sound.start_ms) / 1000
  if (seconds < referenceSeconds.shortest || seconds > referenceSeconds.longest) {
    throw new MediaError(6016, `ref_file_id: ${name} lasts ${formatSeconds(seconds)}, not 3 s to 30 min`, {
      hint:
        seconds < referenceSeconds.shortest
          ? 'Give a longer recording: 5 to 10 s of clear speech are best.'
          : 'Cut it shorter: 5 to 10 s of clear speech are best.',
    })
  }
  return seconds
}

/** To the millisecond, as files tell it: what is rounded may seem to fit. */
function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const rest = `${Math.round((seconds - 60 * minutes) * 1000) / 1000} s`
  return minutes === 0 ? rest : `${minutes} min ${rest}`
}
