import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { homeFolder, searchPath } from '../../platform/environment.ts'
import { errorCode } from '../../platform/system-error.ts'
import { runChild } from './child.ts'

/** A usable ffmpeg installation and its features. */
export interface Ffmpeg {
  /** Path, or the bare name if it is found through PATH. */
  readonly ffmpeg: string
  readonly ffprobe: string
  readonly version: string
  readonly encoders: ReadonlySet<string>
  readonly filters: ReadonlySet<string>
  /** Identifies the program file, to detect that it was replaced. */
  readonly stamp: string
}

let configuredPath: string | undefined
let located: Promise<Ffmpeg> | undefined

/** Sets the configured path. ffmpeg is inspected on first use. */
export function setFfmpeg(configured: string | undefined): void {
  configuredPath = configured
  located = undefined
}

/**
 * Finds ffmpeg and ffprobe once per process: at the configured path, which is remembered for later calls,
 * else in PATH, else in the usual folders. Throws MediaError 6401, not retryable, with this platform's
 * install command as hint.
 */
export function locateFfmpeg(configured: string | undefined = configuredPath): Promise<Ffmpeg> {
  if (located && configured === configuredPath) return located
  setFfmpeg(configured)
  const search =
    configured === undefined
      ? findUsableFfmpeg(defaultCandidates())
      : findUsableFfmpeg([configured], `the configured ${configured} ${notFound}`)
  located = search
  // A failure is not cached, because the user may install ffmpeg while the service runs.
  search.catch(() => {
    if (located === search) located = undefined
  })
  return search
}

/** Returns the ffmpeg that this process found, or undefined if it found none or the program was replaced. */
export async function currentFfmpeg(): Promise<Ffmpeg | undefined> {
  const current = await located?.catch(() => undefined)
  return current && current.stamp === stampOf(current.ffmpeg) ? current : undefined
}

/** Adopts an ffmpeg that another thread or process of the service found. */
export function useFfmpeg(found: Ffmpeg): void {
  located = Promise.resolve({ ...found, stamp: stampOf(found.ffmpeg) })
}

/** Searches again, ignoring the cached result. A better ffmpeg may have been installed. */
export function relocateFfmpeg(): Promise<Ffmpeg> {
  located = undefined
  return locateFfmpeg()
}

/**
 * Returns the first candidate that runs and has the components every operation requires. Throws 6401, with
 * `absent` as the reason if no candidate exists.
 */
export async function findUsableFfmpeg(
  candidates: readonly string[],
  absent = 'it was not found',
): Promise<Ffmpeg> {
  const reasons: string[] = []
  for (const candidate of candidates) {
    try {
      return await inspect(candidate)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      reasons.push(`${candidate}: ${error.message}`)
    }
  }
  const missing = new Error(reasons.join('\n'))
  const why = reasons.find((reason) => !reason.endsWith(`ffmpeg ${notFound}`)) ?? absent
  throw new MediaError(6401, `ffmpeg is not usable (${why})`, {
    cause: missing,
    retryable: false,
    hint: `${installCommand()}  (or set "ffmpeg" in reelwright.config.json of the data folder to the path of an ffmpeg program).`,
  })
}

/** Oldest supported ffmpeg version. */
const oldestVersion = { major: 4, minor: 4 }

/** Components that every operation requires. Other components are checked where they are used. */
const neededEncoders = ['libx264', 'aac', 'mjpeg']
const neededFilters = ['scale', 'crop', 'overlay', 'xstack', 'amix']

const notFound = 'was not found'
const queryTimeoutMs = 20_000

/** The reason why a candidate is unusable. Never leaves this file. */
class Unusable extends Error {}

async function inspect(ffmpeg: string): Promise<Ffmpeg> {
  const ffprobe = ffprobeBeside(ffmpeg)
  const stamp = stampOf(ffmpeg)
  const output = await queryProgram(ffmpeg, '-filters')
  const version = versionOf(output.banner ?? (await queryProgram(ffmpeg, '-version')).text)
  const beside = await queryProgram(ffprobe, '-encoders')
  // ffprobe of the same build lists the same encoders. Starting a program takes most of a query's time.
  const build = buildOf(output.banner)
  const isSameBuild = build !== undefined && build === buildOf(beside.banner)
  const encoders = parseNames((isSameBuild ? beside : await queryProgram(ffmpeg, '-encoders')).text)
  const filters = parseNames(output.text)
  const absent = [
    ...neededEncoders.filter((name) => !encoders.has(name)),
    ...neededFilters.filter((name) => !filters.has(name)),
  ]
  if (absent.length > 0) throw new Unusable(`it has no ${absent.join(', ')}`)
  return { ffmpeg, ffprobe, version, encoders, filters, stamp }
}

function stampOf(program: string): string {
  const paths =
    basename(program) === program ? searchPath().map((folder) => join(folder, program)) : [program]
  return paths.map(stampOfFile).find((stamp) => stamp !== '') ?? ''
}

function stampOfFile(path: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path)
    return `${dev}/${ino}/${size}/${mtimeMs}`
  } catch {
    // The file does not exist or is not accessible to this user.
    return ''
  }
}

function ffprobeBeside(ffmpeg: string): string {
  const name = basename(ffmpeg).replace('ffmpeg', 'ffprobe')
  return basename(ffmpeg) === ffmpeg ? name : join(dirname(ffmpeg), name)
}

