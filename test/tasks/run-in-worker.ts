import { noLibrary } from './no-library.ts'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
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
import { hashFile } from '../../src/platform/hash.ts'

/** Result of a test run. */
export interface OperationRun<O extends Operation> {
  readonly output: OutputOf<O>
  readonly plan: Plan
  /** The result file; removed with the folder of the run. */
  readonly path: string
  readonly name: string
  readonly progress: readonly number[]
}

/** File id for a path: its last 64 characters, the longest valid id. */
export function fileIdOf(path: string): string {
  return path.slice(-64)
}

/** Facts by extension and contents of a file. Like the service, tests probe the same file once. */
const probed = new Map<string, Promise<MediaFacts>>()

/** Size up to which reading a file takes less time than probing it again, bytes. */
const maxComparedBytes = 64 * 2 ** 20

async function factsOf(path: string): Promise<MediaFacts> {
  if ((await stat(path)).size > maxComparedBytes) return await probe(path)
  const contents = createHash('sha256')
  for await (const chunk of createReadStream(path)) contents.update(chunk as Buffer)
  const version = `${contents.digest('hex')}${extensionOf(path)}`
  const facts = probed.get(version) ?? probe(path)
  probed.set(version, facts)
  return await facts
}

/** Request files for paths, as the service provides them. */
export async function stageFiles(paths: Iterable<string>): Promise<RequestFiles<StagedFile>> {
  const files = new Map<string, StagedFile>()
  for (const path of new Set(paths)) {
    const kind = kindOf(extensionOf(path)) ?? 'video'
    const facts = kind === 'text' ? null : await factsOf(path)
    const { size } = await stat(path)
    files.set(fileIdOf(path), {
      file_id: fileIdOf(path),
      name: basename(path),
      size,
      kind,
      facts,
      path,
      blake3: await hashFile(path),
    })
  }
  return requestFiles(files)
}

/** Run context that records results and progress. */
export function createTestContext(
  files: RequestFiles<StagedFile>,
  scratch: string,
  signal = new AbortController().signal,
): { context: RunContext; results: { path: string; name: string }[]; progress: number[] } {
  const results: { path: string; name: string }[] = []
  const progress: number[] = []
  const context: RunContext = {
    ...{ files, scratch, steps: scratch, taskId: '1763712000000000001', threads: 2, signal },
    progress: (percent) => progress.push(percent),
    library: noLibrary,
    keep: (file) => {
      results.push(file)
      return { file_id: String(results.length), download_url: '/base/file/1/download' }
    },
  }
  return { context, results, progress }
}

interface OperationParts<O extends Operation> {
  readonly operation: O
  readonly plan: PlanOperation<O> | PlanOperationWithTexts<O>
  readonly run: RunOperation<O>
}

interface RunInWorkerOptions {
  readonly files: RequestFiles<StagedFile>
  /** Created if missing. */
  readonly folder: string
  readonly signal?: AbortSignal
  /** Threads of the worker. Default: 2. */
  readonly threads?: number
}

/** Plans and runs a request in this process, as the service and a worker do. Its file ids are those of `fileIdOf`. */
export async function runInWorker<O extends Operation>(
  { operation, plan, run }: OperationParts<O>,
  request: unknown,
  { files, folder, signal, threads }: RunInWorkerOptions,
): Promise<OperationRun<O>> {
  const input = operation.input.parse(request) as InputOf<O>
  const planned = await plan(input, files, (fileId) => readFile(files.get(fileId).path))
  await mkdir(folder, { recursive: true })
  const { context, results, progress } = createTestContext(files, await mkdtemp(join(folder, 'run-')), signal)
  const output = operation.output.parse(
    await run(input, threads === undefined ? context : { ...context, threads }),
  ) as OutputOf<O>
  const [result] = results
  if (!result || results.length > 1) throw new Error(`${results.length} files were stored`)
  return { output, plan: planned, progress, ...result }
}
