import { writeFile } from 'node:fs/promises'
import { htmlRenderSimple } from '../../tools/html-render-simple/contract.ts'
import { plan } from '../../tools/html-render-simple/plan.ts'
import { run } from '../../tools/html-render-simple/run.ts'
import { fileIdOf, runInWorker, stageFiles, type OperationRun } from '../tasks/run-in-worker.ts'

export type RenderedBeats = OperationRun<typeof htmlRenderSimple>

interface RenderBeatsOptions {
  readonly composition: Readonly<Record<string, unknown>>
  readonly renderBeats?: Readonly<Record<string, unknown>>
  /** Paths by the names of assets. */
  readonly assets?: Readonly<Record<string, string>>
}

/** Plans and runs a request in `folder`, like the service and a worker. */
export async function renderBeats(
  { composition, renderBeats: encoding, assets = {} }: RenderBeatsOptions,
  folder: string,
): Promise<RenderedBeats> {
  const files = await stageFiles(Object.values(assets))
  const ids = Object.fromEntries(Object.entries(assets).map(([name, path]) => [name, fileIdOf(path)]))
  const request = {
    composition: { assets: { file_id: ids }, tracks: [], ...composition },
    ...(encoding && { render: encoding }),
  }
  return runInWorker({ operation: htmlRenderSimple, plan, run }, request, { files, folder })
}

/** Returns the source of a particle from its content and the body of `seek(t)`. */
export function htmlParticle(
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
