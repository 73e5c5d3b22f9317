import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extensionOf, kindOf } from '../../src/contract/file.ts'
import type { GivenFiles, OutputOf, Plan, RunContext, StagedFile } from '../../src/contract/operation.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { givenFiles } from '../../src/tasks/given-files.ts'
import { htmlRenderSimple } from '../../tools/html-render-simple/contract.ts'
import { plan } from '../../tools/html-render-simple/plan.ts'
import { run } from '../../tools/html-render-simple/run.ts'

export interface Rendered {
  readonly output: OutputOf<typeof htmlRenderSimple>
  readonly plan: Plan
  /** The result; removed with the folder it was made in. */
  readonly path: string
  readonly name: string
  readonly progress: readonly number[]
}

/** Staged files by path, as the service would hand them over: the path stands for the file id. */
export async function stage(paths: readonly string[]): Promise<GivenFiles<StagedFile>> {
  const files = new Map<string, StagedFile>()
  for (const path of paths) {
    const kind = kindOf(extensionOf(path)) ?? 'text'
    const facts = kind === 'text' ? null : await probe(path)
    const { size } = await stat(path)
    files.set(path.slice(-64), { file_id: path.slice(-64), name: basename(path), size, kind, facts, path })
  }
  return givenFiles(files)
}

/** A context of a run whose results are listed. */
export function contextOf(
  files: GivenFiles<StagedFile>,
  scratch: string,
): { context: RunContext; kept: { path: string; name: string }[]; progress: number[] } {
  const kept: { path: string; name: string }[] = []
  const progress: number[] = []
  const context: RunContext = {
    files,
    scratch,
    taskId: '1763712000000000001',
    threads: 2,
    signal: new AbortController().signal,
    progress: (percent) => progress.push(percent),
    keep: (file) => {
      kept.push(file)
      return { file_id: String(kept.length), download_url: '/base/file/1/download' }
    },
  }
  return { context, kept, progress }
}

interface Wish {
  readonly composition: Readonly<Record<string, unknown>>
  readonly render?: Readonly<Record<string, unknown>>
  /** Paths by the names of assets. */
  readonly assets?: Readonly<Record<string, string>>
}

/** Plans and runs a request, as creation and a worker do, into `folder`. */
export async function render(
  { composition, render: how, assets = {} }: Wish,
  folder: string,
): Promise<Rendered> {
  const files = await stage(Object.values(assets))
  const ids = Object.fromEntries(Object.entries(assets).map(([name, path]) => [name, path.slice(-64)]))
  const input = htmlRenderSimple.input.parse({
    composition: { assets: { file_id: ids }, tracks: [], ...composition },
    ...(how && { render: how }),
  })
  const planned = plan(input, files)
  await mkdir(folder, { recursive: true })
  const { context, kept, progress } = contextOf(files, await mkdtemp(join(folder, 'run-')))
  const output = await run(input, context)
  const [result] = kept
  if (!result || kept.length > 1) throw new Error(`${kept.length} files were kept`)
  return { output: htmlRenderSimple.output.parse(output), plan: planned, progress, ...result }
}

/** The source of a particle: what it holds, and how its state at t seconds is shown. */
export function particle(
  { width = 320, height = 180, duration = 10 }: { width?: number; height?: number; duration?: number },
  inside: string,
  seek = '',
): string {
  return `<template data-composition-id="test" data-width="${width}" data-height="${height}">
${inside}
<script>
window.__timelines = { test: { duration: () => ${duration}, seek(t) { ${seek} } } }
</script>
</template>`
}

/** Writes a particle to a file. */
export async function particleFile(path: string, source: string): Promise<string> {
  await writeFile(path, source)
  return path
}
