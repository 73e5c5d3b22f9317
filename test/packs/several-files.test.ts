import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packArtifacts, enginePackages, thisMachine } from '../../src/engines/packs/machine.ts'
import { manifest, type EnginePack, type ModelPack } from '../../src/engines/packs/manifest.ts'
import { installPack } from '../../src/engines/packs/install.ts'
import { modelSha256 } from '../../src/engines/packs/sha256.ts'
import { locatePack } from '../../src/engines/packs/store.ts'
import { requirePack, configurePacks, packStates } from '../../src/engines/packs/resolve.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { startMirror, type Mirror } from './mirror.ts'
import { artifactOf, enginePackage, modelBytes, modelPack, runModels, testPacks } from './pack-fixtures.ts'

let scratch: Awaited<ReturnType<typeof temporaryFolder>>
let mirror: Mirror
const words = Buffer.from('one 1\ntwo 2\n')

beforeEach(async () => {
  scratch = await temporaryFolder()
  mirror = await startMirror({ 'eyes.onnx': modelBytes, 'eyes.tokens.txt': words })
})
afterEach(async () => {
  await mirror[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

const tokens = { ...artifactOf('eyes.tokens.txt', words), address: 'https://models.invalid/eyes.tokens.txt' }
const pack: ModelPack = { ...modelPack(), otherFiles: [tokens] }

describe('a model of two files', () => {
  it('is located by its first file, with the second beside it; both are verified', async () => {
    const packs = testPacks(scratch.path, { eyes: pack }, { mirror: mirror.address })
    const subject = { folder: scratch.path, packs }
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(mirror.requests).toEqual(['eyes.onnx', 'eyes.tokens.txt'])
    const packPath = (await locatePack(packs, 'eyes')) ?? ''
    expect(basename(packPath)).toBe('eyes.onnx')
    const second = join(dirname(packPath), 'eyes.tokens.txt')
    expect(await readFile(second)).toEqual(words)
    await writeFile(second, 'one 2\ntwo 1\n')
    expect(await runModels('verify', 'eyes', subject)).toMatchObject({
      code: 1,
      out: expect.stringContaining('eyes: damaged (eyes.tokens.txt)'),
    })
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    await rm(second)
    expect(await locatePack(packs, 'eyes')).toBeNull()
  })

  it('counts as missing while its second file has the wrong content', async () => {
    mirror.files.set('eyes.tokens.txt', Buffer.from('one 2\ntwo 1\n'))
    const packs = testPacks(scratch.path, { eyes: pack }, { mirror: mirror.address })
    await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('eyes.tokens.txt is not the expected file'),
    })
    expect(await locatePack(packs, 'eyes')).toBeNull()
  })

  it('can be optional: setup skips it, and operations that need it report the install command', async () => {
    const eyes = { ...pack, optional: true, artifact: { ...pack.artifact, bytes: 30e6 } }
    const packs = testPacks(scratch.path, { 'text-detection': eyes }, { mirror: mirror.address })
    configurePacks(packs)
    const fix = 'reelwright models pull text-detection'
    expect(await packStates(packs)).toMatchObject([{ state: 'optional', fix }])
    expect(await runModels('setup', '', { folder: scratch.path, packs })).toMatchObject({ code: 0 })
    expect(mirror.requests).toEqual([])
    await expect(requirePack('text-detection')).rejects.toMatchObject({ code: 6401, hint: fix })
  })
})

describe('a model whose files come in an archive', () => {
  it('is unpacked beside its first file, and the archive is removed', async () => {
    const folder = join(scratch.path, 'made', 'voice-1.0')
    await mkdir(join(folder, 'data'), { recursive: true })
    await writeFile(join(folder, 'tokens.txt'), words)
    await writeFile(join(folder, 'data', 'phontab'), 'p')
    const file = 'voice-1.0.tar.bz2'
    await promisify(execFile)('tar', [
      '-cjf',
      join(scratch.path, file),
      '-C',
      join(folder, '..'),
      'voice-1.0',
    ])
    const archive = await readFile(join(scratch.path, file))
    mirror.files.set(file, archive)
    const address = `https://models.invalid/${file}`
    const voice = {
      ...modelPack(),
      otherFiles: [{ ...artifactOf(file, archive), address, unpackedBytes: 100 }],
    }
    const packs = testPacks(scratch.path, { eyes: voice }, { mirror: mirror.address })
    const subject = { folder: scratch.path, packs }
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    const packPath = dirname((await locatePack(packs, 'eyes')) ?? '')
    expect((await readdir(packPath)).toSorted()).toEqual(['data', 'eyes.onnx', 'pack.json', 'tokens.txt'])
    expect(await runModels('verify', 'eyes', subject)).toMatchObject({ code: 0 })
    await writeFile(join(packPath, 'data', 'phontab'), 'q')
    expect(await runModels('verify', 'eyes', subject)).toMatchObject({
      code: 1,
      out: expect.stringContaining('eyes: damaged (data/phontab)'),
    })
  })
})

describe('a folder that users provide', () => {
  it('has the checksum that shell commands compute, and is rejected when any file differs', async () => {
    const folder = join(scratch.path, 'voice')
    await mkdir(join(folder, 'espeak-ng-data', 'lang'), { recursive: true })
    await writeFile(join(folder, 'encoder.onnx'), modelBytes)
    await writeFile(join(folder, 'espeak-ng-data', 'lang', 'zh'), 'zh')
    await writeFile(join(folder, 'Ä b.txt'), 'text')
    await symlink('encoder.onnx', join(folder, 'linked.onnx'))
    const script = 'find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum'
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder })
    const sha256 = stdout.slice(0, 64)
    expect(await modelSha256(folder)).toBe(sha256)
    const configured = { voice: { path: folder, sha256 } }
    const title = { kind: 'own', title: 'Voice', enables: 'speaking', licence: 'its own' } as const
    const packs = testPacks(scratch.path, { voice: title }, { own: configured })
    expect(await locatePack(packs, 'voice')).toBe(folder)
    await writeFile(join(folder, 'espeak-ng-data', 'lang', 'en'), 'en')
    await expect(locatePack(packs, 'voice')).rejects.toMatchObject({ code: 6016 })
  })
})

describe('an engine with one package per machine', () => {
  it('downloads only the package of this machine', async () => {
    const { pack: engine, archive } = await enginePackage(scratch.path)
    const [first] = engine.packages
    mirror.files.set(first.artifact.file, archive)
    const other = { ...first, name: '@reelwright-test/amiga', machine: 'amiga-m68k' }
    const elsewhere: EnginePack = {
      ...engine,
      packages: [
        { ...first, machine: thisMachine() },
        { ...other, artifact: artifactOf('amiga.tgz', words) },
      ],
    }
    const packs = testPacks(scratch.path, { engine: elsewhere }, { mirror: mirror.address })
    expect(await installPack(packs, 'engine')).toBe('pulled')
    expect(mirror.requests).toEqual([first.artifact.file])
    expect(enginePackages(elsewhere, 'amiga-m68k').map(({ name }) => name)).toEqual([
      '@reelwright-test/amiga',
    ])
  })

  it('sherpa-onnx has a package for each machine, and the loaded files', () => {
    const engine = manifest['sherpa-onnx']
    for (const machine of engine.builds) {
      const files = packArtifacts(engine, machine).map(({ file }) => file)
      expect(files).toEqual([
        'sherpa-onnx-node-1.13.8.tgz',
        `sherpa-onnx-${machine.replace('win32', 'win')}-1.13.8.tgz`,
      ])
    }
  })
})
