import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import type { FileStorage } from '../files/content.ts'
import type { ReadableContent } from '../files/store.ts'
import type { LinkTarget } from './links.ts'
import { findMaterial, openOriginal } from './materials.ts'

/**
 * Opens a file of a material; the caller checks the link or the grant. Throws 6004 if the material has no such file, or if
 * its original was moved, deleted or changed.
 */
export async function openMaterialContent(
  storage: FileStorage,
  { id, part }: LinkTarget,
): Promise<ReadableContent> {
  const row = await findMaterial(storage.db, id)
  if (part === 'original' || part === 'accompaniment') {
    const { name, size, modifiedAt, read } = await openOriginal(storage, id, part)
    const tag = part === 'original' ? row.blake3 : `${row.blake3}-accompaniment-${size}-${modifiedAt}`
    return { name, ext: extensionOf(name), tag, size, read }
  }
  const blake3 = row[part]
  const size = blake3 === null ? undefined : await storage.files.sizeOf(blake3)
  if (blake3 === null || size === undefined) throw new MediaError(6004, `the material ${id} has no ${part}`)
  const ext = part !== 'preview' ? '.jpg' : row.scope === 'audio' ? '.m4a' : '.mp4'
  return {
    ...{ name: `${part}${ext}`, ext, tag: blake3, size },
    read: (range) => storage.files.read(blake3, range),
  }
}
