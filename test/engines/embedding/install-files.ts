import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { embeddingPacks } from '../../../src/engines/packs/embedding-packs.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { inventoryFile, packFolder } from '../../../src/engines/packs/store.ts'

/** Writes files as the installed pack of a model into a folder of packs. Returns the folder of the pack. */
export async function installFiles(
  folder: string,
  pack: keyof typeof embeddingPacks,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const target = packFolder({ folder, automatic: false, own: {}, manifest }, pack, manifest[pack])
  await mkdir(target, { recursive: true })
  for (const [file, content] of Object.entries(files)) await writeFile(join(target, file), content)
  const inventory = Object.entries(files).map(([path, content]) => ({
    ...{ path, bytes: content.length, sha256: '0'.repeat(64) },
  }))
  await writeFile(join(target, inventoryFile), JSON.stringify(inventory))
  return target
}
