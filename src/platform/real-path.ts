import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Links followed one by one before they count as a circle; Linux stops there as well. */
const maxLinks = 40

/**
 * Where an absolute path leads: the real path of what exists of it and the rest as it is written,
 * through links that lead to nothing too. Never throws: what cannot be looked into is taken as written.
 */
export async function resolveLinks(path: string, linksLeft = maxLinks): Promise<string> {
  const real = await realpath(path).catch(() => null)
  const parent = dirname(path)
  if (real !== null || parent === path) return real ?? path
  const realParent = await resolveLinks(parent, linksLeft)
  const target = await readlink(path).catch(() => null)
  if (target === null || linksLeft === 0) return join(realParent, basename(path))
  return resolveLinks(resolve(realParent, target), linksLeft - 1)
}
