import { once } from 'node:events'
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { machineName } from '../../src/engines/packs/machine.ts'
import { manifest, type EnginePack } from '../../src/engines/packs/manifest.ts'
import { installPack } from '../../src/engines/packs/install.ts'
import { packFolder, locatePack } from '../../src/engines/packs/store.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { startMirror } from './mirror.ts'
import { enginePackage, listPackFiles, runModels, testPacks } from './pack-fixtures.ts'

let scratch: Awaited<ReturnType<typeof temporaryFolder>>
let pack: EnginePack
let archive: Buffer

beforeEach(async () => {
  scratch = await temporaryFolder()
  ;({ pack, archive } = await enginePackage(scratch.path))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await scratch[Symbol.asyncDispose]()
})

const file = 'reelwright-test-engine-1.0.0.tgz'

async function expectUsable(folder: string | null): Promise<void> {
  const engineFolder = folder ?? ''
  expect(createRequire(join(engineFolder, 'engine.cjs'))('@reelwright-test/engine')).toBe(42)
  const files = await readdir(join(engineFolder, 'node_modules', '@reelwright-test', 'engine'), {
    recursive: true,
  })
  expect(files).toContain(join('bin', process.platform, process.arch, 'answer.js'))
  expect(files).not.toContain(join('bin', 'other'))
  expect((await readdir(engineFolder)).toSorted()).toEqual(['node_modules', 'pack.json'])
}

it('installing an engine from a mirror unpacks only the files that this machine needs', async () => {
  const mirror = join(scratch.path, 'mirror')
  await mkdir(mirror)
  await copyFile(join(scratch.path, file), join(mirror, file))
  const packs = testPacks(scratch.path, { engine: pack }, { mirror })
  const subject = { folder: scratch.path, packs }
  expect(await runModels('pull', 'engine', subject)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/installed/),
  })
  const engineFolder = await locatePack(packs, 'engine')
  await expectUsable(engineFolder)
  expect(await runModels('verify', 'engine', subject)).toMatchObject({ code: 0 })
  const enginePath = `node_modules/@reelwright-test/engine/bin/${process.platform}/${process.arch}/answer.js`
  await writeFile(join(engineFolder ?? '', enginePath), 'module.exports = 41\n')
  expect(await runModels('verify', 'engine', subject)).toMatchObject({
    code: 1,
    out: `engine: damaged (${enginePath})\n  -> reelwright models pull engine\n`,
  })
  await runModels('pull', 'engine', subject)
  await expectUsable(await locatePack(packs, 'engine'))
})

it('a downloaded engine is not downloaded again after its unpacking was interrupted', async () => {
  await using mirror = await startMirror({ [file]: archive })
  const packs = testPacks(scratch.path, { engine: pack }, { mirror: mirror.address })
  const obstacle = join(`${packFolder(packs, 'engine', pack)}.part`, 'pack.json', 'more')
  await mkdir(obstacle, { recursive: true })
  await expect(installPack(packs, 'engine')).rejects.toMatchObject({ code: 6401 })
  expect(await locatePack(packs, 'engine')).toBeNull()
  await rm(join(obstacle, '..'), { recursive: true })
  expect(await installPack(packs, 'engine')).toBe('pulled')
  expect(mirror.requests).toEqual([file])
  await expectUsable(await locatePack(packs, 'engine'))
})

it('an engine installed for another machine is installed again', async () => {
  await using mirror = await startMirror({ [file]: archive })
  const settings = { mirror: mirror.address }
  const [first] = pack.packages
  const other: EnginePack = { ...pack, packages: [{ ...first, extract: ['package.json', 'bin/other/cpu'] }] }
  await installPack(testPacks(scratch.path, { engine: other }, settings), 'engine')
  const packs = testPacks(scratch.path, { engine: pack }, settings)
  expect(await locatePack(packs, 'engine')).toBeNull()
  await installPack(packs, 'engine')
  await expectUsable(await locatePack(packs, 'engine'))
})

it('the listed builds of ONNX Runtime are those in its package; musl has none', async () => {
  const { builds, packages } = manifest['onnx-runtime']
  const modules = join(import.meta.dirname, '../../node_modules', packages[0].name)
  const found = await readdir(join(modules, 'bin/napi-v6'), { recursive: true })
  const machines = found.map((path) => path.split(sep)).filter(({ length }) => length === 2)
  expect(machines.map((names) => names.join('-')).toSorted()).toEqual(builds.toSorted())
  expect(machineName({ platform: 'linux', arch: 'x64' }, true)).toBe('linux-x64')
  expect(builds).not.toContain(machineName({ platform: 'linux', arch: 'x64' }, false))
})

