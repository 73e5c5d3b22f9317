import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { errorCode } from '../../platform/error-code.ts'

/** Where particles usually load libraries from. */
export const libraryHosts = ['cdn.jsdelivr.net', 'unpkg.com', 'cdnjs.cloudflare.com']

/**
 * GSAP, of one major version, as those places address it: package@version/dist/file or gsap/version/file. Its
 * licence is not an open one, so it is not part of this project and only there when the user installed it.
 */
const gsapPath =
  /^\/(?:npm\/|ajax\/libs\/)?gsap(?:@|\/)3(?:\.\d+){0,2}(?:\/dist)?\/([A-Za-z]+(?:\.min)?\.js)$/

/** The file that answers an address: of a known library that is installed here, or what to do to have it. */
export type LoadLibraryResult = { readonly script: Buffer } | { readonly missing: string }

/** The file of a known library that an address names; undefined for every other address. */
export function libraryFileName(address: string): string | undefined {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || !libraryHosts.includes(url.host)) return undefined
  return gsapPath.exec(url.pathname)?.[1]
}

/** Answers an address of a known library; undefined for every other address. */
export async function loadLibrary(address: string): Promise<LoadLibraryResult | undefined> {
  const file = libraryFileName(address)
  if (file === undefined) return undefined
  const missing = `needs GSAP 3 (${address}), which is not installed here: run npm install gsap@3 where Reelwright is installed, or put its text into a <script> of the particle`
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
