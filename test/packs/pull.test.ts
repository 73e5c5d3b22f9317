import { chmod, copyFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../src/engines/packs/manifest.ts'
import { installPack, removePack } from '../../src/engines/packs/install.ts'
import { packFolder, locatePack, type Packs } from '../../src/engines/packs/store.ts'
import { packStates } from '../../src/engines/packs/resolve.ts'
import {
  expectInstalled,
  listPackFiles,
  modelBytes,
  modelPack,
  runModels,
  usePackMirror,
  type ModelsResult,
} from './pack-fixtures.ts'

const fixture = usePackMirror()

const manifest: Manifest = { eyes: modelPack() }

const packsOf = (settings: Partial<Packs> = {}, known = manifest): Packs => fixture.packsOf(known, settings)

function run(command: string, packs: Packs): Promise<ModelsResult> {
  return runModels(command, 'eyes', { folder: fixture.folder, packs })
}

describe('reelwright models', () => {
  it('pulls from a folder, lists, verifies and removes', async () => {
    const folder = join(fixture.folder, 'mirror')
    await mkdir(folder)
    await writeFile(join(folder, 'eyes.onnx'), modelBytes)
    const packs = packsOf({ mirror: folder })
    expect((await run('list', packs)).out).toMatch(/^eyes +at first use +1 MiB +1 MiB +MIT +Eyes: seeing$/m)
    expect(await run('pull', packs)).toEqual({
      code: 0,
      out: 'eyes: installed (1 MiB)\n',
      err: 'eyes: 100 % of 1 MiB\n',
    })
    await expectInstalled(packs)
    expect((await run('list', packs)).out).toMatch(/^eyes +ready /m)
    expect(await run('verify', packs)).toMatchObject({ code: 0, out: 'eyes: intact\n' })
    expect((await run('pull', packs)).out).toBe('eyes: already installed\n')
    expect((await run('remove', packs)).out).toBe('eyes: removed\n')
    expect(await listPackFiles(packs)).toEqual([])
    expect((await run('remove', packs)).out).toBe('eyes: was not installed\n')
  })

  it.runIf(process.platform !== 'win32')('pulls from a read-only folder', async () => {
    const folder = join(fixture.folder, 'mirror')
    await mkdir(folder)
    await writeFile(join(folder, 'eyes.onnx'), modelBytes)
    await chmod(join(folder, 'eyes.onnx'), 0o444)
    const packs = packsOf({ mirror: folder })
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect((await stat(await expectInstalled(packs))).mode & 0o777).toBe(0o600)
  })

  it('lists the known packs for an unknown name', async () => {
    for (const command of ['pull', 'remove']) {
      const ended = await runModels(command, 'constructor', { folder: fixture.folder, packs: packsOf() })
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('Use one of eyes.') })
    }
  })
})

describe('a damaged pack', () => {
  it('is detected by its checksum and repaired', async () => {
    const packs = packsOf()
    await installPack(packs, 'eyes')
    const path = await expectInstalled(packs)
    await writeFile(path, Buffer.from(modelBytes).fill(0, 0, 1))
    expect(await run('verify', packs)).toMatchObject({
      code: 1,
      out: 'eyes: damaged (eyes.onnx)\n  -> reelwright models pull eyes\n',
    })
    expect((await run('pull', packs)).out).toBe('eyes: installed (1 MiB)\n')
    await expectInstalled(packs)
  })

  it('of another size is not used', async () => {
    const packs = packsOf()
    await installPack(packs, 'eyes')
    await truncate(await expectInstalled(packs), 1000)
    expect(await locatePack(packs, 'eyes')).toBeNull()
    expect((await run('list', packs)).out).toMatch(/^eyes +at first use/m)
    expect((await run('verify', packs)).code).toBe(1)
  })

  it('is not mistaken for another version', async () => {
    const packs = packsOf()
    await installPack(packs, 'eyes')
    const newer = packsOf({}, { eyes: modelPack(modelBytes.subarray(1)) })
    expect(await locatePack(newer, 'eyes')).toBeNull()
    await expectInstalled(packs)
    expect(await removePack(newer, 'eyes')).toBe(true)
    expect(await listPackFiles(packs)).toEqual([])
  })

  it('of an older version is removed once the new one is installed', async () => {
    const packs = packsOf()
    await installPack(packs, 'eyes')
    const content = modelBytes.subarray(1)
    const newer = packsOf({}, { eyes: modelPack(content) })
    await expect(installPack(newer, 'eyes')).rejects.toThrow('instead of the file of')
    await expect(locatePack(packs, 'eyes')).resolves.not.toBeNull()
    fixture.mirror.files.set('eyes.onnx', content)
    expect(await installPack(newer, 'eyes')).toBe('pulled')
    expect(await listPackFiles(packs)).toEqual([basename(packFolder(newer, 'eyes', modelPack(content)))])
  })

  it.each(['', '{}', '[]', '[null]', '[{"path":"eyes.onnx"}]'])(
    'with the inventory %j counts as missing, and is repaired',
    async (text) => {
      const packs = packsOf()
      await installPack(packs, 'eyes')
      await writeFile(join(packFolder(packs, 'eyes', modelPack()), 'pack.json'), text)
      expect(await locatePack(packs, 'eyes')).toBeNull()
      expect(await packStates(packs)).toMatchObject([{ state: 'automatic' }])
      expect(await installPack(packs, 'eyes')).toBe('pulled')
      await expectInstalled(packs)
    },
  )

  it('that cannot be removed is reported', async () => {
    const packs = packsOf()
    await mkdir(join(packs.folder, 'eyes.lock'), { recursive: true })
    await expect(removePack(packs, 'eyes')).rejects.toMatchObject({
      code: 6401,
      hint: expect.stringContaining('nothing uses the pack'),
    })
  })
})

