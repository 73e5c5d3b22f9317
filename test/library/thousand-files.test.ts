import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once as onceEmitted } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Db, MaterialRow } from '../../src/db/schema.ts'
import { findReferencedContents } from '../../src/files/content.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { removeOrphans } from '../../src/files/removal.ts'
import { type FakeService, startFakeService } from '../engines/services/fake-service.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { mainModule } from '../run-command.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { peakResidentMiB } from '../service/resident-memory.ts'
import { soakSize } from '../soak-size.ts'
import { newLibrary, rights, type TestLibrary } from './library.ts'
import { writeMediaFolder } from './media-folder.ts'

/** Starts a service that embeds pictures: the same vector for equal bytes. Its requests count what is embedded. */
async function startEmbedder(): Promise<FakeService> {
  const fake = await startFakeService((response, { body }) => {
    const { messages } = JSON.parse(body.toString()) as { readonly messages: readonly unknown[] }
    const embedding = [...createHash('sha256').update(JSON.stringify(messages)).digest()]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data: [{ index: 0, embedding }] }))
  })
  onTestFinished(() => fake[Symbol.asyncDispose]())
  return fake
}

interface Import {
  readonly library: TestLibrary
  /** Folder of the media. */
  readonly folder: string
  readonly embedder: FakeService
}

async function prepare(library: TestLibrary, folder: string): Promise<Import> {
  const embedder = await startEmbedder()
  await mkdir(library.data, { mode: 0o700 })
  const settings = { embedding: `${embedder.origin}/v1#stand-in` }
  await writeFile(join(library.data, 'reelwright.config.json'), JSON.stringify(settings), { mode: 0o600 })
  return { library, folder, embedder }
}

/** Starts the command in a process of its own. */
function startImport({ library, folder }: Import): ChildProcess {
  const { data, location } = library
  const env = {
    ...process.env,
    REELWRIGHT_DATA_DIR: data,
    ...('url' in location && { DATABASE_URL: location.url }),
  }
  const args = [mainModule, 'library', 'add', folder, ...rights]
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Waits for the end of the command. */
async function outcome(child: ChildProcess) {
  const [out, err, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    onceEmitted(child, 'exit') as Promise<[number | null, string | null]>,
  ])
  return { out, err, code, signal }
}

/** Imports without interruption. Returns the output, the seconds, and the largest memory of the command, MiB (Linux). */
async function importAtOnce(one: Import) {
  const began = performance.now()
  const child = startImport(one)
  const { otherwise } = one.embedder
  let memory = 0
  one.embedder.otherwise = async (response, heard) => {
    if (process.platform === 'linux') memory = Math.max(memory, await peakResidentMiB(child.pid))
    await otherwise(response, heard)
  }
  const { out, err, code } = await outcome(child)
  expect(code, err).toBe(0)
  return { out, seconds: (performance.now() - began) / 1000, memory }
}

/** When a run is killed: after so many pictures of it, and so many milliseconds more. */
interface KillMoment {
  readonly pictures: number
  readonly ms: number
}

/**
 * Returns moments in all phases of a file. The first and the third run are killed soon after their start, all others after
 * their first files. seed: a large number, as those that follow from a small one start near 0.
 */
function killMoments(kills: number, pictures: number, seed: number): KillMoment[] {
  const random = seededRandom(seed)
  return Array.from({ length: kills }, (_, run) => {
    const fromStart = run === 0 || run === 2
    return {
      pictures: fromStart ? 0 : 2 + Math.floor((random() * 1.6 * pictures) / kills),
      ms: Math.floor(random() * (fromStart ? 1500 : 400)),
    }
  })
}

/** Imports in as many runs as are killed, and one more. `onKilled` is called after each killed one. */
async function importWithKills(one: Import, moments: readonly KillMoment[], onKilled: () => Promise<void>) {
  const { embedder } = one
  const began = performance.now()
  let killed = 0
  for (const { pictures, ms } of moments) {
    const child = startImport(one)
    void embedder
      .hears(embedder.heard.length + pictures)
      .then(() => delay(ms))
      .then(() => child.kill('SIGKILL'))
    const { signal, code, err } = await outcome(child)
    if (signal === null) {
      expect(code, err).toBe(0)
      break
    }
    killed += 1
    await onKilled()
  }
  const last = await outcome(startImport(one))
  return { ...last, killed, seconds: (performance.now() - began) / 1000 }
}

async function readMaterials(db: Db): Promise<MaterialRow[]> {
  return await db.selectFrom('materials').selectAll().orderBy('path').execute()
}

