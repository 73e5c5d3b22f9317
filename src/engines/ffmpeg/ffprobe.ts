import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { runChild } from './child.ts'
import { locateFfmpeg } from './locate.ts'
import { fileUrl, maxAlloc, safetyArgs } from './run.ts'

export interface ProbeOptions {
  readonly signal?: AbortSignal | undefined
}

/** What is asked of a file. */
export interface FfprobeOptions extends ProbeOptions {
  /** However the file is, the answer is near: only the machine can take too long for it (6402). */
  readonly isBounded?: boolean
  /** Left out, time for reading headers or a few frames. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 60_000

/** Largest answer taken from ffprobe, in bytes; one stream takes about 1 kB, and 100 are read. */
const maxOutputBytes = 2 ** 20

/** Asks ffprobe about a file. Throws 6017 for what it cannot read, 6402 for the machine, and an abort's reason. */
export async function queryFfprobe(
  path: string,
  question: readonly string[],
  options: FfprobeOptions,
): Promise<{ text: string; log: string }> {
  const tooLarge = new AbortController()
  const chunks: Buffer[] = []
  let bytes = 0
  const log = await runFfprobe(path, [...question, '-of', 'json=compact=1'], {
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, tooLarge.signal]) : tooLarge.signal,
    onOutput: (chunk) => {
      bytes += chunk.length
      if (bytes <= maxOutputBytes) chunks.push(chunk)
      else tooLarge.abort(tooManyStreams())
    },
  })
  return { text: Buffer.concat(chunks).toString('utf8'), log }
}

/** As `queryFfprobe`, for lists of any length: told entry by entry, each its section's name and then what was asked for. */
export async function listWithFfprobe(
  path: string,
  question: readonly string[],
  { onEntry, ...options }: FfprobeOptions & { readonly onEntry: (entry: readonly string[]) => void },
): Promise<void> {
  let rest = ''
  await runFfprobe(path, [...question, '-of', 'csv'], {
    ...options,
    onOutput: (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = (lines.pop() ?? '').slice(0, maxEntryLength)
      for (const line of lines) onEntry(line.trim().split(','))
    },
  })
}

/** Longer than what is asked of a packet can be, characters. */
const maxEntryLength = 4096

async function runFfprobe(
  path: string,
  question: readonly string[],
  {
    signal,
    isBounded = false,
    timeoutMs = defaultTimeoutMs,
    onOutput,
  }: FfprobeOptions & { readonly onOutput: (chunk: Buffer) => void },
): Promise<string> {
  const { ffprobe } = await locateFfmpeg()
  const {
    code,
    signal: endedBy,
    timedOut,
    log,
  } = await runChild({
    file: ffprobe,
    args: [
      ...['-hide_banner', '-loglevel', 'warning', '-max_alloc', maxAlloc, ...safetyArgs(path)],
      ...[...question, '-i', fileUrl(path)],
    ],
    timeoutMs,
    signal,
    onOutput,
  })
  const cause = new Error(log)
  if (timedOut) {
    const orElse = isBounded ? '' : '; if it stays, the file is damaged: export it again'
    throw new MediaError(isBounded ? 6402 : 6017, `the file could not be read within ${timeoutMs / 1000} s`, {
      cause,
      hint: `Try again while the machine does less${orElse}.`,
    })
  }
  if (endedBy === 'SIGKILL') {
    throw new MediaError(6402, 'ffprobe was ended by SIGKILL, most often because memory ran out', {
      cause,
      hint: 'Try again while the machine has more memory free.',
    })
  }
  if (code !== 0)
    throw new MediaError(6017, 'the file could not be read as a supported media format', { cause })
  return log
}

function tooManyStreams(): MediaError {
  return new MediaError(6017, 'the file describes more streams than are taken', {
    hint: 'Copy the picture and the sound into a new file: ffmpeg -i file.mkv -map 0:v -map 0:a -c copy copy.mkv',
  })
}

/** Reads ffprobe's JSON, behind which the file may be hostile; 6017 for what does not fit. */
export function parseFfprobe<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new MediaError(6017, 'the file describes itself in a way that makes no sense', { cause: error })
  }
}
