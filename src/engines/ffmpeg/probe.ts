import { MediaError } from '../../contract/errors.ts'
import { extensionOf, kindOf } from '../../contract/file-kind.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill, needsFrameCount, readFacts, type Measurements } from './facts.ts'
import {
  ffprobeOutput,
  firstRotation,
  frameEntries,
  probeEntries,
  hasPictureFrame,
  type FfprobeOutput,
} from './ffprobe-answer.ts'
import { queryFfprobe, parseFfprobe, type FfprobeOptions, type ProbeOptions } from './ffprobe.ts'
import { addLateStreams } from './late-streams.ts'
import { measureStreams } from './measure-whole.ts'
import { headerDuration } from './stream-times.ts'

/**
 * Returns the facts of a media file. Throws 6017 if it is not media, is damaged or has an unsupported format.
 */
export async function probe(path: string, options: ProbeOptions = {}): Promise<MediaFacts> {
  return await completeFacts(path, await queryFacts(path, options), options)
}

/**
 * Same as `probe`, and also reports whether the first picture decodes within a quick check, in one ffprobe
 * process. If `isShown` is false, `checkDecodable` searches further.
 */
export async function probeWithFirstFrame(
  path: string,
  options: ProbeOptions = {},
): Promise<{ readonly facts: MediaFacts; readonly isShown: boolean }> {
  const seen = kindOf(extensionOf(path)) === 'audio' ? undefined : await queryWithFrames(path, options)
  const told = seen ?? (await queryFacts(path, options))
  return { facts: await completeFacts(path, told, options), isShown: hasPictureFrame(told.answer) }
}

interface ProbeOutput {
  readonly answer: FfprobeOutput
  /**
   * Whether the duration is an estimate, which can be far off. Applies to raw streams without an index (.aac,
   * .mp3).
   */
  readonly guessed: boolean
}

async function queryFacts(
  path: string,
  options: FfprobeOptions,
  more: readonly string[] = [],
): Promise<ProbeOutput> {
  const { text, log } = await queryFfprobe(path, ['-show_entries', probeEntries, ...more], options)
  return {
    answer: parseFfprobe(ffprobeOutput, text),
    guessed: /Estimating duration from bitrate/.test(log),
  }
}

/** Four packets contain a picture in nearly every video. Audio packets and covers may precede it. */
const firstPacketsArgs = ['-read_intervals', '%+#4', '-show_entries', frameEntries]

/** Time limit, ms. A few pictures decode quickly. Callers with more time handle the others. */
const firstPacketsTimeoutMs = 10_000

/** Probes and decodes the first packets. Returns undefined on any MediaError. */
async function queryWithFrames(path: string, options: ProbeOptions): Promise<ProbeOutput | undefined> {
  try {
    return await queryFacts(path, { ...options, timeoutMs: firstPacketsTimeoutMs }, firstPacketsArgs)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return undefined
  }
}

async function completeFacts(
  path: string,
  { answer: told, guessed }: ProbeOutput,
  options: ProbeOptions,
): Promise<MediaFacts> {
  const answer = await addLateStreams(path, told, options)
  const facts = readFacts(answer, await measureMissing(path, { answer, guessed }, options))
  if (!facts) throw new MediaError(6017, 'the file holds neither a picture nor sound')
  return facts
}

/** Measures what the header does not provide. */
async function measureMissing(
  path: string,
  { answer, guessed }: { answer: FfprobeOutput; guessed: boolean },
  options: ProbeOptions,
): Promise<Measurements> {
  if (isStill(answer.format.format_name)) {
    const { frames } =
      answer.frames.length > 0 ? answer : (await queryFacts(path, options, firstPacketsArgs)).answer
    return { rotation: frames[0] && firstRotation(frames[0]) }
  }
  const isUntold = guessed || headerDuration(answer) === undefined
  const isUncounted = needsFrameCount(answer)
  if (!isUntold && !isUncounted) return {}
  const pictures = isUncounted ? await measureStreams(path, ['0:V:0'], options) : undefined
  const isAlone =
    answer.streams.filter(({ codec_type = '' }) => /^(audio|video)$/.test(codec_type)).length === 1
  const whole = isUntold
    ? (isAlone && pictures) || (await measureStreams(path, ['0:V?', '0:a?'], options))
    : undefined
  if (whole && whole.durationMs <= 0) {
    throw new MediaError(6017, 'the file does not tell its length and holds nothing to measure')
  }
  return {
    ...(whole && { durationMs: whole.durationMs }),
    ...(pictures && { counted: { pictures: pictures.frames, endMs: pictures.durationMs } }),
  }
}
