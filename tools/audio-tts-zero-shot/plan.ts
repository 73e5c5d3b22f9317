import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RequestFile, PlanOperation } from '../../src/contract/operation.ts'
import { estimateSpeechSeconds } from '../../src/media/speech/sentences.ts'
import { audioTtsZeroShot } from './contract.ts'

/** Shortest and longest reference (contract 3, 4.4), seconds. */
const referenceSeconds = { shortest: 3, longest: 30 * 60 } as const

/**
 * Expected seconds of work: start-up; per second of the reference (analysis); per second of speech, which is
 * synthesized in about real time and recognised in half of that.
 */
const workSeconds = { start: 8, reference: 0.02, speech: 1.5 }

/** Checks the duration of the reference. Returns price and expected seconds. */
export const plan: PlanOperation<typeof audioTtsZeroShot> = ({ ref_file_id, text }, files) => {
  const length = referenceSoundSeconds(files.get(ref_file_id))
  const seconds =
    workSeconds.start + workSeconds.reference * length + workSeconds.speech * estimateSpeechSeconds(text)
  return {
    credits: creditsFor(audioTtsZeroShot.price, [...text].length),
    seconds: Math.round(seconds * 10) / 10,
  }
}

/** Duration of a reference, seconds. Throws 6014 without sound, 6016 if it is too short or too long. */
function referenceSoundSeconds({ name, facts }: Pick<RequestFile, 'name' | 'facts'>): number {
  const [sound] = facts?.audio ?? []
  if (!sound) {
    throw new MediaError(6014, `ref_file_id: ${name} has no sound`, {
      hint: 'Give a recording of the voice to clone.',
    })
  }
  const declaredMs = sound.duration_ms || facts?.duration_ms || 0
  const seconds = Math.min(declaredMs, (facts?.cut_off_ms ?? Infinity) - sound.start_ms) / 1000
  if (seconds < referenceSeconds.shortest || seconds > referenceSeconds.longest) {
    throw new MediaError(
      6016,
      `ref_file_id: ${name} lasts ${formatExactDuration(seconds)}, not 3 s to 30 min`,
      {
        hint:
          seconds < referenceSeconds.shortest
            ? 'Give a longer recording: 5 to 10 s of clear speech work best.'
            : 'Cut it: 5 to 10 s of clear speech work best.',
      },
    )
  }
  return seconds
}

/** Formats seconds to the millisecond: a rounded value could look valid. */
function formatExactDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const rest = `${Math.round((seconds - 60 * minutes) * 1000) / 1000} s`
  return minutes === 0 ? rest : `${minutes} min ${rest}`
}
