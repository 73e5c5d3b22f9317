import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rights, writeImage, writeSound, writeVideo } from '../library/library.ts'
import { runCommand } from '../run-command.ts'

/** A data folder with a library of a few materials of each kind. */
export interface FilledLibrary {
  readonly data: string
  /** Path of a file in the folder of media files. */
  media(name: string): string
  /** Imports the folder again. */
  add(): Promise<void>
  /** Removes the folder from the library. */
  remove(): Promise<void>
}

/** Creates and imports a library. The caller removes `root`. */
export async function writeTestLibrary(): Promise<FilledLibrary & { readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'reelwright-materials-'))
  return { ...(await fillLibrary(join(root, 'data'), join(root, 'media'))), root }
}

/** Creates a folder of media files, and imports it into the library of a data folder. */
export async function fillLibrary(data: string, folder: string): Promise<FilledLibrary> {
  await mkdir(folder)
  const media = (name: string) => join(folder, name)
  const describe = (name: string, sidecar: object) =>
    writeFile(media(`${name}.json`), JSON.stringify(sidecar))
  await writeVideo(media('waves.mp4'), 'blue', 'lime')
  await describe('waves.mp4', { tags: ['waves', 'beach'], note: 'Waves on a beach' })
  await writeImage(media('sunset.png'), 'orange')
  await describe('sunset.png', { tags: ['日落', '海边'], note: '海边的日落' })
  await writeSound(media('calm.wav'), {}, 220)
  await describe('calm.wav', { title: 'Calm piano', tags: ['calm', 'piano'] })
  await writeSound(media('song.wav'), {}, 440)
  await writeSound(media('song-karaoke.wav'), {}, 445)
  await describe('song.wav', {
    ...{ title: 'Calm evening', author: 'A. Singer', tags: ['calm'] },
    ...{ audio_type: 'song', accompaniment: 'song-karaoke.wav' },
  })
  const run = async (...args: readonly string[]) => {
    const { code, out } = await runCommand(['library', ...args], { REELWRIGHT_DATA_DIR: data })
    if (code !== 0) throw new Error(`the library was not changed: ${out}`)
  }
  const add = () => run('add', folder, ...rights)
  await add()
  return { data, media, add, remove: () => run('remove', folder) }
}
