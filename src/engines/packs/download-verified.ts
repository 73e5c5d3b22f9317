import { existsSync } from 'node:fs'
import { chmod, constants, copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { retry } from '../../platform/retry.ts'
import { errorCode } from '../../platform/system-error.ts'
import { type FfmpegChildOptions, runChild } from '../ffmpeg/child.ts'
import { isHttpUrl } from './allowed-url.ts'
import { hasBuild, packArtifacts } from './machine.ts'
import type { Artifact, NodePackage, Pack } from './manifest.ts'
import {
  downloadResumable,
  mirrorHint,
  networkHint,
  type PackDownloadOptions,
  removePartialFile,
} from './resumable-download.ts'
import { fileSha256 } from './sha256.ts'
import { isFileOfSize, type Packs } from './store.ts'

/** The folder in which a pack is assembled before it is published, and the options of its downloads. */
export interface StagedDownload extends PackDownloadOptions {
  readonly stagingFolder: string
}

/** A file and its origin when no mirror is set. */
interface DownloadSource extends Artifact {
  readonly address?: string
  readonly item?: NodePackage
}

/** Downloads one file of a pack and verifies its checksum. Removes a file that does not match. Throws 6401. */
export async function downloadVerified(
  packs: Packs,
  source: DownloadSource,
  staged: StagedDownload,
): Promise<void> {
  const isResumed = (await fileSizeOrZero(join(staged.stagingFolder, source.file))) > 0
  let sum = await downloadAndHash(packs, source, staged)
  // The bytes of an earlier call may have belonged to another file.
  if (sum !== source.sha256 && isResumed) sum = await downloadAndHash(packs, source, staged)
  if (sum === source.sha256) return
  throw new MediaError(
    6401,
    `${source.file} is not the expected file: found ${sum}, expected SHA-256 ${source.sha256}`,
    {
      retryable: false,
      hint: `The file was discarded. ${mirrorHint}`,
    },
  )
}

/** Downloads a file and returns its SHA-256, or its size as text if that is wrong. Removes a wrong file. */
async function downloadAndHash(
  packs: Packs,
  source: DownloadSource,
  { stagingFolder: part, ...options }: StagedDownload,
): Promise<string> {
  const path = join(part, source.file)
  await downloadArtifact(packs, source, { stagingFolder: path, ...options })
  const size = await fileSizeOrZero(path)
  const sum = size === source.bytes ? await fileSha256(path, options.signal) : describeSize(size)
  if (sum === source.sha256) options.onProgress?.(size)
  else await removePartialFile(path)
  return sum
}

function fileSizeOrZero(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function downloadArtifact(
  packs: Packs,
  source: DownloadSource,
  { stagingFolder: part, ...options }: StagedDownload,
): Promise<void> {
  const { mirror } = packs
  const download = { artifact: source, part, ...options }
  if (mirror !== undefined && !isHttpUrl(mirror)) return await copyFromMirror(mirror, source, part)
  if (mirror !== undefined) {
    return await downloadResumable(
      `${mirror.replace(/\/*$/, '/')}${encodeURIComponent(source.file)}`,
      download,
    )
  }
  if (source.address !== undefined) return await downloadResumable(source.address, download)
  // A complete file of npm remains when an earlier call was killed while it unpacked the file.
  if (source.item && (await fileSizeOrZero(part)) !== source.bytes)
    await downloadWithNpm(source.item, { part, ...options })
}

async function copyFromMirror(mirror: string, artifact: Artifact, part: string): Promise<void> {
  if (!(await isOnMirror(mirror, artifact))) throw notOnMirrorError(`the mirror ${mirror}`, artifact)
  await removePartialFile(part)
  await copyFile(join(mirror, artifact.file), part, constants.COPYFILE_FICLONE)
  // The copy has the mode of the original, which may be read-only or open to others.
  await chmod(part, 0o600)
}

/**
 * Returns the error for the first file of a pack that is missing in a mirror folder; undefined if none is. Does not
 * check mirrors that are addresses.
 */
export async function missingOnMirror({ mirror }: Packs, pack: Pack): Promise<MediaError | undefined> {
  if (mirror === undefined || isHttpUrl(mirror) || !hasBuild(pack)) return undefined
  for (const artifact of packArtifacts(pack)) {
    // The path of the mirror is not shown to clients.
    if (!(await isOnMirror(mirror, artifact))) return notOnMirrorError('the mirror', artifact)
  }
  return undefined
}

/** Whether a mirror folder contains a file of the right size. The checksum is verified after copying. */
async function isOnMirror(mirror: string, { file, bytes }: Artifact): Promise<boolean> {
  return await isFileOfSize(join(mirror, file), bytes)
}

/** The error for a file that a mirror does not contain. */
function notOnMirrorError(mirror: string, { file, bytes }: Artifact): MediaError {
  return new MediaError(6401, `${mirror} has no ${file} of ${describeSize(bytes)}`, {
    retryable: false,
    hint: `Put ${file} into the folder set as models_mirror (REELWRIGHT_MODELS_MIRROR), or remove the setting.`,
  })
}

/** Runs no scripts, prints errors only, and overrides settings of the user that would change the result. */
const npmFlags = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--dry-run=false',
  // Retried here, so that each attempt is reported and a missing network fails at once.
  '--fetch-retries=0',
  '--pack-destination=.',
]

/** Delays before the second and the third attempt with npm, ms. */
const npmRetryDelaysMs = [2_000, 10_000]

/**
 * Downloads the packed file of a package with the user's npm, which knows their registry, keys and proxies. Reports no
 * progress before the end. Does not verify the content. Throws 6401 if npm fails.
 */
async function downloadWithNpm(
  item: NodePackage,
  options: PackDownloadOptions & { part: string },
): Promise<void> {
  const { signal, pause, onProgress, onRetry } = options
  onProgress?.(0)
  const attempt = (failures: number): Promise<void> => {
    if (failures > 0) onRetry?.(failures + 1)
    return packWithNpm(item, options)
  }
  const delayAfter = (error: unknown, failures: number): number => {
    signal?.throwIfAborted()
    const delay = npmRetryDelaysMs[failures - 1]
    if (delay === undefined || !isPassingNpmFailure(error)) throw npmError(item, error)
    return delay
  }
  await retry(attempt, { signal, wait: pause, delayAfter })
}

/** A failed run of npm. */
class NpmFailure extends Error {
  /** What npm printed. */
  readonly log: string

  constructor(
    message: string,
    { log = '', cause }: { readonly log?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.log = log
  }
}

/** Runs `npm pack` once and moves the packed file to its place. */
async function packWithNpm(
  { name, version, artifact }: NodePackage,
  { part, signal }: PackDownloadOptions & { part: string },
): Promise<void> {
  const folder = await mkdtemp(join(dirname(part), 'npm-'))
  try {
    const [program, ...script] = npmCommand()
    await runNpm(
      { file: program, args: [...script, 'pack', `${name}@${version}`, ...npmFlags], signal },
      folder,
    )
    const packed = join(folder, artifact.file)
    if (!existsSync(packed)) throw new NpmFailure(`npm created no ${artifact.file}`)
    await rename(packed, part)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Output of npm after the failure of a connection, which another attempt may not meet. */
const connectionFailures = /\b(ECONNRESET|ECONNREFUSED|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E5\d\d|EAI_FAIL)\b/

/** Output of npm where the address of a host was not found. */
const unresolvedHosts = /\b(ENOTFOUND|EAI_AGAIN)\b/

function isPassingNpmFailure(error: unknown): boolean {
  return error instanceof NpmFailure && connectionFailures.test(error.log)
}

function npmError({ name, version }: NodePackage, cause: unknown): MediaError {
  const isOffline = cause instanceof NpmFailure && unresolvedHosts.test(cause.log)
  const hint = isOffline ? networkHint : 'Check the network connection and that npm is installed with Node.'
  return new MediaError(6401, `npm cannot download ${name}@${version}: ${plainMessage(cause)}`, {
    cause,
    retryable: !isOffline,
    hint: `${hint} ${mirrorHint}`,
  })
}

/**
 * Returns the npm that is installed with this Node, otherwise the one on PATH. On Windows the first one always exists,
 * so that no shell is needed.
 */
function npmCommand(): readonly [string, ...string[]] {
  const nodeFolder = dirname(process.execPath)
  const moduleFolders = [join(nodeFolder, 'node_modules'), join(nodeFolder, '..', 'lib', 'node_modules')]
  const script = moduleFolders
    .map((path) => join(path, 'npm', 'bin', 'npm-cli.js'))
    .find((path) => existsSync(path))
  return script === undefined ? ['npm'] : [process.execPath, script]
}

/** Time limit of one package, ms: the largest has about 100 MB. */
const npmTimeoutMs = 60 * 60_000

/** Longest time without progress, ms: npm itself waits five minutes for a response before it tries again. */
const npmStallMs = 6 * 60_000

/** Runs npm in a folder. Throws a NpmFailure with the first line that explains the failure. */
async function runNpm(
  command: Pick<FfmpegChildOptions, 'file' | 'args' | 'signal'>,
  cwd: string,
): Promise<void> {
  const limits = { timeoutMs: npmTimeoutMs, stallMs: npmStallMs }
  const { code, log, timedOut, stalledMs } = await runChild({ ...command, ...limits, cwd }).catch(
    (error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? new NpmFailure('npm was not found', { cause: error }) : error
    },
  )
  if (timedOut || stalledMs !== undefined) throw new NpmFailure('npm made no progress', { log })
  if (code === 0) return
  const [first] = [...log.matchAll(/^npm (?:error|ERR!) (?!A complete log|code )(.+)$/gm)]
  throw new NpmFailure(first?.[1] ?? `npm exited with ${code}`, { log })
}

function plainMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
