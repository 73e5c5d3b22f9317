import { MediaError } from '../../contract/errors.ts'
import { relocateFfmpeg, locateFfmpeg, type Ffmpeg } from './locate.ts'

interface RequirePartsOptions {
  /** What requires the components, as the start of a sentence: `talk.mp4 is HDR`. */
  readonly because: string
  /** An alternative for the caller, as the end of a sentence: `convert it to SDR first`. */
  readonly instead: string
}

/** Throws 6401 (not retryable) if the installed ffmpeg is missing one of these filters. */
export function requireFilters(names: readonly string[], need: RequirePartsOptions): Promise<void> {
  return requireParts('filters', names, need)
}

/** Throws 6401 (not retryable) if the installed ffmpeg is missing one of these encoders. */
export function requireEncoders(names: readonly string[], need: RequirePartsOptions): Promise<void> {
  return requireParts('encoders', names, need)
}

async function requireParts(
  kind: 'filters' | 'encoders',
  names: readonly string[],
  { because, instead }: RequirePartsOptions,
): Promise<void> {
  const lacking = (ffmpeg: Ffmpeg) => names.filter((name) => !ffmpeg[kind].has(name))
  if (lacking(await locateFfmpeg()).length === 0) return
  const missing = lacking(await relocateFfmpeg()).join(' and ')
  if (missing === '') return
  throw new MediaError(6401, `${because}, and this ffmpeg has no ${missing}`, {
    retryable: false,
    hint:
      `Install an ffmpeg with ${missing} (full builds have it), named by its path as "ffmpeg" in ` +
      `reelwright.config.json of the data folder, which the service reads when it starts; or ${instead}.`,
  })
}
