import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isoLanguage } from '../../media/dubbing/iso-language.ts'
import { failureReason } from '../failure-reason.ts'
import { fileUrl, inputArgs, isInputError, runFfmpeg } from '../ffmpeg/run.ts'
import { extendVideo } from './base-video.ts'
import { writeComplete } from './complete-file.ts'
import { dubComment } from './lay-lines.ts'

/** Streams of a dubbed video. */
export interface DubStreams {
  /** File whose picture is shown. */
  readonly source: StagedFile
  /** Video of `extendVideo` that is shown instead. */
  readonly base?: string | undefined
  /** .m4a of `mixDub`. */
  readonly sound: string
  /** Language of the dub, such as en-US. */
  readonly language: string
  /** SubRip file in that language, which players can show. */
  readonly subtitles?: string | undefined
}

interface MuxDubOptions extends Pick<RunContext, 'scratch' | 'steps' | 'threads' | 'signal'> {
  /** mp4 to write. */
  readonly path: string
  /** Called with 0 to 1, never decreasing. */
  readonly onShare?: (share: number) => void
}

/** Codecs that players expect in mp4, by ffmpeg's names. Pictures of other codecs are encoded again. */
const mp4Pictures = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'mpeg2video'])

/** Time limit, ms: copying gigabytes takes minutes. */
const muxMs = 1_800_000

/** What is missing in a dubbed mp4. */
export interface MuxedDub {
  /** What a picture lost that was encoded again. */
  readonly notes: readonly string[]
  /** Why it has no subtitles, if they were given. */
  readonly subtitleFailure?: string | undefined
}

/**
 * Writes the dubbed mp4, without subtitles if these alone fail. The picture is copied; that of a codec that mp4 does not take
 * is encoded again, at its size and rate.
 */
export async function muxDub(streams: DubStreams, options: MuxDubOptions): Promise<MuxedDub> {
  const { source, base } = streams
  const { path, scratch, signal, onShare = () => {} } = options
  signal.throwIfAborted()
  const codec = source.facts?.video?.codec ?? ''
  if (base !== undefined || mp4Pictures.has(codec)) {
    try {
      return { notes: [], ...(await writeMp4WithText(base ?? source.path, streams, options)) }
    } catch (error) {
      // Packets without times, as in some AVI files.
      if (base !== undefined || !isInputError(error)) throw error
    }
  }
  const encoded = join(scratch, 'picture-of-the-dub.mp4')
  try {
    const { notes } = await extendVideo(source, [], { ...options, path: encoded, onShare })
    return { notes, ...(await writeMp4WithText(encoded, streams, { path, signal })) }
  } finally {
    await rm(encoded, { force: true })
  }
}

/** Writes the mp4 with its subtitles; where that fails, without them. */
async function writeMp4WithText(
  picture: string,
  streams: DubStreams,
  options: Pick<MuxDubOptions, 'path' | 'signal'>,
): Promise<Pick<MuxedDub, 'subtitleFailure'>> {
  try {
    await writeMp4(picture, streams, options)
    return {}
  } catch (error) {
    if (streams.subtitles === undefined) throw error
    const subtitleFailure = failureReason(error, options.signal)
    await writeMp4(picture, { ...streams, subtitles: undefined }, options)
    return { subtitleFailure }
  }
}

/** Copies a picture and the sound to an mp4. */
async function writeMp4(
  picture: string,
  { source, base, sound, language, subtitles }: DubStreams,
  { path, signal }: Pick<MuxDubOptions, 'path' | 'signal'>,
): Promise<void> {
  const iso = isoLanguage(language)
  // Apple's players show HEVC with this tag only.
  const isHevc = picture === source.path && base === undefined && source.facts?.video?.codec === 'hevc'
  const text = subtitles === undefined ? [] : subtitleInput(subtitles)
  const textStream = ['-map', '2:s:0', '-c:s', 'mov_text', '-metadata:s:s:0', `language=${iso}`]
  await writeComplete(path, (unfinished) =>
    runFfmpeg({
      args: [
        ...[...inputArgs(picture, ['-an']), ...inputArgs(sound), ...text],
        ...['-map', '0:V:0', '-map', '1:a:0', '-c:v', 'copy', '-c:a', 'copy'],
        ...(isHevc ? ['-tag:v', 'hvc1'] : []),
        ...(subtitles === undefined ? [] : textStream),
        ...['-map_metadata', '-1', '-map_chapters', '-1', '-metadata:s:a:0', `language=${iso}`],
        ...['-metadata', `comment=${dubComment}`, '-movflags', '+faststart', fileUrl(unfinished)],
      ],
      ...{ signal, timeoutMs: muxMs },
    }),
  )
}

/** Returns the input of a SubRip file that the service wrote. */
function subtitleInput(path: string): string[] {
  return ['-protocol_whitelist', 'file', '-format_whitelist', 'srt', '-f', 'srt', '-i', fileUrl(path)]
}
