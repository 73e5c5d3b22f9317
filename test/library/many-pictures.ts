import type { Db } from '../../src/db/schema.ts'
import { saveFolder } from '../../src/library/records.ts'
import { createRandom, type SeededRandom } from '../piano/seeded-random.ts'

/** A picture of a library with many. */
export interface TestPicture {
  readonly id: number
  readonly part: number
  readonly scope: 'image' | 'clip'
  readonly state: 'active' | 'missing'
  readonly vector: Float32Array
}

/** Groups of similar pictures, such as those of one place. */
const groups = 200

/** Similar pictures have a cosine near 0.75, and others near 0. */
const groupShare = 0.87

/** Returns the pictures of images and of clips of five shots, and queries that resemble some. */
export function createPictures({ images, clips }: { readonly images: number; readonly clips: number }) {
  const random = createRandom(1)
  const centres = Array.from({ length: groups }, () => unit(random))
  const near = () => unit(random, random.pick(centres))
  const pictures: TestPicture[] = []
  for (let id = 1; id <= images + clips; id += 1) {
    const scope = id <= images ? 'image' : 'clip'
    const state = id % 10 === 0 ? 'missing' : 'active'
    for (let part = 0; part < (scope === 'clip' ? 5 : 1); part += 1)
      pictures.push({ id, part, scope, state, vector: near() })
  }
  return { pictures, queries: Array.from({ length: 20 }, near) }
}

function unit(random: SeededRandom, centre?: Float32Array): Float32Array {
  const noise = Math.sqrt((1 - (centre ? groupShare ** 2 : 0)) / 1024)
  const values = Float32Array.from(
    { length: 1024 },
    (_, index) => groupShare * (centre?.[index] ?? 0) + noise * random.gaussian(),
  )
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

/** Inserts pictures as an import of an earlier version did. */
export async function insertPictures(db: Db, pictures: readonly TestPicture[]): Promise<void> {
  const folder = await saveFolder(db, { path: '/many', licence: 'x', attribution: 'y' }, 1)
  for (let first = 0; first < pictures.length; first += 200) {
    const batch = pictures.slice(first, first + 200)
    const materials = batch.filter(({ part }) => part === 0)
    await db
      .insertInto('materials')
      .values(
        materials.map(({ id, scope, state }) => ({
          ...{ id, scope, state, folder_id: folder.id, path: `${id}`, name: `${id}`, blake3: `${id}` },
          ...{ size: 1, modified_at: 1, note: '', tags: '[]', added_at: 1, updated_at: id },
        })),
      )
      .execute()
    await db
      .insertInto('material_vectors')
      .values(
        batch.map(({ id, part, vector }) => ({
          ...{ material_id: id, part, start_ms: part, space: 'many' },
          vector: Buffer.from(vector.buffer),
        })),
      )
      .execute()
  }
}

/** Returns the exact cosine of the best picture of each active material, best first. */
export function exactOrder(
  pictures: readonly TestPicture[],
  query: Float32Array,
  scope: TestPicture['scope'],
): (readonly [id: number, cosine: number])[] {
  const best = new Map<number, number>()
  for (const one of pictures) {
    if (one.scope !== scope || one.state !== 'active') continue
    const cosine = one.vector.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0)
    best.set(one.id, Math.max(cosine, best.get(one.id) ?? -1))
  }
  return [...best].toSorted(([id, cosine], [other, least]) => least - cosine || id - other)
}
