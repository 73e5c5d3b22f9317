import { execFile, fork, type ChildProcess } from 'node:child_process'
import { createCipheriv, createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Artifact, EnginePack, Manifest, ModelPack } from '../../src/engines/packs/manifest.ts'
import { locatePack, type Packs } from '../../src/engines/packs/store.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { startMirror, type Mirror } from './mirror.ts'
import { runModelsCommand } from './run-models-command.ts'

/** Content of a test model: 1 MiB of incompressible bytes. */
export const modelBytes = pseudoRandom(2 ** 20)

function pseudoRandom(size: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size))
}

/** Name, size and checksum of a file, as in a manifest. */
export function artifactOf(file: string, content: Buffer): Artifact {
  return { file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/** Manifest entry of a small model. */
export function modelPack(content = modelBytes, address = 'https://models.invalid/eyes.onnx'): ModelPack {
  return {
    kind: 'model',
    title: 'Eyes',
    enables: 'seeing',
    licence: 'MIT',
    memory: 1,
    artifact: { ...artifactOf('eyes.onnx', content), address },
  }
}

/** Packs an npm package that exports 42, with builds for two machines, and its manifest entry. */
export async function enginePackage(folder: string): Promise<{ pack: EnginePack; archive: Buffer }> {
  const name = '@reelwright-test/engine'
  const stage = join(folder, 'stage', 'package')
  const { platform, arch } = process
  for (const part of [`bin/${platform}/${arch}`, 'bin/other/cpu']) {
    await mkdir(join(stage, part), { recursive: true })
    await writeFile(join(stage, part, 'answer.js'), 'module.exports = 42\n')
  }
  await writeFile(
    join(stage, 'index.js'),
    'module.exports = require(`./bin/${process.platform}/${process.arch}/answer`)\n',
  )
  const scripts = { postinstall: 'node -e "process.exit(1)"' }
  await writeFile(
    join(stage, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', main: 'index.js', scripts }),
  )
  const file = 'reelwright-test-engine-1.0.0.tgz'
  await promisify(execFile)('tar', ['-czf', join(folder, file), '-C', join(folder, 'stage'), 'package'])
  const archive = await readFile(join(folder, file))
  await rm(join(folder, 'stage'), { recursive: true })
  const pack: EnginePack = {
    kind: 'engine',
    title: 'Engine',
    enables: 'moving',
    licence: 'MIT',
    memory: 1,
    unpackedBytes: 1000,
    packages: [
      {
        name,
        version: '1.0.0',
        artifact: artifactOf(file, archive),
        extract: ['package.json', 'index.js', 'bin/{platform}/{arch}'],
      },
    ],
  }
  return { pack, archive }
}

/** Pack settings of a test, in its folder. */
export function testPacks(folder: string, manifest: Manifest, settings: Partial<Packs> = {}): Packs {
  return { folder: join(folder, 'data', 'reelwright-packs'), automatic: true, own: {}, ...settings, manifest }
}

/** A folder and a mirror that offers the test model. */
export interface PackMirror {
  readonly folder: string
  readonly mirror: Mirror
  /** Pack settings in the folder, which use the mirror by default. */
  packsOf(manifest: Manifest, settings?: Partial<Packs>): Packs
}

/** Creates a new folder and mirror for each test of the file, and removes them after it. */
export function usePackMirror(): PackMirror {
  let scratch: Awaited<ReturnType<typeof temporaryFolder>>
  let mirror: Mirror
  beforeEach(async () => {
    scratch = await temporaryFolder()
    mirror = await startMirror({ 'eyes.onnx': modelBytes })
  })
  afterEach(async () => {
    await mirror[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  return {
    get folder() {
      return scratch.path
    },
    get mirror() {
      return mirror
    },
    packsOf: (manifest, settings) =>
      testPacks(scratch.path, manifest, { mirror: mirror.address, ...settings }),
  }
}

/** Exit code and output of a command. */
export interface ModelsResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Folder and packs that a command uses. */
interface ModelsOptions {
  readonly folder: string
  readonly packs: Packs
}

/** Runs a subcommand of `reelwright models` in this process. One at a time, because all write to its streams. */
export async function runModels(
  command: string,
  name: string,
  { folder, packs }: ModelsOptions,
): Promise<ModelsResult> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text)
      return true
    }),
  )
  try {
    const code = await runModelsCommand(command, name, { dataDir: join(folder, 'data'), packs })
    return { code, out: written.stdout, err: written.stderr }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Like `runModels`, in a separate process. */
export function runModelsProcess(
  command: string,
  name: string,
  subject: ModelsOptions,
): Promise<ModelsResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, argsOf(command, name, subject), (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}

/** Starts such a process, so that the test can kill it. */
export function startModelsProcess(command: string, name: string, subject: ModelsOptions): ChildProcess {
  const [entry = '', ...args] = argsOf(command, name, subject)
  return fork(entry, args, { execArgv: [], stdio: 'ignore' })
}

function argsOf(command: string, name: string, { folder, packs }: ModelsOptions): string[] {
  const entry = join(import.meta.dirname, 'entry.ts')
  return [entry, command, name, JSON.stringify({ dataDir: join(folder, 'data'), packs })]
}

/** Files in the folder of packs, without locks. */
export async function listPackFiles({ folder }: Packs): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => !/\.lock(-journal)?$/.test(name))
}

/** Asserts that the model is complete and returns its path. */
export async function expectInstalled(packs: Packs): Promise<string> {
  const path = (await locatePack(packs, 'eyes')) ?? ''
  expect((await readFile(path)).equals(modelBytes)).toBe(true)
  expect(await listPackFiles(packs)).toHaveLength(1)
  return path
}

/** Asserts that no file of the model is installed. */
export async function expectNotInstalled(packs: Packs): Promise<void> {
  expect(await locatePack(packs, 'eyes')).toBeNull()
  for (const name of await listPackFiles(packs)) expect(name).toMatch(/\.part$/)
}
