import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renameDurably, writeDurably } from '../../platform/durable.ts'
import { packageVersion } from '../../platform/environment.ts'
import { locateFfmpeg } from './locate.ts'

/** A finished segment of the picture. */
export interface FinishedPart {
  readonly path: string
  readonly frames: number
}

interface FinishedParts {
  readonly finished: Map<number, FinishedPart>
  readonly keep: (path: string, part: { first: number; frames: number }) => Promise<FinishedPart>
}

/**
 * Cache of a task's finished steps. Each file name contains a digest of the inputs and of the program
 * versions, so that only matching results are reused.
 */
export class StepCache {
  readonly #folder: string
  readonly #programs: readonly string[]

  /** @param programs versions of the programs that produce the steps */
  constructor(folder: string, programs: readonly string[]) {
    this.#folder = folder
    this.#programs = programs
  }

  /** Returns the text that `work` produces, or the cached text of an earlier attempt. */
  async text(name: string, inputs: unknown, work: () => Promise<string>): Promise<string> {
    const path = join(this.#folder, `${name}-${this.#digestOf(inputs)}.json`)
    const cached = await readFile(path, 'utf8').catch(() => undefined)
    if (cached !== undefined) return cached
    const text = await work()
    await writeDurably(path, text)
    return text
  }

  /** Returns the finished segments by first frame, and a function that stores another one. */
  async parts(inputs: unknown): Promise<FinishedParts> {
    // Computed once, because the input may contain half a million regions.
    const digest = this.#digestOf(inputs)
    const parts = (await readdir(this.#folder)).flatMap((name) => {
      const [, first, frames, inputsDigest] = /^part-(\d+)-(\d+)-([\da-f]+)\.mp4$/.exec(name) ?? []
      return inputsDigest === digest
        ? [[Number(first), { path: join(this.#folder, name), frames: Number(frames) }] as const]
        : []
    })
    const keep: FinishedParts['keep'] = async (path, { first, frames }) => {
      const name = join(this.#folder, `part-${first}-${frames}-${digest}.mp4`)
      if (frames > 0) await renameDurably(path, name)
      return { path: name, frames }
    }
    return { finished: new Map(parts), keep }
  }

  #digestOf(inputs: unknown): string {
    const key = JSON.stringify([this.#programs, inputs])
    return createHash('sha256').update(key).digest('hex').slice(0, 16)
  }
}

/** Opens the cache of steps that this version of the package finished with the installed ffmpeg. */
export async function openStepCache(folder: string): Promise<StepCache> {
  return new StepCache(folder, [await packageVersion(), (await locateFfmpeg()).version])
}
