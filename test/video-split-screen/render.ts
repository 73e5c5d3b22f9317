import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extensionOf, kindOf } from '../../src/contract/file.ts'
import type { OutputOf, Plan, StagedFile } from '../../src/contract/operation.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { givenFiles } from '../../src/tasks/given-files.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { plan } from '../../tools/video-split-screen/plan.ts'
import { run } from '../../tools/video-split-screen/run.ts'

export interface Rendered {
  readonly output: OutputOf<typeof videoSplitScreen>
  readonly plan: Plan
  /** The result; removed with the folder it was made in. */
  readonly path: string
  readonly name: string
  readonly progress: readonly number[]
}

/** Staged files by path, as the service would hand them over: the path stands for the file id. */
export async function stage(paths: readonly string[]) {
  const files = new Map<string, StagedFile>()
  for (const path of new Set(paths)) {
    const kind = kindOf(extensionOf(path)) ?? 'video'
    const facts = await probe(path)
    files.set(path.slice(-64), {
      file_id: path.slice(-64),
      name: basename(path),
      size: facts.size,
      kind,
      facts,
      path,
    })
  }
  return givenFiles(files)
}

/** Plans and runs a request whose file ids are paths, as creation and a worker do, into `folder`. */
export async function render(
  input: { clips: ({ file_id: string } & Record<string, unknown>)[] } & Record<string, unknown>,
  folder: string,
): Promise<Rendered> {
  const files = await stage(input.clips.map((clip) => clip.file_id))
  const clips = input.clips.map((clip) => ({ ...clip, file_id: clip.file_id.slice(-64) }))
  const parsed = videoSplitScreen.input.parse({ ...input, clips })
  const planned = plan(parsed, files)
  const kept: { path: string; name: string }[] = []
  const progress: number[] = []
  const scratch = await mkdtemp(join(folder, 'run-'))
  const output = await run(parsed, {
    files,
    taskId: '1763712000000000001',
    scratch,
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
  return { output: videoSplitScreen.output.parse(output), plan: planned, progress, ...result }
}
