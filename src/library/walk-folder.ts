import type { BigIntStats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import { findPrivateFolder, type PrivateFolder, privateFolderByName } from '../platform/private-folders.ts'
import { errorCode } from '../platform/system-error.ts'
import { noSoundFile, readSidecar } from './sidecar.ts'

/** A media file in a folder. */
export interface MediaFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Modification time, ms. */
  readonly modifiedAt: number
  /** Name of its sidecar in the same folder. */
  readonly sidecar: string | undefined
  /** Name of the accompaniment of a song in the same folder, as its sidecar states it. */
  readonly accompaniment: string | undefined
  /** Equal for the same state of the sidecar; null without one. */
  readonly sidecarState: string | null
}

/** A file that is not imported. */
export interface SkippedFile {
  readonly path: string
  readonly reason: string
}

/** Content of a folder at any depth, in the order of names. */
export interface FolderContent {
  readonly files: readonly MediaFile[]
  readonly skipped: readonly SkippedFile[]
  /** Number of files that are no media, by extension. */
  readonly others: ReadonlyMap<string, number>
  /** Number of hidden files and folders. */
  readonly hidden: number
  /** Number of sound files that are the accompaniment of a song, and no material of their own. */
  readonly accompaniments: number
}

/** Deepest level of folders that is read. */
const maxDepth = 64

/**
 * Lists the media files of a folder. Symbolic links are not followed: what they name inside the folder is listed by its own
 * path. Hidden files and folders, whose names begin with a dot, are left out; so are those of the service, also if they have
 * another name here. root: real path.
 */
export async function walkFolder(
  root: string,
  privateFolders: readonly PrivateFolder[],
): Promise<FolderContent> {
  const walk = new Walk(root, privateFolders)
  await walk.visit('', 0)
  return walk
}

class Walk implements FolderContent {
  readonly files: MediaFile[] = []
  readonly skipped: SkippedFile[] = []
  readonly others = new Map<string, number>()
  hidden = 0
  accompaniments = 0
  readonly #root: string
  readonly #private: readonly PrivateFolder[]

  constructor(root: string, privateFolders: readonly PrivateFolder[]) {
    this.#root = root
    this.#private = privateFolders
  }

