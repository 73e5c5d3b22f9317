import { chmod, constants, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { isHttpUrl } from './address.ts'
import type { Artifact, NodePackage } from './manifest.ts'
import { isOnMirror, notOnMirrorError } from './mirror.ts'
import { downloadWithNpm } from './npm.ts'
import { removePartialFile, mirrorHint, downloadResumable, type PackDownloadOptions } from './receive.ts'
import { fileSha256 } from './sha256.ts'
import type { Packs } from './store.ts'

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
