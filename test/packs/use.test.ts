import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadOnnxRuntime } from '../../src/engines/onnx/session.ts'
import { loadOpenCv } from '../../src/engines/opencv/load.ts'
import type { Manifest, PackName } from '../../src/engines/packs/manifest.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import type { Packs } from '../../src/engines/packs/store.ts'
import {
  findPack,
  loadEngine,
  requirePack,
  configurePacks,
  packStates,
  resolvePack,
} from '../../src/engines/packs/resolve.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import type { Capabilities } from '../../src/contract/catalog.ts'
import { routes } from '../../src/contract/routes.ts'
import { enginePackage, modelBytes, modelPack, testPacks, usePackMirror } from './pack-fixtures.ts'

const fixture = usePackMirror()

function usePacks(known: Manifest, settings: Partial<Packs> = {}): Packs {
  const packs = fixture.packsOf(known, settings)
  configurePacks(packs)
  return packs
}

const eyes: PackName = 'text-detection'
const runtime: PackName = 'onnx-runtime'
const userPack: PackName = 'inpainting'

describe('the first use', () => {
  it('of a small pack downloads it once for concurrent calls', async () => {
    usePacks({ [eyes]: modelPack() })
    await requirePack(eyes)
    expect(fixture.mirror.requests).toEqual([])
    expect(await findPack(eyes)).toBeNull()
    const resolved = await Promise.all([resolvePack(eyes), resolvePack(eyes)])
    expect(resolved[0]).toBe(resolved[1])
    expect(await findPack(eyes)).toBe(resolved[0])
    expect(fixture.mirror.requests).toEqual(['eyes.onnx'])
  })

  it('downloads nothing when automatic downloads are off', async () => {
    usePacks({ [eyes]: modelPack() }, { automatic: false })
    const rejection = { code: 6401, retryable: false, hint: `reelwright models pull ${eyes}` }
    await expect(requirePack(eyes)).rejects.toMatchObject(rejection)
    await expect(resolvePack(eyes)).rejects.toMatchObject(rejection)
    expect(fixture.mirror.requests).toEqual([])
  })

  it('does not download packs of 25 MB or more', async () => {
    const large = modelPack()
    const packOfSize = (bytes: number) => ({ [eyes]: { ...large, artifact: { ...large.artifact, bytes } } })
    usePacks(packOfSize(25_000_000))
    await expect(resolvePack(eyes)).rejects.toMatchObject({
      code: 6401,
      retryable: false,
      message: expect.stringContaining('23.8 MiB'),
      hint: `reelwright models pull ${eyes}`,
    })
    expect(fixture.mirror.requests).toEqual([])
    usePacks(packOfSize(24_999_999))
    await requirePack(eyes)
  })

  it('from a folder without its file is rejected in advance, with the name of the file', async () => {
    const folder = join(fixture.folder, 'mirror')
    const packs = usePacks({ [eyes]: modelPack() }, { mirror: folder })
    const missing = {
      detail: 'the mirror has no eyes.onnx of 1 MiB',
      fix: expect.stringMatching(/^Put eyes\.onnx into the folder .*models_mirror/) as string,
    }
    expect(await packStates(packs)).toMatchObject([{ name: eyes, state: 'missing', ...missing }])
    const rejection = { code: 6401, retryable: false, message: missing.detail, hint: missing.fix }
    await expect(requirePack(eyes)).rejects.toMatchObject(rejection)
    await mkdir(folder)
    await writeFile(join(folder, 'eyes.onnx'), 'half of it')
    await expect(requirePack(eyes)).rejects.toMatchObject(rejection)
    await writeFile(join(folder, 'eyes.onnx'), modelBytes)
    expect(await packStates(packs)).toMatchObject([{ name: eyes, state: 'automatic' }])
    await requirePack(eyes)
    expect(await resolvePack(eyes)).toContain('eyes')
  })

  it('without a network reports the install command', async () => {
    fixture.mirror.files.clear()
    usePacks({ [eyes]: modelPack() })
    await expect(resolvePack(eyes)).rejects.toMatchObject({
      code: 6401,
      hint: expect.stringMatching(new RegExp(`^reelwright models pull ${eyes} `)),
    })
  })

  it('of a model that no user provided uses the fallback', async () => {
    usePacks({ [userPack]: { kind: 'own', title: 'Fill', enables: 'filling', licence: 'its own' } })
    expect(await findPack(userPack)).toBeNull()
    await expect(requirePack(userPack)).rejects.toMatchObject({
      code: 6401,
      hint: expect.stringContaining('"models"'),
    })
  })

  it('of an engine loads it from its pack; an engine that fails to load is reported', async () => {
    const { pack, archive } = await enginePackage(fixture.folder)
    const [{ artifact, ...first }] = pack.packages
    fixture.mirror.files.set(artifact.file, archive)
    usePacks({ [runtime]: pack })
    expect(await loadEngine(runtime)).toEqual({ engine: 42 })
    const without = { ...pack, packages: [{ ...first, artifact, extract: ['package.json'] }] as const }
    configurePacks({ ...usePacks({ [runtime]: without }), folder: join(fixture.folder, 'other') })
    await expect(loadEngine(runtime)).rejects.toMatchObject({ code: 6401, retryable: false })
  })
})

describe('this program', () => {
  it('loads its engines from its own packages, with telemetry off', async () => {
    configurePacks(testPacks(fixture.folder, manifest))
    const { Tensor } = await loadOnnxRuntime()
    expect(new Tensor('float32', [1, 2], [1, 2]).size).toBe(2)
    const [{ cv }] = await Promise.all([loadOpenCv(), loadOpenCv()])
    const picture = new cv.Mat(2, 3, cv.CV_8UC1)
    expect([picture.rows, picture.cols]).toEqual([2, 3])
    picture.delete()
  })
})

describe('a service', () => {
  it('lists packs with their state, and the install command of missing ones', async () => {
    const path = join(fixture.folder, 'mine.onnx')
    await writeFile(path, 'other')
    usePacks(
      {
        [eyes]: modelPack(),
        [userPack]: { kind: 'own', title: 'Fill', enables: 'filling', licence: 'its own' },
        'optical-flow': { kind: 'own', title: 'Flow', enables: 'moving', licence: 'its own' },
      },
      { own: { [userPack]: { path, sha256: '0'.repeat(64) } } },
    )
    await using service = await startTestService()
    const answer = async () => (await api(service).send<Capabilities>(routes.capabilities.path)).data
    const missing = async () => (await answer()).packs
    expect(await missing()).toEqual([
      {
        name: eyes,
        title: 'Eyes',
        state: 'automatic',
        missing: expect.stringContaining(`reelwright models pull ${eyes}`),
      },
      { name: userPack, title: 'Fill', state: 'missing', missing: expect.stringContaining('SHA-256') },
      {
        name: 'optical-flow',
        title: 'Flow',
        state: 'optional',
        missing: expect.stringContaining('"models"'),
      },
    ])
    await resolvePack(eyes)
    expect((await missing())?.[0]).toEqual({ name: eyes, title: 'Eyes', state: 'ready', missing: null })
    expect(JSON.stringify(await answer())).not.toContain(fixture.folder)
    await rm(path)
    expect((await missing())?.[1]?.missing).toMatch(
      /cannot be read \(ENOENT\)\. Fix: Correct models\.inpainting\.path/,
    )
    expect(JSON.stringify(await answer())).not.toContain(fixture.folder)
  })
})
