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
  readonly #makers: readonly string[]

  /** @param makers versions of the programs that produce the steps */
  constructor(folder: string, makers: readonly string[]) {
    this.#folder = folder
    this.#makers = makers
  }

  /** Returns the text that `work` produces, or the cached text of an earlier attempt. */
  async text(name: string, madeOf: unknown, work: () => Promise<string>): Promise<string> {
    const path = join(this.#folder, `${name}-${this.#digestOf(madeOf)}.json`)
    const kept = await readFile(path, 'utf8').catch(() => undefined)
    if (kept !== undefined) return kept
    const made = await work()
    await writeDurably(path, made)
    return made
  }

  /** Returns the finished segments by first frame, and a function that stores another one. */
  async parts(madeOf: unknown): Promise<FinishedParts> {
    // Computed once, because the input may contain half a million regions.
    const digest = this.#digestOf(madeOf)
    const found = (await readdir(this.#folder)).flatMap((name) => {
      const [, first, frames, made] = /^part-(\d+)-(\d+)-([\da-f]+)\.mp4$/.exec(name) ?? []
      return made === digest
        ? [[Number(first), { path: join(this.#folder, name), frames: Number(frames) }] as const]
        : []
    })
    const keep: FinishedParts['keep'] = async (path, { first, frames }) => {
      const name = join(this.#folder, `part-${first}-${frames}-${digest}.mp4`)
      if (frames > 0) await renameDurably(path, name)
      return { path: name, frames }
    }
    return { finished: new Map(found), keep }
  }

  #digestOf(madeOf: unknown): string {
    const made = JSON.stringify([this.#makers, madeOf])
    return createHash('sha256').update(made).digest('hex').slice(0, 16)
  }
}

/** Opens the cache of steps that this version of the package finished with the installed ffmpeg. */
export async function openStepCache(folder: string): Promise<StepCache> {
  return new StepCache(folder, [await packageVersion(), (await locateFfmpeg()).version])
}
