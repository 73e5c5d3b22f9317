import { MediaError } from '../../../contract/errors.ts'
import type { MonoAudio } from '../../../media/speech/spoken.ts'

/** Sound as sherpa-onnx answers it. Throws 6402 where it is none. */
export function parseAudio(told: unknown, { model, rate }: { model: string; rate?: number }): MonoAudio {
  const { samples, sampleRate } = (told ?? {}) as { samples?: unknown; sampleRate?: unknown }
  if (!(samples instanceof Float32Array)) throw invalidResult(model, 'its answer is no sound')
  if (typeof sampleRate !== 'number' || !(sampleRate > 0)) throw invalidResult(model, 'its sound has no rate')
  if (rate !== undefined && rate !== sampleRate) throw invalidResult(model, `its sound has ${sampleRate} Hz`)
  if (!samples.every((sample) => Number.isFinite(sample)))
    throw invalidResult(model, 'its sound has no numbers')
  return { samples, rate: sampleRate }
}

/** What tells that an answer of sherpa-onnx makes no sense. */
export function invalidResult(model: string, what: string): MediaError {
  return new MediaError(6402, `sherpa-onnx with the model ${model} makes no sense: ${what}`, {
    retryable: false,
    hint: 'Use another model, or see `reelwright models verify`.',
  })
}
