import { MediaError } from '../contract/errors.ts'
import { toTimestamp } from '../contract/fields.ts'
import type { FoundMaterial, LibraryFindResult, LibraryQuery, MaterialLinks } from '../contract/library.ts'
import type { MaterialLink } from '../contract/library-routes.ts'
import { fillPath, rawRoutes } from '../contract/routes.ts'
import type { Db, MaterialRow } from '../db/schema.ts'
import type { FileStorage } from '../files/content.ts'
import {
  isUnexpired,
  type LinkSignature,
  type LinkSigner,
  openLinkSigner,
  verifySignature,
} from '../files/links.ts'
import { createHasher } from '../platform/hash.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { examineOriginal } from './gone-originals.ts'
import { findGranted } from './grants.ts'
import { goneError, openOriginal } from './materials.ts'
import { findMaterials, type LibrarySearch } from './search.ts'

/** The files of a material. */
const materialParts = ['original', 'accompaniment', 'cover', 'preview', 'thumb'] as const
export type MaterialPart = (typeof materialParts)[number]

/** Parts whose links expire; those of the others show what a material is, and are valid for ever (contract 3, 4.1). */
const expiringParts: readonly MaterialPart[] = ['original', 'accompaniment']

/** How long download links are valid, seconds: 24 h (contract 3, 4.1). */
const linkSeconds = 24 * 3600

