import { existsSync } from 'node:fs'
import { chmod, constants, copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { errorCode } from '../../platform/system-error.ts'
import { type FfmpegChildOptions, runChild } from '../ffmpeg/child.ts'
import { isHttpUrl } from './allowed-url.ts'
import { hasBuild, packArtifacts } from './machine.ts'
import type { Artifact, NodePackage, Pack } from './manifest.ts'
import {
  downloadResumable,
  mirrorHint,
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
  // The copy of a read-only file is read-only as well.
  await chmod(part, 0o644)
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
    hint: 'Put that file into the folder set as models_mirror (REELWRIGHT_MODELS_MIRROR), or remove the setting.',
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
  '--pack-destination=.',
]

/**
 * Downloads the packed file of a package with the user's npm, which knows their registry, keys and proxies. Reports no
 * progress before the end. Does not verify the content. Throws 6401 if npm fails.
 */
async function downloadWithNpm(
  { name, version, artifact }: NodePackage,
  { part, signal, onProgress }: PackDownloadOptions & { part: string },
): Promise<void> {
  onProgress?.(0)
  const folder = await mkdtemp(join(dirname(part), 'npm-'))
  try {
    const [program, ...script] = npmCommand()
    await runNpm(
      { file: program, args: [...script, 'pack', `${name}@${version}`, ...npmFlags], signal },
      folder,
    )
    const packed = join(folder, artifact.file)
    if (!existsSync(packed)) throw new Error(`npm created no ${artifact.file}`)
    await rename(packed, part)
  } catch (error) {
    signal?.throwIfAborted()
    throw new MediaError(6401, `npm cannot download ${name}@${version}: ${plainMessage(error)}`, {
      cause: error,
      retryable: true,
      hint: `Check the network connection and that npm is installed with Node. ${mirrorHint}`,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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

/** Runs npm in a folder. Throws an Error with the first line that explains the failure. */
async function runNpm(
  command: Pick<FfmpegChildOptions, 'file' | 'args' | 'signal'>,
  cwd: string,
): Promise<void> {
  const limits = { timeoutMs: npmTimeoutMs, stallMs: npmStallMs }
  const { code, log, timedOut, stalledMs } = await runChild({ ...command, ...limits, cwd }).catch(
    (error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? new Error('npm was not found', { cause: error }) : error
    },
  )
  if (timedOut || stalledMs !== undefined) throw new Error('npm made no progress')
  if (code === 0) return
  const [first] = [...log.matchAll(/^npm (?:error|ERR!) (?!A complete log|code )(.+)$/gm)]
  throw new Error(first?.[1] ?? `npm exited with ${code}`, { cause: new Error(log) })
}

function plainMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
