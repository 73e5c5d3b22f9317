import { MediaError } from '../contract/errors.ts'
import type { LibraryScope } from '../contract/library.ts'
import type { Db } from '../db/schema.ts'

/** The active materials with their vectors: in memory (`ScannedIndex`) or in the database (`DatabaseIndex`). */
export interface MaterialIndex {
  /** Number of materials that can be found. */
  readonly size: number
  /** Returns the space of the vectors of a scope; undefined without any. */
  space(scope: LibraryScope): string | undefined
  /** Follows the database. Throws 6401 for a library with pictures or sounds of several spaces. */
  refresh(): Promise<void>
  /**
   * Returns the exact cosine of the best picture or piece of each material: of those with the nearest ones, and of `others`.
   * query: of length 1.
   */
  nearest(query: Float32Array, options: NearestOptions): Promise<ReadonlyMap<number, number>>
}

export interface NearestOptions {
  readonly scope: LibraryScope
  /** Ids of further materials. */
  readonly others: readonly number[]
}

/** Vectors that are compared exactly: videos and sounds have several. */
export const nearestVectors = 600

/** Space of the vectors of each scope that has any: videos and images share one, sounds have their own. */
export class LibrarySpaces {
  readonly #spaces = new Map<'pictures' | 'sounds', string>()

  get(scope: LibraryScope): string | undefined {
    return this.#spaces.get(spaceOwner(scope))
  }

  /** Adds the space of a vector. Throws 6401 if the scope has another one, as their vectors cannot be compared. */
  add(scope: LibraryScope, space: string): void {
    const known = this.get(scope) ?? space
    this.#spaces.set(spaceOwner(scope), known)
    if (space === known) return
    throw new MediaError(6401, `the library has vectors of ${known} and of ${space}`, {
      retryable: false,
      hint: 'Remove its folders with `reelwright library remove <folder>`, then add them again.',
    })
  }

  delete(scope: LibraryScope): void {
    this.#spaces.delete(spaceOwner(scope))
  }
}

function spaceOwner(scope: LibraryScope): 'pictures' | 'sounds' {
  return scope === 'audio' ? 'sounds' : 'pictures'
}

/** What changes with every change of the library. */
export interface LibraryState {
  /** Highest `updated_at`; 0 without materials. */
  readonly changedAt: number
  /** Number of active materials. */
  readonly active: number
}

export async function readLibraryState(db: Db): Promise<LibraryState> {
  const { last, active } = await db
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
  return { changedAt: last ?? 0, active: active ?? 0 }
}
