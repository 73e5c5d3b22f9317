import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { errorCode } from '../../platform/system-error.ts'
import { searchPath } from '../../platform/environment.ts'
import { runChild } from './child.ts'

/** An ffmpeg that can do the work, with what it has. */
export interface Ffmpeg {
  /** Path, or the bare name when it is found through PATH. */
  readonly ffmpeg: string
  readonly ffprobe: string
  readonly version: string
  readonly encoders: ReadonlySet<string>
  readonly filters: ReadonlySet<string>
  /** Tells the program from one that took its place. */
  readonly stamp: string
}

let configuredPath: string | undefined
let located: Promise<Ffmpeg> | undefined

/** Sets the configured path; ffmpeg is looked at when it is first needed. */
export function setFfmpeg(configured: string | undefined): void {
  configuredPath = configured
  located = undefined
}

/**
 * Finds ffmpeg and ffprobe once per process: the configured path, which is remembered for calls
 * without one, else PATH, else the usual folders. Throws MediaError 6401 (not retryable, its hint
 * the install command of this platform).
 */
export function locateFfmpeg(configured: string | undefined = configuredPath): Promise<Ffmpeg> {
  if (located && configured === configuredPath) return located
  setFfmpeg(configured)
  const mine =
    configured === undefined
      ? findUsableFfmpeg(usualPlaces())
      : findUsableFfmpeg([configured], `the configured ${configured} ${notFound}`)
  located = mine
  // A failure is not remembered: the user may install ffmpeg while the service runs.
  mine.catch(() => {
    if (located === mine) located = undefined
  })
  return mine
}

/** What this process has found, where it has looked and found one, and none has taken its place. */
export async function currentFfmpeg(): Promise<Ffmpeg | undefined> {
  const found = await located?.catch(() => undefined)
  return found && found.stamp === stampOf(found.ffmpeg) ? found : undefined
}

/** What another thread or process of the service found is found here too. */
export function useFfmpeg(found: Ffmpeg): void {
  located = Promise.resolve({ ...found, stamp: stampOf(found.ffmpeg) })
}

/** As `locateFfmpeg`, after forgetting what was found: a better one may have been installed since. */
export function relocateFfmpeg(): Promise<Ffmpeg> {
  located = undefined
  return locateFfmpeg()
}

/** The first of these ffmpeg programs that runs and has the parts every operation needs; 6401, with `absent` where none is there. */
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
  const told = reasons.find((reason) => !reason.endsWith(`ffmpeg ${notFound}`)) ?? absent
  throw new MediaError(6401, `ffmpeg is not usable (${told})`, {
    cause: missing,
    retryable: false,
    hint: `${installCommand()}  (or name the path of an ffmpeg program: "ffmpeg" in reelwright.config.json of the data folder).`,
  })
}

/** Oldest ffmpeg taken. */
const oldest = { major: 4, minor: 4 }

/** What every operation needs; more special parts are asked for where they are used. */
const neededEncoders = ['libx264', 'aac', 'mjpeg']
const neededFilters = ['scale', 'crop', 'overlay', 'xstack', 'amix']

const notFound = 'is not there'
const queryTimeoutMs = 20_000

/** Why a candidate cannot be used; never leaves this file. */
class Unusable extends Error {}

async function inspect(ffmpeg: string): Promise<Ffmpeg> {
  const ffprobe = ffprobeBeside(ffmpeg)
  const stamp = stampOf(ffmpeg)
  const told = await queryProgram(ffmpeg, '-filters')
  const version = versionOf(told.banner ?? (await queryProgram(ffmpeg, '-version')).text)
  const beside = await queryProgram(ffprobe, '-encoders')
  // Of the same build it tells the same. To start a program takes nearly all of the time that a question does.
  const build = buildOf(told.banner)
  const isSameBuild = build !== undefined && build === buildOf(beside.banner)
  const encoders = parseNames((isSameBuild ? beside : await queryProgram(ffmpeg, '-encoders')).text)
  const filters = parseNames(told.text)
  const lacking = [
    ...neededEncoders.filter((name) => !encoders.has(name)),
    ...neededFilters.filter((name) => !filters.has(name)),
  ]
  if (lacking.length > 0) throw new Unusable(`it lacks ${lacking.join(', ')}`)
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
    // Nothing is there, or nothing that this user may use.
    return ''
  }
}

function ffprobeBeside(ffmpeg: string): string {
  const name = basename(ffmpeg).replace('ffmpeg', 'ffprobe')
  return basename(ffmpeg) === ffmpeg ? name : join(dirname(ffmpeg), name)
}

/** What a program tells when it is asked, and of itself before that, if it does. */
async function queryProgram(
  file: string,
  question: string,
): Promise<{ readonly text: string; readonly banner: string | undefined }> {
  const answer: Buffer[] = []
  try {
    const ended = await runChild({
      file,
      args: [question],
      timeoutMs: queryTimeoutMs,
      onOutput: (chunk) => answer.push(chunk),
    })
    if (ended.code !== 0)
      throw new Unusable(`it ends with ${ended.signal ?? ended.code} when asked for ${question}`)
    const text = Buffer.concat(answer).toString('utf8')
    return { text, banner: versionLine.test(ended.log) ? ended.log : undefined }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Unusable(`${basename(file)} ${notFound}`)
    if (error instanceof Error && 'syscall' in error) throw new Unusable(error.message)
    throw error
  }
}

const versionLine = /^ff\w+ version (\S+)/m

/** What tells builds apart in a program's banner; undefined where that is not told. */
function buildOf(banner = ''): string | undefined {
  const [, version] = versionLine.exec(banner) ?? []
  const [, configuration] = /^ *configuration: (.+)$/m.exec(banner) ?? []
  return version && configuration && `${version} ${configuration}`
}

function versionOf(answer: string): string {
  const version = versionLine.exec(answer)?.[1]
  if (version === undefined) throw new Unusable('it does not tell its version')
  // Builds from the source tree are named by date or commit and are taken as new.
  const [, major, minor] = /^n?(\d{1,3})\.(\d+)/.exec(version) ?? []
  if (major !== undefined && Number(major) * 100 + Number(minor) < oldest.major * 100 + oldest.minor) {
    throw new Unusable(`version ${version} is older than ${oldest.major}.${oldest.minor}`)
  }
  return version
}

/** Names in the table that `-encoders` and `-filters` print: flags, name, description. */
function parseNames(table: string): Set<string> {
  return new Set([...table.matchAll(/^ [A-Z.|]{2,8} +(\S+) /gm)].flatMap(([, name]) => name ?? []))
}

function usualPlaces(): string[] {
  const home = homedir()
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
  const here = platform === 'darwin' || platform === 'win32' ? folders[platform] : folders.other
  return [name, ...here.map((folder) => join(folder, name))]
}

/** The command that installs ffmpeg on this machine. */
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
  const here = managers.find(
    ({ program }) => existsSync(`/usr/bin/${program}`) || existsSync(`/sbin/${program}`),
  )
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}${(here ?? { command: 'apt-get install -y ffmpeg' }).command}`
}
