import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { splitSearchPath } from '../../src/platform/environment.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the programs that start ffmpeg and ffprobe, kept for one run. */
    readonly ffmpegStarters: string
  }
}

const run = promisify(execFile)

const maxReportBytes = 64 * 2 ** 20

/** The libraries of ffmpeg itself. */
const isOwn = (library: string): boolean => /^lib(av|sw|postproc)/.test(basename(library))

/** Libraries that the tests use, besides those of ffmpeg itself and all that these load. */
const used = new Set([
  ...['c', 'm', 'z', 'bz2', 'lzma', 'ass', 'fribidi', 'fontconfig', 'freetype', 'zimg', 'rubberband'],
  ...['x264', 'x265', 'vpx', 'dav1d', 'webp', 'webpmux', 'opus', 'vorbis', 'vorbisenc', 'mp3lame'],
  // ffmpeg calls these at its start, when it lists encoders, and to recognise the format of any file.
  ...['gnutls', 'aom', 'gme', 'openmpt'],
])
const isUsed = (library: string): boolean => used.has(/^lib(.+?)\.so/.exec(basename(library))?.[1] ?? '')

/**
 * Lets tests start ffmpeg in a quarter of its time. Distributions link it with more than 200 libraries, most of them for
 * devices, networks and formats that Reelwright does not use. Programs of the same names, first in PATH, start the installed
 * ones with one empty library in the place of these. A test that needs another library crashes with SIGSEGV until `used`
 * lists it. No effect without binutils, with a linker that does not report its bindings, or with an ffmpeg that needs more.
 */
export async function setup(project: TestProject): Promise<void> {
  // Once for all projects of the run.
  if (project.getProvidedContext().ffmpegStarters !== undefined) return
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-ffmpeg-start-'))
  // Not at the teardown, which an interrupted run skips.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Also for tests that run programs as another user.
  await chmod(folder, 0o755)
  const programs = ['ffmpeg', 'ffprobe'].flatMap((name) => findProgram(name) ?? [])
  if (findProgram('as') !== undefined && findProgram('ld') !== undefined)
    await Promise.all(programs.map((program) => addStarter(folder, program)))
  process.env['PATH'] = [folder, process.env['PATH']].join(delimiter)
  project.vitest.provide('ffmpegStarters', folder)
}

function findProgram(name: string): string | undefined {
  return splitSearchPath(process.env['PATH'])
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate))
}

/** Writes a program to the folder that starts the given one without its unused libraries. */
async function addStarter(folder: string, program: string): Promise<void> {
  const omitted = await findOmitted(program)
  const symbols = await listSymbols(program, omitted)
  if (symbols.length === 0) return
  const libraries = join(folder, `${basename(program)}-libraries`)
  await mkdir(libraries, { mode: 0o755 })
  const empty = await linkEmptyLibrary(libraries, symbols)
  for (const library of omitted) await symlink(empty, join(libraries, basename(library)))
  const script = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}' exec '${program}' "$@"\n`
  const starter = join(folder, basename(program))
  await writeFile(starter, script, { mode: 0o755 })
  if (!(await endsByItself(starter, ['-encoders'])) || !(await endsByItself(starter, ['-i', starter])))
    await rm(starter)
}

/** Whether a program ends with or without an error, but not by a signal. */
async function endsByItself(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    ({ signal }: { readonly signal: string | null }) => signal === null,
  )
}

/** Returns the paths of the libraries that a program loads and the tests do not use. */
async function findOmitted(program: string): Promise<ReadonlySet<string>> {
  const loaded = await listLibraries(program)
  const roots = [...loaded].filter(isUsed)
  const needed = new Set([...roots, ...(await listLibraries(...roots))])
  return new Set([...loaded].filter((library) => !needed.has(library) && !isOwn(library)))
}

/** Returns the paths of all libraries that the given files load, also indirectly. Empty on systems without `ldd`. */
async function listLibraries(...files: readonly string[]): Promise<ReadonlySet<string>> {
  const { stdout } = await run('ldd', files).catch(() => ({ stdout: '' }))
  return new Set([...stdout.matchAll(/=> (\/.+) \(/g)].map(([, library = '']) => library))
}

/** A name of a function or variable and, if the library has several, its version. */
interface LinkedSymbol {
  readonly name: string
  readonly version: string | undefined
}

/** Returns the symbols of the omitted libraries that a program and the libraries of ffmpeg refer to. */
async function listSymbols(program: string, omitted: ReadonlySet<string>): Promise<readonly LinkedSymbol[]> {
  const env = { ...process.env, LD_DEBUG: 'bindings', LD_BIND_NOW: '1' }
  const { stderr } = await run(program, ['-version'], { env, maxBuffer: maxReportBytes }).catch(() => ({
    stderr: '',
  }))
  const symbols = new Map<string, LinkedSymbol>()
  const bindings = stderr.matchAll(
    /binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `(.+)'(?: \[(.+)\])?/g,
  )
  for (const [, from = '', to = '', name = '', version] of bindings)
    if (omitted.has(to) && (from === program || isOwn(from)))
      symbols.set(`${name}@${version}`, { name, version })
  return [...symbols.values()]
}

/** Links a library in which each symbol is the address of the same empty page. Returns its path. */
async function linkEmptyLibrary(folder: string, symbols: readonly LinkedSymbol[]): Promise<string> {
  const assembly = join(folder, 'empty.s')
  const object = join(folder, 'empty.o')
  const versions = join(folder, 'empty.map')
  const library = join(folder, 'empty.so')
  const lines = symbols.map(({ name }) => `.globl ${name}\n${name} = empty`)
  await writeFile(assembly, ['.data', 'empty: .zero 4096', ...new Set(lines), ''].join('\n'))
  await writeFile(versions, formatVersions(symbols))
  await run('as', [assembly, '-o', object])
  await run('ld', ['-shared', '--version-script', versions, '-o', library, object])
  return library
}

/** Formats the version script of the linker. Symbols without a version are not in it. */
function formatVersions(symbols: readonly LinkedSymbol[]): string {
  const named = Map.groupBy(symbols, ({ version }) => version)
  named.delete(undefined)
  return [...named]
    .map(([version, members]) => `${version} { ${members.map(({ name }) => `${name};`).join(' ')} };\n`)
    .join('')
}
