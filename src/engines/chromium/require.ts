import { basename } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { searchPath } from '../../platform/search-path.ts'
import { findChromium } from './locate.ts'

/** The program of the browser that captures. Throws 6401 with the command that installs one. */
export function locateChromium(): string {
  const found = findChromium(searchPath())
  if (found !== undefined) return found
  throw new MediaError(6401, 'Chromium was not found, which plays HTML', {
    retryable: false,
    hint: chromiumInstallCommand(),
  })
}

/** The first version with all that the player of particles uses (`Promise.withResolvers` was the last). */
const minVersion = 119

/** Throws 6401 for a browser that is too old, by what it calls itself, such as `Chrome/118.0.5993.70`. */
export function requireSupportedVersion(product: string): void {
  if (!(Number(/\/(\d+)/.exec(product)?.[1]) < minVersion)) return
  throw new MediaError(6401, `${product} is too old to play HTML; version ${minVersion} or later does`, {
    retryable: false,
    hint: chromiumInstallCommand(),
  })
}

/** Whether browsers run in their sandbox: it does not start for root, as in a container. */
export function canUseSandbox(): boolean {
  return process.getuid?.() !== 0
}

/** Whether this program draws frames on command: only the headless shell does, and not known to on macOS. */
export function supportsBeginFrame(program: string): boolean {
  return process.platform !== 'darwin' && /headless[-_]shell/.test(basename(program))
}

function chromiumInstallCommand(): string {
  if (process.platform === 'darwin' || process.platform === 'win32') {
    return 'npx playwright install chromium-headless-shell'
  }
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}apt-get install -y chromium-headless-shell  (elsewhere: npx playwright install chromium-headless-shell)`
}
