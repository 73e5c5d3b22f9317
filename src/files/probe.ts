import { availableParallelism } from 'node:os'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file.ts'
import { mediaFacts, type MediaFacts, type VideoFacts } from '../contract/media-facts.ts'
import type { GivenFile } from '../contract/operation.ts'
import type { FileRow } from '../db/schema.ts'
import { findCut } from '../engines/ffmpeg/cut-off.ts'
import { meanSeek } from '../engines/ffmpeg/key-frames.ts'
import { checkDecodable, probe } from '../engines/ffmpeg/probe.ts'
import { atMost } from '../platform/at-most.ts'
import type { Shelf } from './bytes.ts'

/**
 * A file as creation sees it: probed once, its facts kept with its record. Text and MIDI have none. Throws
 * 6017 for media that cannot be parsed, 6021 for a video of which no frame decodes.
 */
export async function giveFile(shelf: Shelf, row: FileRow, signal?: AbortSignal): Promise<GivenFile> {
  const kind = kindOf(row.ext)
  if (!kind) throw new MediaError(6014, `${row.name} is of no supported type`)
  const isMedia = kind !== 'text' && kind !== 'midi'
  const facts = isMedia ? (keptFacts(row) ?? (await findFacts(shelf, row, signal))) : null
  return { file_id: row.id, name: row.name, size: row.size, kind, facts }
}

/** Facts that an older version kept in another form are found anew. */
function keptFacts(row: FileRow): MediaFacts | null {
  return row.facts === null ? null : (mediaFacts.safeParse(JSON.parse(row.facts)).data ?? null)
}

/** However many tasks are created at once, their probes share the cores. */
const inTurn = atMost(availableParallelism())

async function findFacts({ db, files }: Shelf, row: FileRow, signal?: AbortSignal): Promise<MediaFacts> {
  const facts = await inTurn(async () => {
    signal?.throwIfAborted()
    return await files.lend(row, (path) => named(row, () => look(path, signal)))
  })
  await db
    .updateTable('files')
    .set({ facts: JSON.stringify(facts) })
    .where('id', '=', row.id)
    .execute()
  return facts
}

async function look(path: string, signal?: AbortSignal): Promise<MediaFacts> {
  const facts = await probe(path, { signal })
  if (facts.video) await checkDecodable(path, { signal })
  const [cutOff, video] = await Promise.all([
    findCut(path, facts, { signal }),
    facts.video && withSeek(path, facts.video, signal),
  ])
  return { ...facts, video, ...(cutOff === undefined ? {} : { cut_off_ms: cutOff }) }
}

/** A still picture is not sought in. */
async function withSeek(path: string, video: VideoFacts, signal?: AbortSignal): Promise<VideoFacts> {
  const seek = video.duration_ms > 0 ? await meanSeek(path, video.duration_ms, { signal }) : undefined
  return seek === undefined ? video : { ...video, seek_ms: Math.round(seek) }
}

/** Says which file an error is about. */
async function named<T>(row: FileRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MediaError) || (error.code !== 6017 && error.code !== 6021)) throw error
    const { code, message, hint } = error
    throw new MediaError(code, `${row.name}: ${message}`, { cause: error, hint })
  }
}
