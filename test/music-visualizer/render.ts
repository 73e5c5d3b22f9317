import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { plan } from '../../tools/music-visualizer/plan.ts'
import { run } from '../../tools/music-visualizer/run.ts'
import { fileIdOf, runInWorker, stageFiles, type OperationRun } from '../tasks/run-in-worker.ts'

const fileFields = ['file_id', 'background_file_id', 'cover_file_id'] as const

/** A request with paths as files. */
export type Request = Readonly<Record<string, unknown>> & {
  readonly file_id: string
  readonly template_id: string
}

/** Returns the request with ids instead of paths, and its files. */
async function replacePathsByIds(request: Request) {
  const body: Record<string, unknown> = { ...request }
  const paths: string[] = []
  for (const field of fileFields) {
    const path = request[field]
    if (typeof path !== 'string') continue
    paths.push(path)
    body[field] = fileIdOf(path)
  }
  return { body, files: await stageFiles(paths) }
}

/** Returns the parsed request and its files. */
export async function stage(request: Request) {
  const { body, files } = await replacePathsByIds(request)
  return { input: musicVisualizer.input.parse(body), files }
}

/** Plans and runs a request in `folder`, like the service and a worker. */
export async function renderMusic(
  request: Request,
  folder: string,
): Promise<OperationRun<typeof musicVisualizer>> {
  const { body, files } = await replacePathsByIds(request)
  return runInWorker({ operation: musicVisualizer, plan, run }, body, { files, folder })
}
