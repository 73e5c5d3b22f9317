import { MediaError } from '../../contract/errors.ts'
import type { RequestFile } from '../../contract/operation.ts'

/** Shortest and longest reference (contract 3, 4.4 and 4.6), seconds. */
const referenceSeconds = { shortest: 3, longest: 30 * 60 } as const

/** Duration of the sound of a file, seconds; undefined without sound. */
export function soundSeconds({ facts }: Pick<RequestFile, 'facts'>): number | undefined {
  const [sound] = facts?.audio ?? []
  if (!sound) return undefined
  const declaredMs = sound.duration_ms || facts?.duration_ms || 0
  return Math.min(declaredMs, (facts?.cut_off_ms ?? Infinity) - sound.start_ms) / 1000
}

/** Duration of a reference, seconds. Throws 6014 without sound, 6016 if it is too short or too long. */
export function referenceSoundSeconds(file: Pick<RequestFile, 'name' | 'facts'>): number {
  const seconds = soundSeconds(file)
  if (seconds === undefined) {
    throw new MediaError(6014, `ref_file_id: ${file.name} has no sound`, {
      hint: 'Give a recording of the voice to clone.',
    })
  }
  if (seconds < referenceSeconds.shortest || seconds > referenceSeconds.longest) {
    throw new MediaError(
      6016,
      `ref_file_id: ${file.name} lasts ${formatExactDuration(seconds)}, not 3 s to 30 min`,
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
export function formatExactDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const rest = `${Math.round((seconds - 60 * minutes) * 1000) / 1000} s`
  return minutes === 0 ? rest : `${minutes} min ${rest}`
}