it('a machine without a build of the engine is reported', async () => {
  const packs = testPacks(scratch.path, { engine: { ...pack, builds: ['amiga-m68k'] } })
  const subject = { folder: scratch.path, packs }
  const message = /Engine has no build for \w+-\w+/
  expect(await runModels('pull', 'engine', subject)).toMatchObject({
    code: 1,
    err: expect.stringMatching(message),
  })
  expect(await runModels('list', '', subject)).toMatchObject({ code: 0, out: expect.stringMatching(message) })
  expect(await runModels('setup', '', subject)).toMatchObject({
    code: 0,
    out: expect.stringMatching(message),
  })
})

/** Starts a local npm registry with one package. */
async function startRegistry(content: Buffer): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(content)
    if (!/^\/@reelwright-test(%2f|\/)engine$/i.test(request.url ?? ''))
      return response.writeHead(404).end('{}')
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const version = {
      name: '@reelwright-test/engine',
      version: '1.0.0',
      dist: { tarball: `${address}engine.tgz`, integrity },
    }
    response.setHeader('content-type', 'application/json')
    return response.end(
      JSON.stringify({
        name: version.name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': version },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    address,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function useRegistry(registry: string): void {
  vi.stubEnv('npm_config_registry', registry)
  vi.stubEnv('npm_config_cache', join(scratch.path, 'cache'))
}

it("without a mirror, the user's npm downloads the engine without running its scripts", async () => {
  await using registry = await startRegistry(archive)
  const packs = testPacks(scratch.path, { engine: pack })
  useRegistry(registry.address)
  vi.stubEnv('npm_config_dry_run', 'true')
  vi.stubEnv('npm_config_pack_destination', scratch.path)
  expect(await runModels('pull', 'engine', { folder: scratch.path, packs })).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^engine: 0 % of .*\nengine: 100 % of /),
  })
  await expectUsable(await locatePack(packs, 'engine'))
})

it('a package of that name with other content is rejected', async () => {
  const { pack: other } = await enginePackage(join(scratch.path, 'other'))
  await using registry = await startRegistry(Buffer.concat([archive, Buffer.alloc(512)]))
  const packs = testPacks(scratch.path, { engine: other })
  useRegistry(registry.address)
  expect(await runModels('pull', 'engine', { folder: scratch.path, packs })).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not the expected file'),
  })
  expect(await locatePack(packs, 'engine')).toBeNull()
})

it('an engine unknown to npm is reported with the message of npm and a fix', async () => {
  await using registry = await startRegistry(archive)
  const [first] = pack.packages
  const packs = testPacks(scratch.path, { engine: { ...pack, packages: [{ ...first, version: '2.0.0' }] } })
  useRegistry(registry.address)
  expect(await runModels('pull', 'engine', { folder: scratch.path, packs })).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /npm cannot download @reelwright-test\/engine@2\.0\.0: .+\nFix: .*REELWRIGHT_MODELS_MIRROR/,
    ),
  })
  for (const name of await listPackFiles(packs)) expect(name).toMatch(/\.part$/)
})

it('a registry whose host is not found fails at once, with the fix', async () => {
  // A label of 64 characters is invalid, so that no name server is asked.
  useRegistry(`http://${'x'.repeat(64)}.example/`)
  const packs = testPacks(scratch.path, { engine: pack })
  const pause = () => Promise.reject(new Error('no second attempt is expected'))
  await expect(installPack(packs, 'engine', { pause })).rejects.toMatchObject({
    ...{ code: 6401, retryable: false },
    hint: expect.stringMatching(/^Connect this machine to the internet/),
  })
})

it('a registry that fails is asked three times, and each attempt is reported', async () => {
  const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    useRegistry(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const packs = testPacks(scratch.path, { engine: pack })
    const attempts: number[] = []
    const options = { pause: async () => undefined, onRetry: (attempt: number) => attempts.push(attempt) }
    await expect(installPack(packs, 'engine', options)).rejects.toMatchObject({ code: 6401, retryable: true })
    expect(attempts).toEqual([2, 3])
  } finally {
    server.close()
  }
})
