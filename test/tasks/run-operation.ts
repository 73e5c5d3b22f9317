import type { Stats } from 'node:fs'
import { mkdir, mkdtemp, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extensionOf, kindOf } from '../../src/contract/file-kind.ts'
import type { MediaFacts } from '../../src/contract/media-facts.ts'
import {
  type InputOf,
  type Operation,
  type OutputOf,
  type Plan,
  type PlanOperation,
  type PlanOperationWithTexts,
  requestFiles,
  type RequestFiles,
  type RunContext,
  type RunOperation,
  type StagedFile,
} from '../../src/contract/operation.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'

/** What a run made. */
export interface Made<O extends Operation> {
  readonly output: OutputOf<O>
  readonly plan: Plan
  /** The result; removed with the folder it was made in. */
  readonly path: string
  readonly name: string
  readonly progress: readonly number[]
}

/** The file id that stands for a path: its end, as an id is at most 64 characters long. */
export function idOf(path: string): string {
  return path.slice(-64)
}

/** By what changes with a file: the service too probes a file once, as it comes. */
const probed = new Map<string, Promise<MediaFacts>>()

function factsOf(path: string, { ino, mtimeMs, size }: Stats): Promise<MediaFacts> {
  const version = [path, ino, mtimeMs, size].join()
  const facts = probed.get(version) ?? probe(path)
  probed.set(version, facts)
  return facts
}

/** Files by path, as the service would hand them over. */
export async function stage(paths: Iterable<string>): Promise<RequestFiles<StagedFile>> {
  const files = new Map<string, StagedFile>()
  for (const path of new Set(paths)) {
    const kind = kindOf(extensionOf(path)) ?? 'video'
    const state = await stat(path)
    const facts = kind === 'text' ? null : await factsOf(path, state)
    const { size } = state
    files.set(idOf(path), { file_id: idOf(path), name: basename(path), size, kind, facts, path })
  }
  return requestFiles(files)
}

/** A context of a run whose results and progress are listed. */
export function contextOf(
  files: RequestFiles<StagedFile>,
  scratch: string,
  signal = new AbortController().signal,
): { context: RunContext; kept: { path: string; name: string }[]; progress: number[] } {
  const kept: { path: string; name: string }[] = []
  const progress: number[] = []
  const context: RunContext = {
    ...{ files, scratch, steps: scratch, taskId: '1763712000000000001', threads: 2, signal },
    progress: (percent) => progress.push(percent),
    keep: (file) => {
      kept.push(file)
      return { file_id: String(kept.length), download_url: '/base/file/1/download' }
    },
  }
  return { context, kept, progress }
}

interface Parts<O extends Operation> {
  readonly operation: O
  readonly plan: PlanOperation<O> | PlanOperationWithTexts<O>
  readonly run: RunOperation<O>
}

interface Place {
  readonly files: RequestFiles<StagedFile>
  /** Made where it is not there. */
  readonly folder: string
  readonly signal?: AbortSignal
}

/** Plans and runs a request whose files are named by `idOf` their paths, as creation and a worker do. */
export async function runOperation<O extends Operation>(
  { operation, plan, run }: Parts<O>,
  request: unknown,
  { files, folder, signal }: Place,
): Promise<Made<O>> {
  const input = operation.input.parse(request) as InputOf<O>
  const planned = await plan(input, files, (fileId) => readFile(files.get(fileId).path))
  await mkdir(folder, { recursive: true })
  const { context, kept, progress } = contextOf(files, await mkdtemp(join(folder, 'run-')), signal)
  const output = operation.output.parse(await run(input, context)) as OutputOf<O>
  const [result] = kept
  if (!result || kept.length > 1) throw new Error(`${kept.length} files were kept`)
  return { output, plan: planned, progress, ...result }
}
