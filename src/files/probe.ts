import { availableParallelism } from 'node:os'
import { errorTable, MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import { mediaFacts, type MediaFacts } from '../contract/media-facts.ts'
import type { GivenFile } from '../contract/operation.ts'
import type { FileRow } from '../db/schema.ts'
import { heldToPackets } from '../engines/ffmpeg/cut-off.ts'
import { glance } from '../engines/ffmpeg/glance.ts'
import { meanSeek } from '../engines/ffmpeg/key-frames.ts'
import { checkDecodable } from '../engines/ffmpeg/decodable.ts'
import { probeShown } from '../engines/ffmpeg/probe.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import type { FileStorage } from './content.ts'

interface ProbeStoredFileOptions {
  readonly signal?: AbortSignal
  /** Whether only its sound is used. */
  readonly audioOnly?: boolean
}

/**
 * A file as creation sees it: probed once, its facts kept with its record. Text and MIDI have none. Throws
 * 6017 for media that cannot be parsed, 6021 for a video of which no frame decodes, unless its sound will do.
 */
export async function probeStoredFile(
  shelf: FileStorage,
  row: FileRow,
  looking: ProbeStoredFileOptions = {},
): Promise<GivenFile> {
  const kind = kindOf(row.ext)
  if (!kind) throw new MediaError(6014, `${row.name} is of no supported type`)
  const isMedia = kind !== 'text' && kind !== 'midi'
  const facts = isMedia ? (storedFacts(row) ?? (await probeAndStoreFacts(shelf, row, looking))) : null
  return { file_id: row.id, name: row.name, size: row.size, kind, facts }
}

/** Facts that an older version kept in another form are found anew. */
function storedFacts(row: FileRow): MediaFacts | null {
  return row.facts === null ? null : (mediaFacts.safeParse(JSON.parse(row.facts)).data ?? null)
}

/** However many tasks are created at once, their probes share the cores. */
const limitProbes = limitConcurrency(availableParallelism())

async function probeAndStoreFacts(
  { db, files }: FileStorage,
  row: FileRow,
  looking: ProbeStoredFileOptions,
): Promise<MediaFacts> {
  const { facts, isDecodable: isShown } = await limitProbes(async () => {
    looking.signal?.throwIfAborted()
    return await files.withLocalPath(row, (path) => withFileName(row, () => probePath(path, looking)))
  })
  // A picture that does not decode may do so by another ffmpeg, or when the machine has more to give.
  if (!isShown) return facts
  await db
    .updateTable('files')
    .set({ facts: JSON.stringify(facts) })
    .where('id', '=', row.id)
    .execute()
  return facts
}

interface StoredFileProbe {
  readonly facts: MediaFacts
  /** Whether its picture decodes, if it has one. */
  readonly isDecodable: boolean
}

async function probePath(path: string, looking: ProbeStoredFileOptions): Promise<StoredFileProbe> {
  const { signal } = looking
  const { facts, isShown: isSeen } = await probeShown(path, { signal })
  const isShown = !facts.video || isSeen || (await canDecodeVideo(path, facts, looking))
  const seen = await glance(path, facts, { signal })
  const [held, seek] = await Promise.all([
    heldToPackets(path, facts, { signal, seen: seen?.streams }),
    // A still picture is not sought in.
    isShown && facts.video && facts.video.duration_ms > 0
      ? (seen?.seekMs ?? meanSeek(path, facts.video.duration_ms, { signal }))
      : undefined,
  ])
  return held.video && seek !== undefined
    ? { facts: { ...held, video: { ...held.video, seek_ms: Math.round(seek) } }, isDecodable: isShown }
    : { facts: held, isDecodable: isShown }
}

/** Whether a video's picture decodes. Throws 6021 where it does not, unless there is sound that will do. */
async function canDecodeVideo(
  path: string,
  { audio }: MediaFacts,
  { signal, audioOnly: soundAlone }: ProbeStoredFileOptions,
): Promise<boolean> {
  try {
    await checkDecodable(path, { signal })
    return true
  } catch (error) {
    if (soundAlone && audio.length > 0 && error instanceof MediaError && error.code === 6021) return false
    throw error
  }
}

/** Says which file an error is about. */
async function withFileName<T>(row: FileRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MediaError) || ![6017, 6021, 6402].includes(error.code)) throw error
    const { code, message } = error
    // Who gave a file of sound wants no video of it.
    const isSound = code === 6021 && kindOf(row.ext) === 'audio'
    const hint = isSound ? errorTable[6017].hint : error.hint
    throw new MediaError(code, `${row.name}: ${message}`, { cause: error, hint })
  }
}
