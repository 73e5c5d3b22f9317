import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { installPack } from '../../src/engines/packs/install.ts'
import type { ModelPack } from '../../src/engines/packs/manifest.ts'
import { locatePack } from '../../src/engines/packs/store.ts'
import { artifactOf, listPackFiles, modelPack, usePackMirror } from './pack-fixtures.ts'

const fixture = usePackMirror()
const file = 'voice.tar.bz2'

/** Archives a folder that `create` has filled, with arguments of GNU tar. */
async function archiveOf(create: (folder: string) => Promise<void>, args: readonly string[] = []) {
  const source = join(fixture.folder, 'source')
  await mkdir(join(source, 'voice'), { recursive: true })
  await writeFile(join(source, 'voice', 'tokens.txt'), 'one 1\n')
  await create(join(source, 'voice'))
  const path = join(fixture.folder, file)
  await promisify(execFile)('tar', ['-cjf', path, '-C', source, ...args, 'voice'])
  return await readFile(path)
}

/** A model with an archive that the manifest lists. */
function packWith(archive: Buffer): ModelPack {
  const address = `https://models.invalid/${file}`
  return { ...modelPack(), otherFiles: [{ ...artifactOf(file, archive), address, unpackedBytes: 100 }] }
}

const link = (target: string) => (folder: string) => symlink(target, join(folder, 'data'))
const noFurther = () => Promise.resolve()

/** Archives that contain more than files, with the text of the error. Only GNU tar can create the second. */
const hostileArchives: readonly (readonly [
  what: string,
  create: (folder: string) => Promise<void>,
  args: readonly string[],
  message: RegExp,
])[] = [
  [
    'a link to a file of this machine',
    link('/etc/passwd'),
    [],
    /data is not a file, or links to one outside/,
  ],
  ['a path to the parent folder', noFurther, ['-P', '--transform=s,tokens,../../../escaped,'], /\.\./],
  ['a link to the parent folder', link('..'), [], /data is not a file, or links to one outside/],
  ['a link to nothing', link('nothing'), [], /data is not a file, or links to one outside/],
  [
    'a sparse file of 1 TiB',
    async (folder) => void (await promisify(execFile)('truncate', ['-s', '1T', join(folder, 'data')])),
    ['--sparse'],
    /with data the unpacked files are larger than 2 MiB/,
  ],
  [
    'a named pipe',
    async (folder) => void (await promisify(execFile)('mkfifo', [join(folder, 'data')])),
    [],
    /data is not a file/,
  ],
]

describe.runIf(process.platform === 'linux')('an archive', () => {
  it('is never unpacked before its checksum is verified', async () => {
    const archive = await archiveOf(noFurther)
    const tampered = await archiveOf(link('/etc/passwd'))
    fixture.mirror.files.set(file, Buffer.concat([tampered, Buffer.alloc(500)]).subarray(0, archive.length))
    const packs = fixture.packsOf({ eyes: packWith(archive) })
    await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringContaining('voice.tar.bz2 is not the expected file'),
    })
    expect(await listPackFiles(packs)).toEqual([expect.stringMatching(/\.part$/)])
    expect(await locatePack(packs, 'eyes')).toBeNull()
    fixture.mirror.files.set(file, archive)
    expect(await installPack(packs, 'eyes')).toBe('pulled')
  })

  it.each(hostileArchives)(
    'with %s is refused, also with the right checksum',
    async (_, create, args, message) => {
      const archive = await archiveOf(create, args)
      fixture.mirror.files.set(file, archive)
      const packs = fixture.packsOf({ eyes: packWith(archive) })
      await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
        code: 6401,
        message: expect.stringMatching(message),
      })
      expect(existsSync(join(fixture.folder, 'escaped.txt'))).toBe(false)
      expect(existsSync(join(fixture.folder, 'data', 'escaped.txt'))).toBe(false)
      expect(await locatePack(packs, 'eyes')).toBeNull()
    },
  )

  it('may have links between its files', async () => {
    const archive = await archiveOf(link('tokens.txt'))
    fixture.mirror.files.set(file, archive)
    const packs = fixture.packsOf({ eyes: packWith(archive) })
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(await locatePack(packs, 'eyes')).not.toBeNull()
  })
})
