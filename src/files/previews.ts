import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import type { MediaFacts } from '../contract/media-facts.ts'
import type { FileRow } from '../db/schema.ts'
import type { PreviewImage, PreviewOptions } from '../engines/ffmpeg/preview.ts'
import { SingleFlight } from '../platform/concurrency.ts'
import { LruByteCache } from '../platform/cache.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { accountHasContent, type RemovedFile, type FileStorage } from './content.ts'
import { probeStoredFile } from './probe.ts'

/** Size of the cache, bytes: more than a hundred previews. */
const previewCacheBytes = 16 * 2 ** 20

/** A kind of preview. */
export interface PreviewRenderer {
  /** Equal for equal previews of the same file. */
  readonly name: string
  render(path: string, facts: MediaFacts, options: PreviewOptions): Promise<PreviewImage>
}

/** Cached previews of files. */
export interface PreviewCache {
  /** Renders a preview as JPEG. Throws 6014 for files without image or audio, 6017 and 6021 for damaged files, 6032 for too many. */
  render(row: FileRow, drawing: PreviewRenderer, signal: AbortSignal): Promise<PreviewImage>
  /** Removes cached previews of a deleted file. */
  forget(file: RemovedFile): void
}

/**
 * Renders each preview once for concurrent requests, in turn for each account, and keeps the latest in memory. Callers
 * check that the account owns the file.
 */
export function createPreviewCache(storage: FileStorage): PreviewCache {
  const kept = new LruByteCache<PreviewImage & { readonly byteLength: number }>(previewCacheBytes)
  const running = new SingleFlight<PreviewImage>()
  // One at a time: each uses all cores.
  const limitRenders = limitPerAccount({ limit: 1, name: 'previews' })
  const draw: PreviewCache['render'] = async (row, drawing, signal) => {
    const { facts } = await probeStoredFile(storage, row, { signal })
    if (!facts) {
      throw new MediaError(6014, `${row.name} is ${kindOf(row.ext) ?? 'unknown'}: it has no preview`, {
        hint: 'Omit the preview, or download the file to read it.',
      })
    }
    const name = `${cacheKeyPrefix(row)} ${drawing.name}`
    const make = async (unlessAbandoned: AbortSignal): Promise<PreviewImage> => {
      unlessAbandoned.throwIfAborted()
      const options = { signal: unlessAbandoned }
      const preview = await storage.files.withLocalPath(row, (path) => drawing.render(path, facts, options))
      const owned = { accountId: row.account_id, blake3: row.blake3 }
      // The file may have been deleted during rendering.
      if (preview.isWhole && (await accountHasContent(storage.db, owned))) {
        kept.set(name, { ...preview, byteLength: preview.jpeg.byteLength })
      }
      return preview
    }
    return (
      kept.get(name) ??
      (await running.join(name, signal, (unlessAbandoned) =>
        limitRenders(row.account_id, () => make(unlessAbandoned), unlessAbandoned),
      ))
    )
  }
  return {
    render: draw,
    forget(file) {
      kept.deleteAll(`${cacheKeyPrefix(file)} `)
    },
  }
}

/** Per account: otherwise response times would reveal whether another account has the file. */
function cacheKeyPrefix({ account_id, blake3, ext }: RemovedFile): string {
  return [account_id, blake3, ext].join(' ')
}