  /** Visits a folder by its relative path, which ends in a slash unless it is the root. */
  async visit(folder: string, depth: number): Promise<void> {
    const absolute = join(this.#root, folder)
    if (depth > maxDepth) return this.#skip(folder, `it is in more than ${maxDepth} folders`)
    if (await findPrivateFolder(this.#private, absolute))
      return this.#skip(folder, 'only the service uses this folder')
    const names = await readdir(absolute).catch((error: unknown) => {
      this.#skip(folder, `the folder cannot be read (${errorCode(error)})`)
      return []
    })
    const files = new Map<string, BigIntStats>()
    const folders: string[] = []
    const visible = names.filter((name) => !name.startsWith('.'))
    this.hidden += names.length - visible.length
    for (const name of visible.toSorted(compareText)) {
      const stats = await this.#examine(folder, name)
      if (stats?.isDirectory()) folders.push(name)
      else if (stats) files.set(name, stats)
    }
    await this.#addFiles(folder, files)
    for (const name of folders) await this.visit(`${folder}${name}/`, depth + 1)
  }

  /** Returns a folder or regular file; undefined for anything else. */
  async #examine(folder: string, name: string): Promise<BigIntStats | undefined> {
    const path = `${folder}${name}`
    if (name.includes('\uFFFD')) return this.#skip(path, 'its name is not UTF-8')
    const absolute = join(this.#root, path)
    const stats = await lstat(absolute, { bigint: true }).catch((error: unknown) => {
      this.#skip(path, `it cannot be read (${errorCode(error)})`)
    })
    if (!stats || stats.isDirectory()) return stats ?? undefined
    if (stats.isSymbolicLink()) return this.#skip(path, 'symbolic links are not followed')
    if (!stats.isFile()) return this.#skip(path, 'it is no regular file')
    const isPrivate =
      privateFolderByName(this.#private, absolute) !== undefined ||
      (stats.nlink > 1n && (await findPrivateFolder(this.#private, absolute, stats)) !== undefined)
    return isPrivate ? this.#skip(path, 'only the service uses this file') : stats
  }

  async #addFiles(folder: string, files: ReadonlyMap<string, BigIntStats>): Promise<void> {
    const media = [...files.keys()].filter(isMedia)
    const sidecars = new Map(media.map((name) => [name, sidecarOf(name, files)]))
    const named = await this.#namedAccompaniments(folder, sidecars)
    const problems = new Map([...named].map((pair) => [pair[0], accompanimentProblem(pair, named, files)]))
    const accompaniments = new Map([...named].filter(([song]) => problems.get(song) === undefined))
    const sounds = new Set(accompaniments.values())
    this.accompaniments += sounds.size
    const used = new Set([...sidecars.values(), ...sounds])
    for (const [name, stats] of files) {
      if (used.has(name)) continue
      if (!sidecars.has(name)) {
        const extension = extensionOf(name)
        this.others.set(extension, (this.others.get(extension) ?? 0) + 1)
        continue
      }
      const problem = problems.get(name)
      if (problem !== undefined) {
        this.#skip(`${folder}${name}`, problem)
        continue
      }
      const [sidecar, accompaniment] = [sidecars.get(name), accompaniments.get(name)]
      const states = [sidecar, accompaniment].flatMap((beside) => files.get(beside ?? '') ?? [])
      this.files.push({
        ...{ path: `${folder}${name}`, size: Number(stats.size), modifiedAt: Number(stats.mtimeMs) },
        ...{ sidecar, accompaniment, sidecarState: states.length > 0 ? fileStates(states) : null },
      })
    }
  }

  /** Returns the files that sidecars of a folder name as accompaniment, by their song. */
  async #namedAccompaniments(
    folder: string,
    sidecars: ReadonlyMap<string, string | undefined>,
  ): Promise<ReadonlyMap<string, string>> {
    const named = new Map<string, string>()
    for (const [name, sidecar] of sidecars) {
      if (sidecar === undefined || kindOf(extensionOf(name)) !== 'audio') continue
      // An invalid one is reported when its file is imported.
      const read = await readSidecar(this.#root, `${folder}${sidecar}`).catch(() => undefined)
      if (read?.accompaniment !== undefined) named.set(name, read.accompaniment)
    }
    return named
  }

  #skip(path: string, reason: string): undefined {
    this.skipped.push({ path, reason })
  }
}

/** Returns why a file cannot be the accompaniment of a song; undefined if it can. named: all accompaniments, by song. */
function accompanimentProblem(
  [song, accompaniment]: readonly [string, string],
  named: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, BigIntStats>,
): string | undefined {
  if (accompaniment === song) return 'its sidecar names the file itself as accompaniment'
  const isSound =
    kindOf(extensionOf(accompaniment)) === 'audio' && (files.get(accompaniment)?.size ?? 0n) > 0n
  if (!isSound) return noSoundFile
  // Files of one name with different extensions have the same sidecar.
  const own = named.get(accompaniment)
  return own === undefined || own === accompaniment
    ? undefined
    : 'the accompaniment that the sidecar names has an accompaniment itself'
}

/** Returns a text that is equal for the same sizes and modification times. */
export function fileStates(states: readonly Pick<BigIntStats, 'size' | 'mtimeMs'>[]): string {
  return states.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`).join(' ')
}

/** Order of names, the same on every machine. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

function isMedia(name: string): boolean {
  return ['image', 'audio', 'video'].includes(kindOf(extensionOf(name)) ?? '')
}

/** Returns the sidecar of a media file: `<name>.json` with or without the extension of the file. */
function sidecarOf(name: string, files: ReadonlyMap<string, unknown>): string | undefined {
  const stem = basename(name).slice(0, name.length - extensionOf(name).length)
  return [`${name}.json`, `${stem}.json`].find((sidecar) => files.has(sidecar))
}
