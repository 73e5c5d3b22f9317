import { writeFile } from 'node:fs/promises'
import { htmlRenderSimple } from '../../tools/html-render-simple/contract.ts'
import { plan } from '../../tools/html-render-simple/plan.ts'
import { run } from '../../tools/html-render-simple/run.ts'
import { idOf, runOperation, stage, type Made } from '../tasks/run-operation.ts'

export type Rendered = Made<typeof htmlRenderSimple>

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
  const ids = Object.fromEntries(Object.entries(assets).map(([name, path]) => [name, idOf(path)]))
  const request = {
    composition: { assets: { file_id: ids }, tracks: [], ...composition },
    ...(how && { render: how }),
  }
  return runOperation({ operation: htmlRenderSimple, plan, run }, request, { files, folder })
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