/** Returns the program's output, and the version banner from its log if it prints one. */
async function queryProgram(
  file: string,
  option: string,
): Promise<{ readonly text: string; readonly banner: string | undefined }> {
  const chunks: Buffer[] = []
  try {
    const ended = await runChild({
      file,
      args: [option],
      timeoutMs: queryTimeoutMs,
      onOutput: (chunk) => chunks.push(chunk),
    })
    if (ended.code !== 0)
      throw new Unusable(`it exits with ${ended.signal ?? ended.code} when called with ${option}`)
    const text = Buffer.concat(chunks).toString('utf8')
    return { text, banner: versionLine.test(ended.log) ? ended.log : undefined }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Unusable(`${basename(file)} ${notFound}`)
    if (error instanceof Error && 'syscall' in error) throw new Unusable(error.message)
    throw error
  }
}

const versionLine = /^ff\w+ version (\S+)/m

/**
 * Returns a string that identifies a build, taken from the program's banner, or undefined if it is
 * incomplete.
 */
function buildOf(banner = ''): string | undefined {
  const [, version] = versionLine.exec(banner) ?? []
  const [, configuration] = /^ *configuration: (.+)$/m.exec(banner) ?? []
  return version && configuration && `${version} ${configuration}`
}

function versionOf(banner: string): string {
  const version = versionLine.exec(banner)?.[1]
  if (version === undefined) throw new Unusable('it does not report its version')
  // Builds from the source tree are named by date or commit. They count as new.
  const [, major, minor] = /^n?(\d{1,3})\.(\d+)/.exec(version) ?? []
  if (
    major !== undefined &&
    Number(major) * 100 + Number(minor) < oldestVersion.major * 100 + oldestVersion.minor
  ) {
    throw new Unusable(`version ${version} is older than ${oldestVersion.major}.${oldestVersion.minor}`)
  }
  return version
}

/** Parses names in the table of `-encoders` or `-filters`: flags, name, description. */
function parseNames(table: string): Set<string> {
  return new Set([...table.matchAll(/^ [A-Z.|]{2,8} +(\S+) /gm)].flatMap(([, name]) => name ?? []))
}

function defaultCandidates(): string[] {
  const home = homeFolder()
  const folders = {
    darwin: ['/opt/homebrew/bin', '/usr/local/bin', '/opt/homebrew/opt/ffmpeg-full/bin', '/opt/local/bin'],
    win32: [
      join(home, 'AppData/Local/Microsoft/WinGet/Links'),
      join(home, 'scoop/shims'),
      'C:/ProgramData/chocolatey/bin',
    ],
    other: ['/usr/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin'],
  }
  const { platform } = process
  const name = platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
  const platformFolders = platform === 'darwin' || platform === 'win32' ? folders[platform] : folders.other
  return [name, ...platformFolders.map((folder) => join(folder, name))]
}

/** Returns the command that installs ffmpeg on this machine. */
export function installCommand(): string {
  if (process.platform === 'darwin') return 'brew install ffmpeg'
  if (process.platform === 'win32') return 'winget install --exact --id Gyan.FFmpeg'
  const managers = [
    { program: 'apt-get', command: 'apt-get install -y ffmpeg' },
    { program: 'dnf', command: 'dnf install -y ffmpeg' },
    { program: 'pacman', command: 'pacman -S --noconfirm ffmpeg' },
    { program: 'zypper', command: 'zypper install -y ffmpeg' },
    { program: 'apk', command: 'apk add ffmpeg' },
  ]
  const manager = managers.find(
    ({ program }) => existsSync(`/usr/bin/${program}`) || existsSync(`/sbin/${program}`),
  )
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}${(manager ?? { command: 'apt-get install -y ffmpeg' }).command}`
}

interface RequirePartsOptions {
  /** What requires the components, as the start of a sentence: `talk.mp4 is HDR`. */
  readonly because: string
  /** An alternative for the caller, as the end of a sentence: `convert it to SDR first`. */
  readonly instead: string
}

/** Throws 6401 (not retryable) if the installed ffmpeg is missing one of these filters. */
export function requireFilters(names: readonly string[], need: RequirePartsOptions): Promise<void> {
  return requireParts('filters', names, need)
}

/** Throws 6401 (not retryable) if the installed ffmpeg is missing one of these encoders. */
export function requireEncoders(names: readonly string[], need: RequirePartsOptions): Promise<void> {
  return requireParts('encoders', names, need)
}

async function requireParts(
  kind: 'filters' | 'encoders',
  names: readonly string[],
  { because, instead }: RequirePartsOptions,
): Promise<void> {
  const namesMissing = (ffmpeg: Ffmpeg) => names.filter((name) => !ffmpeg[kind].has(name))
  if (namesMissing(await locateFfmpeg()).length === 0) return
  const missing = namesMissing(await relocateFfmpeg()).join(' and ')
  if (missing === '') return
  throw new MediaError(6401, `${because}, and this ffmpeg has no ${missing}`, {
    retryable: false,
    hint:
      `Install an ffmpeg with ${missing} (full builds have it), set its path as "ffmpeg" in ` +
      `reelwright.config.json of the data folder, and restart the service; or ${instead}.`,
  })
}
