import { chmod, constants, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/size.ts'
import { isAddress } from './address.ts'
import type { Artifact, NodePackage } from './manifest.ts'
import { isOnMirror, notOnMirror } from './mirror.ts'
import { fetchByNpm } from './npm.ts'
import { discard, otherSource, receive, type Follow } from './receive.ts'
import { sha256Of } from './sha256.ts'
import type { Packs } from './store.ts'

/** Where a pack is put together, and who follows it. */
export interface Filling extends Follow {
  readonly part: string
}

/** A file, and where it comes from without a mirror. */
interface Source extends Artifact {
  readonly address?: string
  readonly item?: NodePackage
}

/** Brings one file of a pack and checks all of it; what is wrong does not stay. Throws 6401. */
export async function fetchChecked(packs: Packs, source: Source, filling: Filling): Promise<void> {
  const goesOn = (await sizeOf(join(filling.part, source.file))) > 0
  let sum = await fetchOnce(packs, source, filling)
  // What an earlier call left may have been another file's begin.
  if (sum !== source.sha256 && goesOn) sum = await fetchOnce(packs, source, filling)
  if (sum === source.sha256) return
  throw new MediaError(
    6401,
    `${source.file} is not the file it should be: its SHA-256 is ${sum}, not ${source.sha256}`,
    {
      retryable: false,
      hint: `Nothing of it is used. ${otherSource}`,
    },
  )
}

/** Answers the checksum; what has another than it should have is away. */
async function fetchOnce(packs: Packs, source: Source, { part, ...follow }: Filling): Promise<string> {
  const place = join(part, source.file)
  await bring(packs, source, { part: place, ...follow })
  const size = await sizeOf(place)
  const sum =
    size === source.bytes ? await sha256Of(place, follow.signal) : `of a file of ${describeSize(size)}`
  if (sum === source.sha256) follow.onProgress?.(size)
  else await discard(place)
  return sum
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function bring(packs: Packs, source: Source, { part, ...follow }: Filling): Promise<void> {
  const { mirror } = packs
  const wanted = { artifact: source, part, ...follow }
  if (mirror !== undefined && !isAddress(mirror)) return await copyFrom(mirror, source, part)
  if (mirror !== undefined) {
    return await receive(`${mirror.replace(/\/*$/, '/')}${encodeURIComponent(source.file)}`, wanted)
  }
  if (source.address !== undefined) return await receive(source.address, wanted)
  // What npm brought whole was killed while it was unpacked.
  if (source.item && (await sizeOf(part)) !== source.bytes) await fetchByNpm(source.item, { part, ...follow })
}

async function copyFrom(mirror: string, artifact: Artifact, part: string): Promise<void> {
  if (!(await isOnMirror(mirror, artifact))) throw notOnMirror(`the mirror ${mirror}`, artifact)
  await discard(part)
  await copyFile(join(mirror, artifact.file), part, constants.COPYFILE_FICLONE)
  // The copy of what may only be read is as little to be written.
  await chmod(part, 0o644)
}
