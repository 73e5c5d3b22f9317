import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { plan } from '../../tools/video-split-screen/plan.ts'
import { run } from '../../tools/video-split-screen/run.ts'
import { fileIdOf, runInWorker, stageFiles, type OperationRun } from '../tasks/run-in-worker.ts'

export type Rendered = OperationRun<typeof videoSplitScreen>

/** Plans and runs a request whose file ids are paths, like the service and a worker. Writes to `folder`. */
export async function renderSplit(
  input: { clips: ({ file_id: string } & Record<string, unknown>)[] } & Record<string, unknown>,
  folder: string,
): Promise<Rendered> {
  const files = await stageFiles(input.clips.map((clip) => clip.file_id))
  const clips = input.clips.map((clip) => ({ ...clip, file_id: fileIdOf(clip.file_id) }))
  return runInWorker({ operation: videoSplitScreen, plan, run }, { ...input, clips }, { files, folder })
}
