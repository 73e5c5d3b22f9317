import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renameDurably, writeDurably } from '../../platform/durable.ts'
import { packageVersion } from '../../platform/environment.ts'
import { locateFfmpeg } from './locate.ts'

/** A made part of the picture. */
export interface FinishedPart {
  readonly path: string
  readonly frames: number
}

interface FinishedParts {
  readonly finished: Map<number, FinishedPart>
  readonly keep: (path: string, part: { first: number; frames: number }) => Promise<FinishedPart>
}

/**
 * Finished steps of a task, each under a name that tells what it was made of, and by what, so that only such ones are
 * used again.
 */
export class StepCache {
  readonly #folder: string
  readonly #makers: readonly string[]

  /** @param makers the versions of what makes them */
  constructor(folder: string, makers: readonly string[]) {
    this.#folder = folder
    this.#makers = makers
  }

  /** The text that work answers, or answered in an earlier attempt. */
  async text(name: string, madeOf: unknown, work: () => Promise<string>): Promise<string> {
    const path = join(this.#folder, `${name}-${this.#digestOf(madeOf)}.json`)
    const kept = await readFile(path, 'utf8').catch(() => undefined)
    if (kept !== undefined) return kept
    const made = await work()
    await writeDurably(path, made)
    return made
  }

  /** Parts that are made, by their first frames, and what keeps one more that is finished. */
  async parts(madeOf: unknown): Promise<FinishedParts> {
    // Once for all of them: it may be made of half a million regions.
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

/** The steps that this version has finished with this ffmpeg. */
export async function openStepCache(folder: string): Promise<StepCache> {
  return new StepCache(folder, [await packageVersion(), (await locateFfmpeg()).version])
}
