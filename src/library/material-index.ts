import { type Selectable, sql } from 'kysely'
import { MediaError } from '../contract/errors.ts'
import type { LibraryScope } from '../contract/library.ts'
import type { MaterialVectorsTable } from '../db/library-schema.ts'
import type { Db } from '../db/schema.ts'
import { type ScannedVector, VectorTable } from './vector-table.ts'

/**
 * Vectors that are kept in memory of each scope, at most: 1 KiB each, so that the service stays below 600 MiB. Of what is
 * read at the same time, further shots of videos and pieces of sounds are left out first; what is read later does not
 * displace them.
 */
const maxVectors: Readonly<Record<LibraryScope, number>> = { clip: 100_000, image: 100_000, audio: 50_000 }

/** Rows that are read at once. */
const chunkRows = 256

type VectorRow = Omit<Selectable<MaterialVectorsTable>, 'start_ms'>

/** Whose space a vector belongs to: videos and images share one. */
type SpaceOwner = 'pictures' | 'sounds'

function spaceOwner(scope: LibraryScope): SpaceOwner {
  return scope === 'audio' ? 'sounds' : 'pictures'
}

/** The active materials and their vectors in memory, which follow the database. */
export class MaterialIndex {
  readonly #db: Db
  readonly #tables: Readonly<Record<LibraryScope, VectorTable>> = {
    clip: new VectorTable(),
    image: new VectorTable(),
    audio: new VectorTable(),
  }
  readonly #active = new Map<number, LibraryScope>()
  /** `updated_at` of the last change that is included. */
  #changedAt = 0
  readonly #spaces = new Map<SpaceOwner, string>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Number of materials that can be found. */
  get size(): number {
    return this.#active.size
  }

  /** Returns the vectors of a scope. */
  vectors(scope: LibraryScope): VectorTable {
    return this.#tables[scope]
  }

  /** Returns the space of the vectors of a scope; undefined without any. */
  space(scope: LibraryScope): string | undefined {
    return this.#spaces.get(spaceOwner(scope))
  }

  /** Reads what changed in the database. Throws 6401 for a library with pictures or sounds of several spaces. */
  async refresh(): Promise<void> {
    const { last, active } = await this.#db
      .selectFrom('materials')
      .select((eb) => [
        eb.fn.max<number | null>('updated_at').as('last'),
        eb
          .selectFrom('materials')
          .select(eb.fn.countAll<number>().as('total'))
          .where('state', '=', 'active')
          .as('active'),
      ])
      .executeTakeFirstOrThrow()
    if ((last ?? 0) > this.#changedAt) {
      await this.#readChanges()
      this.#changedAt = last ?? 0
    }
    if (active !== this.#active.size) await this.#dropDeleted()
    const { clip, image, audio } = this.#tables
    if (clip.size + image.size === 0) this.#spaces.delete('pictures')
    if (audio.size === 0) this.#spaces.delete('sounds')
  }

  async #readChanges(): Promise<void> {
    const changed = await this.#db
      .selectFrom('materials')
      .select(['id', 'scope', 'state'])
      .where('updated_at', '>', this.#changedAt)
      .execute()
    for (const { id, scope, state } of changed) {
      this.#drop(id)
      if (state === 'active') this.#active.set(id, scope)
    }
    const ids = changed.flatMap(({ id, state }) => (state === 'active' ? id : []))
    // First pictures and pieces of these materials first, as memory is bounded.
    await this.#readVectors(ids, '=')
    await this.#readVectors(ids, '>')
  }

  /** Reads the first (=) or the further (>) vectors of materials. */
  async #readVectors(ids: readonly number[], part: '=' | '>'): Promise<void> {
    const chunk = part === '=' ? chunkRows : chunkRows / 8
    for (let first = 0; first < ids.length; first += chunk) {
      const rows = await this.#db
        .selectFrom('material_vectors')
        .select(['material_id', 'part', 'space', 'vector'])
        .where('material_id', 'in', ids.slice(first, first + chunk))
        .where('part', part, 0)
        .orderBy('material_id')
        .orderBy('part')
        .execute()
      for (const row of rows) this.#addVector(row)
    }
  }

  #addVector({ material_id: id, part, space, vector }: VectorRow): void {
    const scope = this.#active.get(id)
    if (!scope) return
    this.#checkSpace(scope, space)
    const table = this.#tables[scope]
    if (table.size < maxVectors[scope]) table.add({ id, part }, toFloats(vector))
  }

  #checkSpace(scope: LibraryScope, space: string): void {
    const owner = spaceOwner(scope)
    const known = this.#spaces.get(owner) ?? space
    this.#spaces.set(owner, known)
    if (space === known) return
    throw new MediaError(6401, `the library has vectors of ${known} and of ${space}`, {
      retryable: false,
      hint: 'Remove its folders with `reelwright library remove <folder>`, then add them again.',
    })
  }

  #drop(id: number): void {
    this.#active.delete(id)
    for (const table of Object.values(this.#tables)) table.remove(id)
  }

  async #dropDeleted(): Promise<void> {
    const rows = await this.#db.selectFrom('materials').select('id').where('state', '=', 'active').execute()
    const present = new Set(rows.map(({ id }) => id))
    for (const id of [...this.#active.keys()].filter((one) => !present.has(one))) this.#drop(id)
  }

  /**
   * Returns the exact cosine of the best picture or piece of each material, of those that the scan found. query: of length 1.
   */
  async exactCosines(
    query: Float32Array,
    scanned: readonly ScannedVector[],
  ): Promise<ReadonlyMap<number, number>> {
    const cosines = new Map<number, number>()
    for (let first = 0; first < scanned.length; first += chunkRows) {
      const keys = scanned
        .slice(first, first + chunkRows)
        .map(({ id, part }) => sql`(${sql.lit(id)}, ${sql.lit(part)})`)
      const { rows } = await sql<{ id: number; vector: Uint8Array }>`
        select material_id as id, vector from material_vectors
        where (material_id, part) in (${rowList(keys)})`.execute(this.#db)
      for (const { id, vector } of rows) {
        const cosine = dotProduct(query, toFloats(vector))
        cosines.set(id, Math.max(cosine, cosines.get(id) ?? -1))
      }
    }
    return cosines
  }
}

/** SQLite requires `values` for a list of rows, which PostgreSQL accepts too. */
function rowList(keys: readonly ReturnType<typeof sql>[]) {
  return sql`values ${sql.join(keys)}`
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}

/** Copies the bytes of a column, which may start anywhere in their memory. */
function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer)
}
