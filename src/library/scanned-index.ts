import type { Selectable } from 'kysely'
import type { LibraryScope } from '../contract/library.ts'
import type { MaterialVectorsTable } from '../db/library-schema.ts'
import type { Db } from '../db/schema.ts'
import { exactCosines, toFloats } from './exact-cosines.ts'
import {
  LibrarySpaces,
  type MaterialIndex,
  nearestVectors,
  type NearestOptions,
  readLibraryState,
} from './material-index.ts'
import { scanError, VectorTable } from './vector-table.ts'

/**
 * Vectors that are kept in memory of each scope, at most: 1 KiB each, so that the service stays below 600 MiB. Of what is
 * read at the same time, further shots of videos and pieces of sounds are left out first; what is read later does not
 * displace them.
 */
const maxVectors: Readonly<Record<LibraryScope, number>> = { clip: 100_000, image: 100_000, audio: 50_000 }

/** Rows that are read at once. */
const chunkRows = 256

type VectorRow = Omit<Selectable<MaterialVectorsTable>, 'start_ms'>

/** The active materials and their vectors in memory. A scan of all vectors finds the nearest ones. */
export class ScannedIndex implements MaterialIndex {
  readonly #db: Db
  readonly #tables: Readonly<Record<LibraryScope, VectorTable>> = {
    clip: new VectorTable(),
    image: new VectorTable(),
    audio: new VectorTable(),
  }
  readonly #active = new Map<number, LibraryScope>()
  /** `updated_at` of the last change that is included. */
  #changedAt = 0
  readonly #spaces = new LibrarySpaces()

  constructor(db: Db) {
    this.#db = db
  }

  get size(): number {
    return this.#active.size
  }

  space(scope: LibraryScope): string | undefined {
    return this.#spaces.get(scope)
  }

  async refresh(): Promise<void> {
    const { changedAt, active } = await readLibraryState(this.#db)
    if (changedAt > this.#changedAt) {
      await this.#readChanges()
      this.#changedAt = changedAt
    }
    if (active !== this.#active.size) await this.#dropDeleted()
    const { clip, image, audio } = this.#tables
    if (clip.size + image.size === 0) this.#spaces.delete('clip')
    if (audio.size === 0) this.#spaces.delete('audio')
  }

  async nearest(
    query: Float32Array,
    { scope, others }: NearestOptions,
  ): Promise<ReadonlyMap<number, number>> {
    const table = this.#tables[scope]
    const found = [...table.nearest(query, nearestVectors), ...table.cosines(query, others)]
    return await exactCosines(this.#db, query, { found, error: scanError })
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
    this.#spaces.add(scope, space)
    const table = this.#tables[scope]
    if (table.size < maxVectors[scope]) table.add({ id, part }, toFloats(vector))
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
}
