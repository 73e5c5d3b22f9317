import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finishDurably, writeDurably } from '../../src/platform/durable.ts'

/** A made part of the picture. */
export interface MadePart {
  readonly path: string
  readonly frames: number
}

/** Finished steps of a task, each under a name that tells what it was made of, so that only such ones are used again. */
export class Steps {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The text that work answers, or answered in an earlier attempt. */
  async text(name: string, madeOf: unknown, work: () => Promise<string>): Promise<string> {
    const path = join(this.#folder, `${name}-${digestOf(madeOf)}.json`)
    const kept = await readFile(path, 'utf8').catch(() => undefined)
    if (kept !== undefined) return kept
    const made = await work()
    await writeDurably(path, made)
    return made
  }

  /** Parts that are made, by their first frames. */
  async parts(madeOf: unknown): Promise<Map<number, MadePart>> {
    const digest = digestOf(madeOf)
    const found = (await readdir(this.#folder)).flatMap((name) => {
      const [, first, frames, made] = /^part-(\d+)-(\d+)-([\da-f]+)\.mp4$/.exec(name) ?? []
      return made === digest
        ? [[Number(first), { path: join(this.#folder, name), frames: Number(frames) }] as const]
        : []
    })
    return new Map(found)
  }

  /** Keeps a part that is finished. */
  async keepPart(
    path: string,
    { first, frames, madeOf }: { first: number; frames: number; madeOf: unknown },
  ) {
    const name = join(this.#folder, `part-${first}-${frames}-${digestOf(madeOf)}.mp4`)
    if (frames > 0) await finishDurably(path, name)
    return { path: name, frames }
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
