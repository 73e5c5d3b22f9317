import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { createCanvas, type Canvas } from '@napi-rs/canvas'
import { onTestFinished } from 'vitest'
import { dataFiles, dataFolders } from '../../src/daemon/data-files.ts'
import type { DatabaseLocation } from '../../src/db/location.ts'
import { openDatabase } from '../../src/db/open.ts'
import type { Db } from '../../src/db/schema.ts'
import { importFolder } from '../../src/library/import-folder.ts'
import { libraryPaths, openLibrary } from '../../src/library/open-library.ts'
import type { EmbeddingModel } from '../../src/engines/embedding/embedding-model.ts'
import { encodeWav } from '../../src/media/audio/wav.ts'
import { runCommand } from '../run-command.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

/** A data folder and a folder of media files, both removed after the test. */
export interface TestLibrary {
  readonly root: string
  readonly data: string
  /** Path of a file in the folder of media files. */
  readonly media: (name?: string) => string
  readonly location: DatabaseLocation
  /** Runs a command of the library. */
  readonly run: (...args: readonly string[]) => ReturnType<typeof runCommand>
  readonly openDb: () => Promise<Db>
}

/** url: address of a PostgreSQL database; by default SQLite. */
export async function newLibrary(url?: string): Promise<TestLibrary> {
  const root = await mkdtemp(join(tmpdir(), 'reelwright-library-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'media'))
  return openTestLibrary(root, url)
}

/** Opens a library with the folders of another one, on the database at the address. */
export function openTestLibrary(root: string, url: string | undefined): TestLibrary {
  const [data, folder] = [join(root, 'data'), join(root, 'media')]
  const environment = { REELWRIGHT_DATA_DIR: data, ...(url !== undefined && { DATABASE_URL: url }) }
  const location = url === undefined ? { path: join(data, dataFiles.database) } : { url }
  return {
    ...{ root, data, location },
    media: (name = '') => join(folder, name),
    run: (...args) => runCommand(['library', ...args], environment),
    async openDb() {
      const db = await openDatabase(location)
      onTestFinished(() => db.destroy())
      return db
    },
  }
}

export const rights = ['--licence', 'CC BY 4.0', '--attribution', 'Example Films'] as const

/** Adds the folder of media files with a model, without the command. */
export async function addWithModel(
  library: TestLibrary,
  model: EmbeddingModel,
  onFile: (path: string) => void = () => {},
) {
  await mkdir(library.data, { recursive: true })
  const db = await openDatabase(library.location)
  try {
    using opened = await openLibrary(db, libraryPaths(library.data, { ...dataFiles, ...dataFolders }))
    return await importFolder(opened, {
      ...{ path: library.media(), licence: 'CC BY 4.0', attribution: 'Example Films', privateFolders: [] },
      model: { name: model.name, space: model.space, open: async () => model },
      soundModel: undefined,
      ...{
        threads: 1,
        signal: new AbortController().signal,
        clock: () => 1_000,
        onFile: ({ path }) => onFile(path),
      },
    })
  } finally {
    await db.destroy()
  }
}

function encodeCanvas(canvas: Canvas, extension: string): Buffer {
  if (extension === '.png') return canvas.toBuffer('image/png')
  if (extension === '.jpg') return canvas.toBuffer('image/jpeg')
  throw new Error(`no format of an image has the extension "${extension}"`)
}

/** Creates a PNG or .jpg with a pattern of its own, in this process, as starts of ffmpeg take longer. */
export async function writeImage(path: string, colour = 'red', pattern = 1): Promise<void> {
  const canvas = createCanvas(96, 54)
  const pen = canvas.getContext('2d')
  pen.fillStyle = colour
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = 'white'
  pen.fillRect((pattern * 13) % 60, (pattern * 7) % 30, 30, 20)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, encodeCanvas(canvas, extname(path)))
}

/** Creates a video of one second of each colour, with sound. */
export async function writeVideo(path: string, ...colours: readonly string[]): Promise<void> {
  const sources = colours.flatMap((colour) => ['-f', 'lavfi', '-i', `color=c=${colour}:s=96x54:r=20:d=1`])
  const shots = colours.map(
    (_, index) => `[${index}]drawbox=x=${20 * index}:y=${10 * index}:w=20:h=20:c=white:t=fill[s${index}]`,
  )
  const joined = `${colours.map((_, index) => `[s${index}]`).join('')}concat=n=${colours.length}[v]`
  await ffmpeg(
    ...[...sources, '-f', 'lavfi', '-i', `sine=d=${colours.length}`],
    ...['-filter_complex', [...shots, joined].join(';'), '-map', '[v]', '-map', `${colours.length}:a`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', path],
  )
}

/** Creates a tone of one second with tags; a WAV without any in this process. frequency: Hz. */
export async function writeSound(
  path: string,
  tags: Readonly<Record<string, string>> = {},
  frequency = 440,
): Promise<void> {
  if (extname(path) === '.wav' && Object.keys(tags).length === 0) {
    const rate = 44_100
    const samples = Float32Array.from(
      { length: rate },
      (_, at) => Math.sin((2 * Math.PI * frequency * at) / rate) / 8,
    )
    await writeFile(path, encodeWav({ samples, rate }))
    return
  }
  const options = Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`])
  await ffmpeg('-f', 'lavfi', '-i', `sine=f=${frequency}:d=1`, ...options, path)
}