describe('a model that users provide', () => {
  const userManifest: Manifest = {
    eyes: { kind: 'own', title: 'Eyes', enables: 'seeing', licence: "the model's own" },
  }
  const { sha256 } = modelPack().artifact

  it('is used in place as long as its checksum matches', async () => {
    const path = join(fixture.folder, 'mine.onnx')
    await writeFile(path, modelBytes)
    const packs = packsOf({ own: { eyes: { path, sha256 } } }, userManifest)
    expect(await locatePack(packs, 'eyes')).toBe(path)
    expect((await run('list', packs)).out).toMatch(/^eyes +ready /m)
    expect((await run('verify', packs)).out).toBe('eyes: intact\n')
    expect((await run('pull', packs)).out).toBe('eyes: already installed\n')
    await writeFile(path, Buffer.from(modelBytes).fill(0, 0, 1))
    await expect(locatePack(packs, 'eyes')).rejects.toMatchObject({ code: 6016 })
    expect(await run('verify', packs)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/has the SHA-256 .*not the one that is set\n {2}-> .*models\.eyes\.sha256/),
    })
  })

  it('is reported with its setting when it is not configured or its path does not exist', async () => {
    expect(await run('pull', packsOf({}, userManifest))).toMatchObject({
      code: 1,
      err: expect.stringContaining('"models": { "eyes": { "path": "…", "sha256": "…" } }'),
    })
    expect(await run('setup', packsOf({}, userManifest))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^eyes: optional, not set/),
    })
    const packs = packsOf({ own: { eyes: { path: join(fixture.folder, 'nowhere'), sha256 } } }, userManifest)
    expect(await run('setup', packs)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/cannot be read \(ENOENT\)\n {2}-> Correct models\.eyes\.path/),
    })
  })
})

describe('reelwright setup', () => {
  it('continues after a failure, reports each pack, and fails by its exit code', async () => {
    const more = { ears: { ...modelPack(), artifact: { ...modelPack().artifact, file: 'ears.onnx' } } }
    const packs = packsOf({}, { ...more, ...manifest })
    const first = await run('setup', packs)
    expect(first.code).toBe(1)
    expect(first.out).toMatch(/^ears: .*ears\.onnx responds with 404\n {2}-> .*\neyes: installed \(1 MiB\)\n/)
    fixture.mirror.files.set('ears.onnx', modelBytes)
    expect(await run('setup', packs)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^ears: installed \(1 MiB\)\neyes: already installed\n\n.*audio_language_detect: .*\n {2}-> .*\n\nReady, except .*audio_language_detect/s,
      ),
    })
    // The agents that call answer its questions.
    expect((await run('setup', packs)).out).not.toContain('subtitle_translate')
  })

  it('reports a folder that cannot be written', async () => {
    const packs = packsOf()
    await mkdir(join(fixture.folder, 'data'))
    await copyFile(import.meta.filename, packs.folder)
    expect(await run('pull', packs)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^reelwright: .*\nFix: /),
    })
  })
})
