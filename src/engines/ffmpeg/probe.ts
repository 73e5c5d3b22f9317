import { MediaError } from '../../contract/errors.ts'
import { extensionOf, kindOf } from '../../contract/file-kind.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill, mustCount, readFacts, type Found } from './facts.ts'
import {
  ffprobeAnswer,
  firstRotation,
  frameEntries,
  probeEntries,
  showsPicture,
  type FfprobeAnswer,
} from './ffprobe-answer.ts'
import { askFfprobe, parse, type AskOptions, type ProbeOptions } from './ffprobe.ts'
import { withLateStreams } from './late-streams.ts'
import { measureWhole } from './measure-whole.ts'
import { headerDuration } from './stream-times.ts'

/** Facts of a media file. Throws 6017 when it is none, is damaged, or is of an unsupported format. */
export async function probe(path: string, options: ProbeOptions = {}): Promise<MediaFacts> {
  return await factsOf(path, await askFacts(path, options), options)
}

/**
 * As `probe`, and whether its first picture decodes, as far as a first look tells, for which ffprobe is started
 * once; where it does not, `checkDecodable` looks longer.
 */
export async function probeShown(
  path: string,
  options: ProbeOptions = {},
): Promise<{ readonly facts: MediaFacts; readonly isShown: boolean }> {
  const seen = kindOf(extensionOf(path)) === 'audio' ? undefined : await askWithPictures(path, options)
  const told = seen ?? (await askFacts(path, options))
  return { facts: await factsOf(path, told, options), isShown: showsPicture(told.answer) }
}

interface Told {
  readonly answer: FfprobeAnswer
  /** Whether the length is a guess, which can be far off: of raw streams without an index (.aac, some .mp3). */
  readonly guessed: boolean
}

async function askFacts(path: string, options: AskOptions, more: readonly string[] = []): Promise<Told> {
  const { text, log } = await askFfprobe(path, ['-show_entries', probeEntries, ...more], options)
  return {
    answer: parse(ffprobeAnswer, text),
    guessed: /Estimating duration from bitrate/.test(log),
  }
}

/** So many packets hold a picture of nearly every video; sound and covers may lie between. */
const firstPackets = ['-read_intervals', '%+#4', '-show_entries', frameEntries]

/** A few pictures decode at once; those that do not are left to who has more time for them. */
const firstPacketsMs = 10_000

/** Decodes the first packets too; nothing where that fails, whatever is to blame. */
async function askWithPictures(path: string, options: ProbeOptions): Promise<Told | undefined> {
  try {
    return await askFacts(path, { ...options, timeoutMs: firstPacketsMs }, firstPackets)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return undefined
  }
}

async function factsOf(
  path: string,
  { answer: told, guessed }: Told,
  options: ProbeOptions,
): Promise<MediaFacts> {
  const answer = await withLateStreams(path, told, options)
  const facts = readFacts(answer, await findMore(path, { answer, guessed }, options))
  if (!facts) throw new MediaError(6017, 'the file holds neither a picture nor sound')
  return facts
}

/** Looks beyond the header where that is not enough. */
async function findMore(
  path: string,
  { answer, guessed }: { answer: FfprobeAnswer; guessed: boolean },
  options: ProbeOptions,
): Promise<Found> {
  if (isStill(answer.format.format_name)) {
    const { frames } =
      answer.frames.length > 0 ? answer : (await askFacts(path, options, firstPackets)).answer
    return { rotation: frames[0] && firstRotation(frames[0]) }
  }
  const isUntold = guessed || headerDuration(answer) === undefined
  const isUncounted = mustCount(answer)
  if (!isUntold && !isUncounted) return {}
  const pictures = isUncounted ? await measureWhole(path, ['0:V:0'], options) : undefined
  const isAlone =
    answer.streams.filter(({ codec_type = '' }) => /^(audio|video)$/.test(codec_type)).length === 1
  const whole = isUntold
    ? (isAlone && pictures) || (await measureWhole(path, ['0:V?', '0:a?'], options))
    : undefined
  if (whole && whole.durationMs <= 0) {
    throw new MediaError(6017, 'the file does not tell its length and holds nothing to measure')
  }
  return {
    ...(whole && { durationMs: whole.durationMs }),
    ...(pictures && { counted: { pictures: pictures.frames, endMs: pictures.durationMs } }),
  }
}
