import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import type { MediaFacts } from '../contract/media-facts.ts'
import type { FileRow } from '../db/schema.ts'
import type { Drawn, PreviewOptions } from '../engines/ffmpeg/preview.ts'
import { limitConcurrency, SingleFlight } from '../platform/concurrency.ts'
import { LruByteCache } from '../platform/cache.ts'
import { accountHasContent, type RemovedFile, type FileStorage } from './content.ts'
import { probeStoredFile } from './probe.ts'

/** A hundred pictures and more, in bytes. */
const previewCacheBytes = 16 * 2 ** 20

/** A way to draw a file. */
export interface PreviewRenderer {
  /** Equal for the same picture of the same file. */
  readonly name: string
  render(path: string, facts: MediaFacts, options: PreviewOptions): Promise<Drawn>
}

/** Small pictures of files. */
export interface PreviewCache {
  /** One as JPEG. Throws 6014 for what cannot be seen or heard, 6017 and 6021 for what is damaged. */
  render(row: FileRow, drawing: PreviewRenderer, signal: AbortSignal): Promise<Drawn>
  /** Drops those of a file that is gone. */
  forget(file: RemovedFile): void
}

/**
 * Draws each picture once for all who ask at the same time, and keeps the latest in memory: they end
 * with the service, and are shown only to who was found to own the file.
 */
export function createPreviewCache(shelf: FileStorage): PreviewCache {
  const kept = new LruByteCache<Drawn & { readonly byteLength: number }>(previewCacheBytes)
  const underWay = new SingleFlight<Drawn>()
  // One after another: each uses all cores.
  const inTurn = limitConcurrency(1)
  const draw: PreviewCache['render'] = async (row, drawing, signal) => {
    const { facts } = await probeStoredFile(shelf, row, { signal })
    if (!facts) {
      throw new MediaError(6014, `${row.name} is ${kindOf(row.ext) ?? 'unknown'}: there is nothing to see`, {
        hint: 'Leave the preview out, or download the file to read it.',
      })
    }
    const name = `${cacheKeyPrefix(row)} ${drawing.name}`
    const make = async (unlessLeft: AbortSignal): Promise<Drawn> => {
      unlessLeft.throwIfAborted()
      const options = { signal: unlessLeft }
      const drawn = await shelf.files.withLocalPath(row, (path) => drawing.render(path, facts, options))
      const owned = { accountId: row.account_id, blake3: row.blake3 }
      // It may have been deleted while it was drawn.
      if (drawn.isWhole && (await accountHasContent(shelf.db, owned))) {
        kept.set(name, { ...drawn, byteLength: drawn.jpeg.byteLength })
      }
      return drawn
    }
    return (
      kept.get(name) ?? (await underWay.join(name, signal, (unlessLeft) => inTurn(() => make(unlessLeft))))
    )
  }
  return {
    render: draw,
    forget(file) {
      kept.deleteAll(`${cacheKeyPrefix(file)} `)
    },
  }
}

/** Not for two accounts: that it comes at once would tell one what the other has. */
function cacheKeyPrefix({ account_id, blake3, ext }: RemovedFile): string {
  return [account_id, blake3, ext].join(' ')
}
