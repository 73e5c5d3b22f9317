/**
 * Search of a library of 100,000 materials with a vector each: time of a search, delay of the event loop of the process that
 * asks, memory, and recall@10 against an exact float scan. `npm run bench -- library [materials] [folder]`; the library in
 * a folder is kept, and used by another run.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../src/db/open.ts'
import { saveFolder, saveMaterial, saveVectors } from '../src/library/records.ts'
import { openLibrarySearch } from '../src/library/search.ts'

const [given = '100000', kept] = process.argv.slice(2)
const total = Number(given)
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'reelwright-library-bench-')))
await mkdir(folder, { recursive: true })
const path = join(folder, 'library.sqlite')
const queries = 50

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

let random = randomNumbers(1)

function randomVector(centre?: Float32Array, share = 0): Float32Array {
  const values = new Float32Array(1024)
  let squares = 0
  for (let index = 0; index < 1024; index += 1) {
    // Sum of uniform numbers: nearly normal.
    const noise = random() + random() + random() - 1.5
    const value = share * 16 * (centre?.[index] ?? 0) + (1 - share) * noise
    values[index] = value
    squares += value * value
  }
  const length = Math.sqrt(squares)
  return values.map((value) => value / length)
}

const words = Array.from({ length: 5000 }, (_, index) => `word${index.toString(36)}`)
/** Some words are frequent, most are rare (Zipf). */
const word = () => words[Math.floor(words.length ** random()) - 1] ?? ''

/** Pictures form groups, as those of a library do. */
const centres = Array.from({ length: 200 }, () => randomVector())
const clusterVector = () => randomVector(centres[Math.floor(random() * centres.length)], 0.4)

async function fill(): Promise<void> {
  const db = await openDatabase({ path })
  const { id: folderId } = await saveFolder(db, { path: '/bench', licence: 'x', attribution: 'y' }, 1)
  for (let first = 0; first < total; first += 1000) {
    await db.transaction().execute(async (trx) => {
      for (let at = first; at < Math.min(total, first + 1000); at += 1) {
        const content = {
          ...{ path: `${at}.jpg`, scope: 'image' as const, name: `${at}.jpg`, blake3: String(at), size: 1 },
          ...{ modified_at: 1, title: Array.from({ length: 4 }, word).join(' ') },
          ...{ note: Array.from({ length: 20 }, word).join(' '), tags: '[]', width: 1, height: 1 },
        }
        const id = await saveMaterial(trx, { id: undefined, folderId, content, now: 1 })
        await saveVectors(trx, id, [{ startMs: 0, space: 'bench', values: clusterVector() }])
      }
    })
  }
  await db.destroy()
}

/** Returns the ten nearest materials by an exact scan of the float vectors. */
function exactNearest(
  all: Iterable<{ id: number; vector: Float32Array }>,
  wanted: readonly Float32Array[],
): Set<number>[] {
  const best = wanted.map(() => [] as { id: number; cosine: number }[])
  for (const { id, vector } of all) {
    for (const [index, query] of wanted.entries()) {
      let cosine = 0
      for (let at = 0; at < 1024; at += 1) cosine += (query[at] ?? 0) * (vector[at] ?? 0)
      const list = best[index] ?? []
      if (list.length === 10 && cosine <= (list[9]?.cosine ?? 0)) continue
      list.push({ id, cosine })
      list.sort((one, other) => other.cosine - one.cosine)
      list.length = Math.min(10, list.length)
    }
  }
  return best.map((list) => new Set(list.map(({ id }) => id)))
}

function* storedVectors(): Generator<{ id: number; vector: Float32Array }> {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select material_id as id, vector from material_vectors').iterate()
  for (const row of rows) {
    const bytes = row['vector'] as Uint8Array
    yield { id: Number(row['id']), vector: new Float32Array(bytes.slice().buffer) }
  }
  database.close()
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))]?.toFixed(1)

if (!existsSync(path)) await fill()
random = randomNumbers(2)
await using search = openLibrarySearch({ path })
const searched = Array.from({ length: queries }, () => ({
  vector: clusterVector(),
  text: `${word()} ${word()} ${word()}`,
}))
const find = async ({ vector, text }: (typeof searched)[number], withText: boolean) =>
  await search.find({
    ...{ scope: 'image', text: withText ? text : '', limit: 10, diversity: withText },
    vector: { space: 'bench', values: vector },
  })
const loadStart = performance.now()
await find(searched[0] ?? { vector: randomVector(), text: '' }, true)
console.log(`first search, which loads ${total} vectors: ${(performance.now() - loadStart).toFixed(0)} ms`)

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const before = process.cpuUsage()
const [times, found]: [number[], Set<number>[]] = [[], []]
for (const query of searched) {
  const start = performance.now()
  await find(query, true)
  times.push(performance.now() - start)
}
delay.disable()
const used = process.cpuUsage(before)
for (const query of searched) found.push(new Set((await find(query, false)).results.map(({ id }) => id)))
console.log(
  `search by words and vector: median ${percentile(times, 0.5)} ms, 95 % ${percentile(times, 0.95)} ms, worst ${percentile(times, 1)} ms`,
)
console.log(`processor time of a search: ${((used.user + used.system) / 1000 / queries).toFixed(0)} ms`)
console.log(
  `event loop delay: 99 % ${(delay.percentile(99) / 1e6).toFixed(1)} ms, worst ${(delay.max / 1e6).toFixed(1)} ms`,
)
console.log(`resident memory: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`)
const exact = exactNearest(
  storedVectors(),
  searched.map(({ vector }) => vector),
)
const right = exact.reduce(
  (sum, ids, index) => sum + [...ids].filter((id) => found[index]?.has(id)).length,
  0,
)
console.log(`recall@10: ${(right / (10 * queries)).toFixed(4)}`)
if (kept === undefined) await rm(folder, { recursive: true, force: true })
