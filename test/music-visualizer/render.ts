import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { plan } from '../../tools/music-visualizer/plan.ts'
import { run } from '../../tools/music-visualizer/run.ts'
import {
  fileIdOf,
  runOperation,
  stageFiles as stageFiles,
  type OperationRun,
} from '../tasks/run-operation.ts'

const fileFields = ['file_id', 'background_file_id', 'cover_file_id'] as const

/** A request with paths as files. */
export type Request = Readonly<Record<string, unknown>> & {
  readonly file_id: string
  readonly template_id: string
}

/** Returns the request with ids instead of paths, and its files. */
async function named(request: Request) {
  const given: Record<string, unknown> = { ...request }
  const paths: string[] = []
  for (const field of fileFields) {
    const path = request[field]
    if (typeof path !== 'string') continue
    paths.push(path)
    given[field] = fileIdOf(path)
  }
  return { given, files: await stageFiles(paths) }
}

/** Returns the parsed request and its files. */
export async function stage(request: Request) {
  const { given, files } = await named(request)
  return { input: musicVisualizer.input.parse(given), files }
}

/** Plans and runs a request in `folder`, like the service and a worker. */
export async function render(
  request: Request,
  folder: string,
): Promise<OperationRun<typeof musicVisualizer>> {
  const { given, files } = await named(request)
  return runOperation({ operation: musicVisualizer, plan, run }, given, { files, folder })
}
