import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Timeline } from '../../media/timeline/timeline.ts'
import { linkOrCopy } from '../../platform/durable.ts'
import { renderTimeline, type RenderTimelineOptions } from './render.ts'

export interface RenderStoredOptions extends Omit<RenderTimelineOptions, 'path'> {
  /** Name of the mp4 in the scratch folder. */
  readonly filename: string
  /** Folder kept between attempts. */
  readonly steps: string
}

/**
 * Renders a timeline to a file in the scratch folder, unless an earlier attempt rendered the same one. Returns its path,
 * and notes for the user.
 */
export async function renderStored(
  timeline: Timeline,
  { filename, steps, ...options }: RenderStoredOptions,
): Promise<{ readonly path: string; readonly notes: readonly string[] }> {
  const { crf, fadeMs, hasSound, subtitles, files } = options
  const text = subtitles && (await readFile(subtitles.path, 'utf8'))
  // A cleaned file has the id of its source.
  const sizes = [...new Set(timeline.picture.map(({ material }) => material))].map((id) => files.get(id).size)
  const inputs = [timeline, sizes, crf, fadeMs, hasSound, text]
  const key = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 32)
  const [stored, path] = [join(steps, `${key}.mp4`), join(options.scratch, filename)]
  let notes: readonly string[] = []
  if (!(await exists(stored))) {
    await mkdir(join(steps, 'unfinished'), { recursive: true })
    const unfinished = join(steps, 'unfinished', filename)
    notes = await renderTimeline(timeline, { ...options, path: unfinished })
    await rename(unfinished, stored)
  }
  await linkOrCopy(stored, path)
  return { path, notes }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
