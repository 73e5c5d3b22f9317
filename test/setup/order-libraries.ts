import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
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

/**
 * Lets tests start ffmpeg in two thirds of its processor time. Distributions link it with more than 200 libraries, and
 * half of a start searches them for 40,000 symbols. Programs of the same names, first in PATH, start the installed ones
 * with these libraries in the order of the number of such symbols that they define. No effect with a linker that does not
 * report its bindings.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Once for all projects of the run.
  if (project.getProvidedContext().ffmpegStarters !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-ffmpeg-start-'))
  // Also for tests that run programs as another user.
  await chmod(folder, 0o755)
  const path = process.env['PATH']
  const programs = ['ffmpeg', 'ffprobe'].flatMap((name) => findProgram(name) ?? [])
  for (const { name, file } of programs) {
    const libraries = await mostBound(file)
    if (libraries.length === 0) continue
    const script = `#!/bin/sh\nLD_PRELOAD='${libraries.join(':')}' exec '${file}' "$@"\n`
    await writeFile(join(folder, name), script, { mode: 0o755 })
  }
  process.env['PATH'] = [folder, path].join(delimiter)
  project.vitest.provide('ffmpegStarters', folder)
  return async () => {
    process.env['PATH'] = path
    await rm(folder, { recursive: true, force: true })
  }
}

function findProgram(name: string): { readonly name: string; readonly file: string } | undefined {
  const file = splitSearchPath(process.env['PATH'])
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate))
  return file === undefined ? undefined : { name, file }
}

/** Returns the paths of the libraries that define most symbols of a program's start, most first. */
async function mostBound(program: string): Promise<readonly string[]> {
  const env = { ...process.env, LD_DEBUG: 'bindings' }
  const { stderr } = await run(program, ['-version'], { env, maxBuffer: maxReportBytes }).catch(() => ({
    stderr: '',
  }))
  const counts = new Map<string, number>()
  for (const [, library = ''] of stderr.matchAll(/binding file \S+ \[\d+\] to (\/[^\s:']+) \[/g))
    counts.set(library, (counts.get(library) ?? 0) + 1)
  counts.delete(program)
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([library]) => library)
}
