import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { errorCode } from '../../platform/system-error.ts'

/** Hosts from which particles usually load libraries. */
export const libraryHosts = ['cdn.jsdelivr.net', 'unpkg.com', 'cdnjs.cloudflare.com']

/**
 * Paths of GSAP 3 on these hosts: package@version/dist/file or gsap/version/file. GSAP has no open-source licence, so
 * it is not part of this project and is available only if the user installed it.
 */
const gsapPath =
  /^\/(?:npm\/|ajax\/libs\/)?gsap(?:@|\/)3(?:\.\d+){0,2}(?:\/dist)?\/([A-Za-z]+(?:\.min)?\.js)$/

/** The script of an installed library, or a message that says how to install it. */
export type LoadLibraryResult = { readonly script: Buffer } | { readonly missing: string }

/** Returns the file name of a known library's address; undefined for every other address. */
export function libraryFileName(address: string): string | undefined {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || !libraryHosts.includes(url.host)) return undefined
  return gsapPath.exec(url.pathname)?.[1]
}

/** Reads the script for a known library's address; undefined for every other address. */
export async function loadLibrary(address: string): Promise<LoadLibraryResult | undefined> {
  const file = libraryFileName(address)
  if (file === undefined) return undefined
  const missing = `needs GSAP 3 (${address}), which is not installed: run npm install gsap@3 in the folder of Reelwright, or put its source into a <script> of the particle`
  try {
    const { resolve } = createRequire(import.meta.url)
    const manifest: unknown = JSON.parse(await readFile(resolve('gsap/package.json'), 'utf8'))
    return isVersion3(manifest) ? { script: await readFile(resolve(`gsap/dist/${file}`)) } : { missing }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'MODULE_NOT_FOUND' || code === 'ENOENT' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      return { missing }
    }
    throw error
  }
}

function isVersion3(manifest: unknown): boolean {
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return false
  return typeof manifest.version === 'string' && manifest.version.startsWith('3.')
}
