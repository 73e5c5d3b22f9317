import { availableParallelism } from 'node:os'
import { errorTable, imageHint, MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import { mediaFacts, type MediaFacts } from '../contract/media-facts.ts'
import type { RequestFile } from '../contract/operation.ts'
import type { FileRow } from '../db/schema.ts'
import { correctByPackets } from '../engines/ffmpeg/cut-off.ts'
import { meanSeekDistance, quickProbe } from '../engines/ffmpeg/quick-probe.ts'
import { checkDecodable } from '../engines/ffmpeg/decodable.ts'
import { probeWithFirstFrame } from '../engines/ffmpeg/probe.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import type { FileStorage } from './content.ts'

interface ProbeStoredFileOptions {
  readonly signal?: AbortSignal
  /** Whether only the file's audio is used. */
  readonly audioOnly?: boolean
}

/**
 * Probes a stored file once and keeps its facts in its record. Text and MIDI have no facts. Throws 6014 for an
 * unsupported type, 6017 for media that cannot be parsed, 6021 for a video without a decodable frame, unless only its
 * audio is used, and 6032 if too many probes of the account wait.
 */
export async function probeStoredFile(
  storage: FileStorage,
  row: FileRow,
  options: ProbeStoredFileOptions = {},
): Promise<RequestFile> {
  const kind = kindOf(row.ext)
  if (!kind) throw new MediaError(6014, `${row.name} has an unsupported type`)
  const isMedia = kind !== 'text' && kind !== 'midi'
  const facts = isMedia ? (storedFacts(row) ?? (await probeAndStoreFacts(storage, row, options))) : null
  return { file_id: row.id, name: row.name, size: row.size, kind, facts }
}

/** Stored facts; null when there are none or an older version stored them in another format. */
function storedFacts(row: FileRow): MediaFacts | null {
  return row.facts === null ? null : (mediaFacts.safeParse(JSON.parse(row.facts)).data ?? null)
}

/** Limits concurrent probes to the number of cores, in turn for each account. */
const limitProbes = limitPerAccount({ limit: availableParallelism(), name: 'probes' })

async function probeAndStoreFacts(
  { db, files }: FileStorage,
  row: FileRow,
  options: ProbeStoredFileOptions,
): Promise<MediaFacts> {
  const { facts, isDecodable } = await limitProbes(
    row.account_id,
    async () => {
      options.signal?.throwIfAborted()
      return await files.withLocalPath(row, (path) => withFileName(row, () => probePath(path, options)))
    },
    options.signal,
  )
  // Not stored: the video may be decodable with another ffmpeg or more memory.
  if (!isDecodable) return facts
  await db
    .updateTable('files')
    .set({ facts: JSON.stringify(facts) })
    .where('id', '=', row.id)
    .execute()
  return facts
}

interface StoredFileProbe {
  readonly facts: MediaFacts
  /** Whether its video, if any, can be decoded. */
  readonly isDecodable: boolean
}

async function probePath(path: string, options: ProbeStoredFileOptions): Promise<StoredFileProbe> {
  const { signal } = options
  const { facts, isShown: isSeen } = await probeWithFirstFrame(path, { signal })
  const isDecodable = !facts.video || isSeen || (await canDecodeVideo(path, facts, options))
  const seen = await quickProbe(path, facts, { signal })
  const [held, seek] = await Promise.all([
    correctByPackets(path, facts, { signal, streams: seen?.streams }),
    // Still images need no seek cost.
    isDecodable && facts.video && facts.video.duration_ms > 0
      ? (seen?.seekMs ?? meanSeekDistance(path, facts.video.duration_ms, { signal }))
      : undefined,
  ])
  return held.video && seek !== undefined
    ? { facts: { ...held, video: { ...held.video, seek_ms: Math.round(seek) } }, isDecodable }
    : { facts: held, isDecodable }
}

/** Whether the video can be decoded. Throws 6021 when it cannot, unless audio is present and sufficient. */
async function canDecodeVideo(
  path: string,
  { audio }: MediaFacts,
  { signal, audioOnly }: ProbeStoredFileOptions,
): Promise<boolean> {
  try {
    await checkDecodable(path, { signal })
    return true
  } catch (error) {
    if (audioOnly && audio.length > 0 && error instanceof MediaError && error.code === 6021) return false
    throw error
  }
}

/** Adds the file's name to errors about its content. */
async function withFileName<T>(row: FileRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MediaError) || ![6017, 6021, 6402].includes(error.code)) throw error
    const { code, message } = error
    throw new MediaError(code, `${row.name}: ${message}`, { cause: error, hint: hintFor(row, error) })
  }
}

/** The hints of 6017 and 6021 are about sound and video; those of images say what an image needs. */
function hintFor({ ext }: FileRow, { code, hint }: MediaError): string {
  const kind = kindOf(ext)
  if (code === 6021 && kind === 'audio') return errorTable[6017].hint
  return kind === 'image' && code !== 6402 ? imageHint : hint
}
