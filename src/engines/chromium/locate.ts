import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { homeFolder, searchPath } from '../../platform/environment.ts'

/** Program names; the headless shell is first because it is lighter and starts faster. */
const programNames = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'headless_shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Google Chrome',
  'Chromium',
  'chrome',
  'msedge',
].map((name) => (process.platform === 'win32' ? `${name}.exe` : name))

const home = homeFolder()
const { platform } = process

/** Folders of installers that do not change PATH; `*` matches any text. */
const installFolders = {
  darwin: [
    '/opt/homebrew/bin',
    '/usr/local/bin',
    `${home}/Library/Caches/ms-playwright/chromium_headless_shell-*/chrome-*`,
    '/Applications/Google Chrome.app/Contents/MacOS',
    '/Applications/Chromium.app/Contents/MacOS',
  ],
  win32: [
    `${home}/AppData/Local/ms-playwright/chromium_headless_shell-*/chrome-*`,
    'C:/Program Files/Google/Chrome/Application',
    'C:/Program Files (x86)/Google/Chrome/Application',
    `${home}/AppData/Local/Google/Chrome/Application`,
    `${home}/scoop/apps/chromium/current`,
    'C:/Program Files (x86)/Microsoft/Edge/Application',
  ],
  other: [
    '/usr/bin',
    '/usr/local/bin',
    '/usr/lib64/chromium-browser',
    '/home/linuxbrew/.linuxbrew/bin',
    `${home}/.cache/ms-playwright/chromium_headless_shell-*/chrome-*`,
  ],
}
const usualFolders =
  platform === 'darwin' || platform === 'win32' ? installFolders[platform] : installFolders.other

/** Finds Chromium or a browser based on it in the folders of a PATH or in the usual ones; undefined if none is found. */
export function findChromium(path: readonly string[]): string | undefined {
  return findChromiumIn([...path, ...usualFolders])
}

/** Finds it in folders, whose names may contain `*`. A headless shell in any folder precedes a full browser. */
export function findChromiumIn(patterns: readonly string[]): string | undefined {
  const all = patterns.flatMap(expandPattern)
  return programNames.flatMap((name) => all.map((folder) => join(folder, name))).find(isExecutableFile)
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function expandPattern(pattern: string): string[] {
  const [before = '', ...after] = pattern.split('*')
  if (after.length === 0) return [pattern]
  const slash = before.lastIndexOf('/') + 1
  const start = before.slice(slash)
  try {
    return readdirSync(before.slice(0, slash))
      .filter((name) => name.startsWith(start))
      .flatMap((name) => expandPattern(before.slice(0, slash) + name + after.join('*')))
  } catch {
    return []
  }
}

/** Returns the path of the browser. Throws 6401 with the command that installs one. */
export function locateChromium(): string {
  const found = findChromium(searchPath())
  if (found !== undefined) return found
  throw new MediaError(6401, 'Chromium, required to render HTML, was not found', {
    retryable: false,
    hint: chromiumInstallCommand(),
  })
}

/** First version with everything the player script uses (`Promise.withResolvers` came last). */
const minVersion = 119

/** Throws 6401 if the browser is too old. product: such as `Chrome/118.0.5993.70`. */
export function requireSupportedVersion(product: string): void {
  if (!(Number(/\/(\d+)/.exec(product)?.[1]) < minVersion)) return
  throw new MediaError(
    6401,
    `${product} is too old to render HTML; version ${minVersion} or later is required`,
    {
      retryable: false,
      hint: chromiumInstallCommand(),
    },
  )
}

/** Whether the browser can use its sandbox, which does not start for root, as in a container. */
export function canUseSandbox(): boolean {
  return process.getuid?.() !== 0
}

/** Whether this program draws frames on request: the headless shell does, except on macOS. */
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