/** The library with the time. */
interface LinkedLibrary {
  readonly db: Db
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** A material and one of its files, as the path of a link names them. */
export interface LinkTarget {
  readonly id: number
  readonly part: MaterialPart
}

/** Reads the parameters of a link's path; undefined for those of no link. */
export function readLinkTarget(materialId: string, part: string): LinkTarget | undefined {
  const known = materialParts.find((one) => one === part)
  return known && /^[1-9]\d{0,14}$/.test(materialId) ? { id: Number(materialId), part: known } : undefined
}

/** Searches after materials were found whose originals are gone, at most. */
const maxRepeats = 3

/**
 * Searches the library, and links the materials found. Those whose original is gone are marked, and others take their
 * places. Throws the errors of `findMaterials`.
 */
export async function findLinkedMaterials(
  library: LinkedLibrary & { readonly librarySearch: LibrarySearch },
  query: LibraryQuery,
): Promise<LibraryFindResult<MaterialLinks>> {
  for (let repeats = 0; ; repeats += 1) {
    const { results, ...found } = await findMaterials(library, query)
    const rows = await readMaterials(
      library.db,
      results.map(({ id }) => id),
    )
    const states = await Promise.all(
      results.map(async ({ id }) => {
        const row = rows.get(id)
        return row && (await examineOriginal(library.db, row))
      }),
    )
    if (states.includes('gone') && repeats < maxRepeats) continue
    const present = results.filter((_, index) => states[index] === 'present')
    return { ...found, results: await withLinks(library, present, rows) }
  }
}

async function withLinks(
  library: LinkedLibrary,
  results: readonly FoundMaterial[],
  rows: ReadonlyMap<number, MaterialRow>,
): Promise<(FoundMaterial & MaterialLinks)[]> {
  const [sign, expires] = [await openLinkSigner(library.db), String(expiry(library))]
  return results.flatMap((result) => {
    const row = rows.get(result.id)
    return row ? [{ ...result, ...createLinks(sign, row, expires) }] : []
  })
}

/**
 * Creates fresh links of materials, in the order of the ids. Throws 6004 for one that was not granted to the account,
 * without revealing whether it exists.
 */
export async function linkGrantedMaterials(
  library: LinkedLibrary & FileStorage,
  {
    accountId,
    ids,
    accompaniment,
  }: { readonly accountId: number; readonly ids: readonly number[]; readonly accompaniment: boolean },
): Promise<MaterialLink[]> {
  const granted = await findGranted(library.db, { accountId, ids })
  const rows = await readMaterials(library.db, ids)
  const [sign, expires] = [await openLinkSigner(library.db), expiry(library)]
  const links: MaterialLink[] = []
  for (const id of ids) {
    const row = rows.get(id)
    if (!row || !granted.has(id)) throw notGrantedError(id)
    if ((await examineOriginal(library.db, row)) === 'gone') throw goneError(row.name)
    const { downloadUrl, accompanimentUrl } = createLinks(sign, row, String(expires))
    links.push({
      ...{ id, name: row.name, size: row.size, blake3_id: row.blake3, download_url: downloadUrl },
      ...(accompanimentUrl !== undefined && { accompaniment_url: accompanimentUrl }),
      ...(accompaniment &&
        accompanimentUrl !== undefined &&
        (await limitChecksums(accountId, () => describeAccompaniment(library, id)))),
      expires_at: toTimestamp(1000 * expires),
    })
  }
  return links
}

/** Checksums read whole files: one at a time, in turn for each account. */
const limitChecksums = limitPerAccount({ limit: 1, name: 'checksums of accompaniments' })

/** Name, size and checksum of an accompaniment, of which none is recorded; nothing if the file is gone. */
async function describeAccompaniment(
  storage: FileStorage,
  id: number,
): Promise<Pick<MaterialLink, 'accompaniment'>> {
  try {
    const { name, size, read } = await openOriginal(storage, id, 'accompaniment')
    const hasher = await createHasher()
    for await (const chunk of await read()) hasher.update(chunk as Buffer)
    return { accompaniment: { name, size, blake3_id: hasher.digest() } }
  } catch (error) {
    if (error instanceof MediaError && error.code === 6004) return {}
    throw error
  }
}

function notGrantedError(id: number): MediaError {
  return new MediaError(6004, `material ${id} does not exist, or no search of this account returned it`, {
    hint: 'Search again: a search grants what it returns.',
  })
}

/** Whether a signature opens a file of a material at a time, ms. */
export async function verifyMaterialLink(
  db: Db,
  target: LinkTarget,
  { expires, sign, now }: LinkSignature & { readonly now: number },
): Promise<boolean> {
  const isValid = expiringParts.includes(target.part) ? isUnexpired(expires, now) : expires === ''
  return isValid && (await verifySignature(db, signedSubject(target), { expires, sign }))
}

function createLinks(sign: LinkSigner, row: MaterialRow, expires: string): MaterialLinks {
  const hasAccompaniment = row.audio_type === 'song' && row.accompaniment !== null
  return {
    downloadUrl: createLink(sign, { id: row.id, part: 'original' }, expires),
    ...(hasAccompaniment && {
      accompanimentUrl: createLink(sign, { id: row.id, part: 'accompaniment' }, expires),
    }),
    ...createPreviewLinks(sign, row),
  }
}

/** Links what shows a material, for ever. */
export function createPreviewLinks(
  sign: LinkSigner,
  row: MaterialRow,
): Pick<MaterialLinks, 'coverUrl' | 'previewUrl' | 'thumbUrl'> {
  const link = (part: 'cover' | 'preview' | 'thumb') => createLink(sign, { id: row.id, part }, '')
  return {
    ...(row.cover !== null && { coverUrl: link('cover') }),
    ...(row.preview !== null && { previewUrl: link('preview') }),
    ...(row.thumb !== null && { thumbUrl: link('thumb') }),
  }
}

/** expires: seconds since 1970; empty for a link that does not expire. */
function createLink(sign: LinkSigner, target: LinkTarget, expires: string): string {
  const query = new URLSearchParams({
    ...(expires !== '' && { expires }),
    sign: sign(signedSubject(target), expires),
  })
  const path = fillPath(rawRoutes.downloadMaterial.path, {
    ...{ material_id: String(target.id), part: target.part },
  })
  return `${path}?${query.toString()}`
}

/** When a link that is created now expires, seconds since 1970. */
function expiry({ clock }: LinkedLibrary): number {
  return Math.floor(clock() / 1000) + linkSeconds
}

/** What a link signs; ids of files are digits, so that no link of a file has it. */
function signedSubject({ id, part }: LinkTarget): string {
  return `material ${id} ${part}`
}

async function readMaterials(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, MaterialRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('materials').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
