import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, constants, copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { errorCode } from '../../platform/system-error.ts'
import { isHttpUrl } from './download-url.ts'
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

/** Where a pack is put together, and who follows it. */
export interface StagedDownload extends PackDownloadOptions {
  readonly stagingFolder: string
}

/** A file, and where it comes from without a mirror. */
interface DownloadSource extends Artifact {
  readonly address?: string
  readonly item?: NodePackage
}

/** Brings one file of a pack and checks all of it; what is wrong does not stay. Throws 6401. */
export async function downloadVerified(
  packs: Packs,
  source: DownloadSource,
  filling: StagedDownload,
): Promise<void> {
  const goesOn = (await fileSizeOrZero(join(filling.stagingFolder, source.file))) > 0
  let sum = await downloadAndHash(packs, source, filling)
  // What an earlier call left may have been another file's begin.
  if (sum !== source.sha256 && goesOn) sum = await downloadAndHash(packs, source, filling)
  if (sum === source.sha256) return
  throw new MediaError(
    6401,
    `${source.file} is not the file it should be: its SHA-256 is ${sum}, not ${source.sha256}`,
    {
      retryable: false,
      hint: `Nothing of it is used. ${mirrorHint}`,
    },
  )
}

/** Answers the checksum; what has another than it should have is away. */
async function downloadAndHash(
  packs: Packs,
  source: DownloadSource,
  { stagingFolder: part, ...follow }: StagedDownload,
): Promise<string> {
  const place = join(part, source.file)
  await downloadFile(packs, source, { stagingFolder: place, ...follow })
  const size = await fileSizeOrZero(place)
  const sum =
    size === source.bytes ? await fileSha256(place, follow.signal) : `of a file of ${describeSize(size)}`
  if (sum === source.sha256) follow.onProgress?.(size)
  else await removePartialFile(place)
  return sum
}

function fileSizeOrZero(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function downloadFile(
  packs: Packs,
  source: DownloadSource,
  { stagingFolder: part, ...follow }: StagedDownload,
): Promise<void> {
  const { mirror } = packs
  const wanted = { artifact: source, part, ...follow }
  if (mirror !== undefined && !isHttpUrl(mirror)) return await copyFromMirror(mirror, source, part)
  if (mirror !== undefined) {
    return await downloadResumable(`${mirror.replace(/\/*$/, '/')}${encodeURIComponent(source.file)}`, wanted)
  }
  if (source.address !== undefined) return await downloadResumable(source.address, wanted)
  // What npm brought whole was killed while it was unpacked.
  if (source.item && (await fileSizeOrZero(part)) !== source.bytes)
    await downloadWithNpm(source.item, { part, ...follow })
}

async function copyFromMirror(mirror: string, artifact: Artifact, part: string): Promise<void> {
  if (!(await isOnMirror(mirror, artifact))) throw notOnMirrorError(`the mirror ${mirror}`, artifact)
  await removePartialFile(part)
  await copyFile(join(mirror, artifact.file), part, constants.COPYFILE_FICLONE)
  // The copy of what may only be read is as little to be written.
  await chmod(part, 0o644)
}

/** Which file of a pack a mirror that is a folder lacks; undefined where it has all. An address is not asked. */
export async function missingOnMirror({ mirror }: Packs, pack: Pack): Promise<MediaError | undefined> {
  if (mirror === undefined || isHttpUrl(mirror) || !hasBuild(pack)) return undefined
  for (const artifact of packArtifacts(pack)) {
    // Where it lies is the service's own matter.
    if (!(await isOnMirror(mirror, artifact))) return notOnMirrorError('the mirror', artifact)
  }
  return undefined
}

/** Whether a folder holds a file, by its size: what is copied is checked as a whole. */
async function isOnMirror(mirror: string, { file, bytes }: Artifact): Promise<boolean> {
  return await isFileOfSize(join(mirror, file), bytes)
}

/** What answers who wants a file that a mirror lacks. */
function notOnMirrorError(mirror: string, { file, bytes }: Artifact): MediaError {
  return new MediaError(6401, `${mirror} has no ${file} of ${describeSize(bytes)}`, {
    retryable: false,
    hint:
      'Put that file into the folder that models_mirror (REELWRIGHT_MODELS_MIRROR) names, or leave the setting ' +
      'out.',
  })
}

/** Without scripts of anybody's, without a word beside errors, and whatever else people have set for themselves. */
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
 * Puts the packed file of a package into a part, by the user's npm: it knows their registry, keys and proxies, and
 * tells nothing until it has all of it. Throws 6401 where it cannot. The content is not checked.
 */
async function downloadWithNpm(
  { name, version, artifact }: NodePackage,
  { part, signal, onProgress }: PackDownloadOptions & { part: string },
): Promise<void> {
  onProgress?.(0)
  const folder = await mkdtemp(join(dirname(part), 'npm-'))
  try {
    const [program, ...script] = npmCommand()
    await promisify(execFile)(program, [...script, 'pack', `${name}@${version}`, ...npmFlags], {
      cwd: folder,
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw new Error(npmErrorMessage(error), { cause: error })
    })
    const packed = join(folder, artifact.file)
    if (!existsSync(packed)) throw new Error(`it packed no ${artifact.file}`)
    await rename(packed, part)
  } catch (error) {
    signal?.throwIfAborted()
    throw new MediaError(6401, `npm does not bring ${name}@${version}: ${plainMessage(error)}`, {
      cause: error,
      retryable: true,
      hint: `Try again with a network, and npm beside Node. ${mirrorHint}`,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The one that came with this Node, run by it, else that of PATH; Windows, which would need a shell there, has the first. */
function npmCommand(): readonly [string, ...string[]] {
  const beside = dirname(process.execPath)
  const places = [join(beside, 'node_modules'), join(beside, '..', 'lib', 'node_modules')]
  const script = places
    .map((place) => join(place, 'npm', 'bin', 'npm-cli.js'))
    .find((path) => existsSync(path))
  return script === undefined ? ['npm'] : [process.execPath, script]
}

function npmErrorMessage(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'npm was not found'
  const told = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = [...told.matchAll(/^npm (?:error|ERR!) (?!A complete log|code )(.+)$/gm)]
  return lines[0]?.[1] ?? plainMessage(error).split('\n')[0] ?? ''
}

function plainMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
