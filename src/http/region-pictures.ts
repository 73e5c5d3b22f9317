import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import type { regionsQuery } from '../contract/file-routes.ts'
import { checkRegionsSize, parseRegionsFile } from '../contract/regions.ts'
import type { FileRow } from '../db/schema.ts'
import { isStill } from '../engines/ffmpeg/facts.ts'
import { accountHasContent, readFileBytes, type RemovedFile } from '../files/content.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findOwnFile } from '../files/records.ts'
import { frameIndexesAt, videoFrameGrid, stillGrid } from '../media/clean/frame-grid.ts'
import type { Service } from '../tasks/service.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { runInThread } from '../threads/run-in-thread.ts'
import { composeRegionPicture, type RegionPicture } from './region-picture-layout.ts'
import type { RegionPictureJob } from './region-picture-thread.ts'

/** Request for a picture of a file's regions. */
interface RegionPictureRequest {
  readonly query: z.output<typeof regionsQuery>
  readonly accountId: number
  readonly signal: AbortSignal
}

/** Cached layouts of region pictures, and errors of invalid lists. */
interface RegionPictureCache {
  /**
   * Selects the frames of a picture of regions and the marks on each. Throws 6014 for a file without a picture and
   * for a list that is not text, 6016 for an invalid list or times outside the video, 6032 for too many requests.
   */
  get(row: FileRow, asked: RegionPictureRequest): Promise<RegionPicture>
  /** Drops cached data of a removed file. */
  forget(file: RemovedFile): void
}

/** Cache size: the picture and its description are requested separately. Each entry has a few hundred names. */
const maxCachedPictures = 32

/**
 * Creates the cache. Selects one picture at a time, in turn for each account, because a list can be tens of
 * megabytes. Keeps the latest pictures.
 */
export function createRegionPictureCache(service: Service): RegionPictureCache {
  const oneAtATime = limitPerAccount({ limit: 1, name: 'pictures of regions' })
  const kept = new LatestOutcomes()
  return {
    async get(row, asked) {
      const { accountId, signal } = asked
      const { listRow, grid, at } = await findSubject(service, row, asked)
      const at0 = at ? at.join() : ''
      const key = [accountId, row.blake3, row.ext, listRow.blake3, at0].join(' ')
      // A list never changes, so an invalid one is read once.
      const refusalKey = [accountId, 'refused', listRow.blake3, listRow.name].join(' ')
      const create = async (): Promise<RegionPicture | MediaError> => {
        const bytes = await readFileBytes(service.files, listRow, signal)
        const selection = { grid, at, name: `regions ${listRow.blake3} ${at0}` }
        const outcome = await compose(bytes, { name: listRow.name, selection, signal }).catch(toRefusal)
        if ((await fileStillExists(service, row)) && (await fileStillExists(service, listRow)))
          kept.set(outcome instanceof MediaError ? refusalKey : key, outcome)
        return outcome
      }
      const select = async (): Promise<RegionPicture> => {
        signal.throwIfAborted()
        const outcome = kept.get(key) ?? kept.get(refusalKey) ?? (await create())
        if (outcome instanceof MediaError) throw outcome
        return outcome
      }
      return await oneAtATime(accountId, select, signal)
    },
    forget: (file) => kept.forget(file),
  }
}

/** The pictures and refusals that were used last. Names begin with the account and contain the contents. */
class LatestOutcomes {
  readonly #kept = new Map<string, RegionPicture | MediaError>()

  get(name: string): RegionPicture | MediaError | undefined {
    const outcome = this.#kept.get(name)
    if (outcome) this.set(name, outcome)
    return outcome
  }

  set(name: string, outcome: RegionPicture | MediaError): void {
    this.#kept.delete(name)
    this.#kept.set(name, outcome)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > maxCachedPictures) this.#kept.delete(oldest)
  }

  forget({ account_id, blake3 }: RemovedFile): void {
    for (const name of this.#kept.keys()) {
      if (name.startsWith(`${account_id} `) && name.includes(` ${blake3} `)) this.#kept.delete(name)
    }
  }
}

/** The list of a request, the frames of the file, and those to show. Throws as `RegionPictureCache.get` does. */
async function findSubject(
  service: Service,
  row: FileRow,
  { query, accountId, signal }: RegionPictureRequest,
) {
  const listRow = await findOwnFile(service.db, {
    accountId,
    id: query.regions_file_id,
    now: service.clock(),
  })
  if (kindOf(listRow.ext) !== 'text') {
    throw new MediaError(6014, `regions: ${listRow.name} is not text`, {
      hint: 'Use the JSON file returned by detection, edited or not.',
    })
  }
  checkRegionsSize({ name: `regions: ${listRow.name}`, size: listRow.size })
  const { facts } = await probeStoredFile(service, row, { signal })
  if (!facts?.video) {
    throw new MediaError(6014, `${row.name} has no video or image to draw regions on`, {
      hint: 'Use the video or image in which the regions were detected.',
    })
  }
  const grid = isStill(facts.container) ? stillGrid : videoFrameGrid(facts.video)
  return { listRow, grid, at: query.at && frameIndexesAt(query.at, grid, row.name) }
}

/** Returns the error of a list that will always be refused. Throws others. */
function toRefusal(error: unknown): MediaError {
  if (error instanceof MediaError && !error.retryable) return error
  throw error
}

/** Whether the file was not deleted meanwhile. */
async function fileStillExists(
  { db }: Service,
  { account_id: accountId, blake3 }: FileRow,
): Promise<boolean> {
  return await accountHasContent(db, { accountId, blake3 })
}

/** Lists of this size and less are read in this thread, bytes. */
const maxBytesAtOnce = 64 * 1024

/** Composes a picture of a list of regions, of a large one in a thread: it can take a second. */
async function compose(
  bytes: Uint8Array,
  {
    name,
    selection,
    signal,
  }: Pick<RegionPictureJob, 'name' | 'selection'> & { readonly signal: AbortSignal },
): Promise<RegionPicture> {
  if (bytes.length <= maxBytesAtOnce) {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    return composeRegionPicture(parseRegionsFile(name, text), selection)
  }
  const module = new URL('./region-picture-thread', import.meta.url)
  const job: RegionPictureJob = { bytes, name, selection }
  return await runInThread<RegionPicture, RegionPictureJob>({ module, job, moved: [bytes], signal })
}