/** Returns all content of a library, apart from ids and times. */
async function readContent(db: Db) {
  const rows = await readMaterials(db)
  const vectors = await db.selectFrom('material_vectors').selectAll().orderBy('part').execute()
  const words = await sql<{ id: number; strong: string; weak: string }>`
    select rowid as id, strong, weak from material_words`.execute(db)
  return rows.map(({ id, ...columns }) => ({
    ...{ ...columns, folder_id: null, added_at: 0, updated_at: 0 },
    words: words.rows.filter((row) => row.id === id).map(({ strong, weak }) => [strong, weak]),
    vectors: vectors
      .filter((row) => row.material_id === id)
      .map(({ part, start_ms, space, vector }) => [
        part,
        start_ms,
        space,
        Buffer.from(vector).toString('base64'),
      ]),
  }))
}

/** Contents of the store of a data folder. */
async function storedContents({ data }: TestLibrary): Promise<ReadonlySet<string>> {
  const files = await openDiskStore(join(data, 'files'))
  const stored = new Set<string>()
  for await (const { blake3, size } of files.list()) if (size > 0) stored.add(blake3)
  return stored
}

/** Names, libraries, counts of images, videos and kills, and seeds of the kills. */
const databases = [
  ['SQLite', async () => newLibrary(), soakSize([10, 1, 2], [1000, 50, 14]), 10_000],
  ['PostgreSQL', async () => newLibrary(await newDatabase()), soakSize([10, 1, 2], [40, 3, 3]), 30_000],
] as const

describe.for(databases)('on %s', ([name, create, [images = 0, videos = 0, kills = 0], seed]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    `an import of ${images} images and ${videos} videos that is killed ${kills} times is that of one run`,
    async ({ annotate }) => {
      const library = await create()
      const { media, damaged } = await writeMediaFolder(library.media(), { images, videos })
      const [whole, killed] = [
        await prepare(await create(), library.media()),
        await prepare(library, library.media()),
      ]
      const known = new Map<string, MaterialRow>()
      const progress: number[] = []
      const keepKnown = async () => {
        // What was imported stays, ids and times of changes included.
        const rows = await readMaterials(await library.openDb())
        for (const row of rows) expect(row).toEqual(known.get(row.path) ?? row)
        expect(rows.length).toBeGreaterThanOrEqual(known.size)
        for (const row of rows) known.set(row.path, row)
        progress.push(rows.length)
      }
      const [once, runs] = await Promise.all([
        importAtOnce(whole),
        importWithKills(killed, killMoments(kills, images + videos, seed), keepKnown),
      ])
      expect(once.out).toContain(`${media.length} imported, ${damaged.length} skipped`)
      const expected = await readContent(await whole.library.openDb())
      const pictures = whole.embedder.heard.length
      const largest = Math.max(...expected.map(({ vectors }) => vectors.length))
      await annotate(
        `at once ${once.seconds.toFixed(1)} s, at most ${once.memory.toFixed(0)} MiB; ` +
          `in ${runs.killed + 1} runs ${runs.seconds.toFixed(1)} s, materials after each: ${progress.join(', ')}; ` +
          `pictures embedded ${killed.embedder.heard.length} of ${pictures}`,
      )
      expect(runs.killed).toBeGreaterThanOrEqual(kills / 2)
      expect(
        progress.filter((imported) => imported > 0 && imported < media.length),
        'kills between files',
      ).not.toEqual([])
      expect(runs.code, runs.err).toBe(0)
      expect(runs.out).toContain(`${media.length - known.size} imported, ${known.size} unchanged`)

      const db = await library.openDb()
      const rows = await readMaterials(db)
      expect(rows.map(({ path }) => path)).toEqual(media.toSorted())
      for (const row of rows) expect(row).toEqual(known.get(row.path) ?? row)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(media.length)
      expect(await readContent(db)).toEqual(expected)
      for (const { scope, cover, preview, thumb } of rows)
        expect([cover, preview, thumb].map(Boolean)).toEqual(
          scope === 'image' ? [false, false, true] : [true, true, false],
        )
      // No more is embedded again than the file of each killed run.
      expect(killed.embedder.heard.length).toBeLessThanOrEqual(pictures + runs.killed * largest)

      // What a start of the service does.
      await removeOrphans(db, await openDiskStore(join(library.data, 'files')))
      expect(await storedContents(library)).toEqual(await findReferencedContents(db))
      expect(await storedContents(library)).toEqual(await storedContents(whole.library))
    },
    7_200_000,
  )
})
