import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extensionOf, kindOf } from '../../src/contract/file.ts'
import type { OutputOf, Plan, StagedFile } from '../../src/contract/operation.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { givenFiles } from '../../src/tasks/given-files.ts'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { plan } from '../../tools/music-visualizer/plan.ts'
import { run } from '../../tools/music-visualizer/run.ts'

export interface Rendered {
  readonly output: OutputOf<typeof musicVisualizer>
  readonly plan: Plan
  /** The result; removed with the folder it was made in. */
  readonly path: string
  readonly name: string
  readonly progress: readonly number[]
}

const fileFields = ['file_id', 'background_file_id', 'cover_file_id'] as const

/** A request whose files are given by path. */
export type Request = Readonly<Record<string, unknown>> & {
  readonly file_id: string
  readonly template_id: string
}

/** The request as a run sees it, and its files staged: the end of a path stands for the file id. */
export async function stage(request: Request) {
  const files = new Map<string, StagedFile>()
  const given: Record<string, unknown> = { ...request }
  for (const field of fileFields) {
    const path = request[field]
    if (typeof path !== 'string') continue
    const file_id = path.slice(-64)
    const facts = await probe(path)
    const kind = kindOf(extensionOf(path)) ?? 'audio'
    files.set(file_id, { file_id, name: basename(path), size: facts.size, kind, facts, path })
    given[field] = file_id
  }
  return { input: musicVisualizer.input.parse(given), files: givenFiles(files) }
}

/** Plans and runs a request as creation and a worker do, into `folder`. */
export async function render(request: Request, folder: string): Promise<Rendered> {
  const { input, files } = await stage(request)
  const kept: { path: string; name: string }[] = []
  const progress: number[] = []
  const output = await run(input, {
    files,
    taskId: '1763712000000000001',
    scratch: await mkdtemp(join(folder, 'run-')),
    threads: 2,
    signal: new AbortController().signal,
    progress: (percent) => progress.push(percent),
    keep: (file) => {
      kept.push(file)
      return { file_id: String(kept.length), download_url: '/base/file/1/download' }
    },
  })
  const [result] = kept
  if (!result || kept.length > 1) throw new Error(`${kept.length} files were kept`)
  return { output, plan: plan(input, files), progress, ...result }
}
