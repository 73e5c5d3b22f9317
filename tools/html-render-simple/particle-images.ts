import { readFile } from 'node:fs/promises'
import { describeSize, summarizeList } from '../../src/contract/format.ts'
import { extensionOf } from '../../src/contract/file-kind.ts'
import type { RequestFiles, StagedFile } from '../../src/contract/operation.ts'
import { findImageUrls } from '../../src/media/particle/image-urls.ts'
import { applyEdits } from '../../src/media/text-edits.ts'

/** Most characters of a source with its embedded images. */
const maxEmbeddedCharacters = 32 * 2 ** 20

/** Most image names in an error. */
const maxListedNames = 8

const typesByExtension: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
}

/** The images among the assets of a composition, by name. Each file is read once, when a particle refers to it. */
export class ParticleImages {
  readonly #files: ReadonlyMap<string, StagedFile>
  readonly #read = new Map<string, Promise<string>>()

  /** assets: file ids by name. */
  constructor(assets: Readonly<Record<string, string>>, files: RequestFiles<StagedFile>) {
    const entries = Object.entries(assets).map(([name, id]) => [name, files.get(id)] as const)
    this.#files = new Map(entries.filter(([, { kind }]) => kind === 'image'))
  }

  get names(): readonly string[] {
    return [...this.#files.keys()]
  }

  /**
   * Replaces the names of images in a particle's source by data: URIs. Other URLs stay. Returns a reason instead if the
   * result would be too large.
   */
  async embed(source: string): Promise<{ readonly html: string; readonly reason?: string }> {
    if (this.#files.size === 0) return { html: source }
    const references = findImageUrls(source).flatMap((found) => {
      const file = this.#files.get(found.url.trim())
      return file ? { ...found, file } : []
    })
    const characters = references.reduce((sum, { file }) => sum + encodedLength(file), source.length)
    if (characters > maxEmbeddedCharacters) {
      const sizes = new Map(references.map(({ url, file }) => [url, `${url} (${describeSize(file.size)})`]))
      const list = summarizeList([...sizes.values()], maxListedNames, ', ')
      const reason = `its images make it larger than 32 MiB: ${list}; scale them down to the size they are shown in, and refer to each once`
      return { html: '', reason }
    }
    const edits = await Promise.all(
      references.map(async ({ from, to, file }) => ({ from, to, replacement: await this.#dataUri(file) })),
    )
    return { html: applyEdits(source, edits) }
  }

  #dataUri(file: StagedFile): Promise<string> {
    const reading = this.#read.get(file.path) ?? readDataUri(file)
    this.#read.set(file.path, reading)
    return reading
  }
}

/** Length of a file as base64. */
function encodedLength({ size }: StagedFile): number {
  return Math.ceil(size / 3) * 4
}

async function readDataUri({ path }: StagedFile): Promise<string> {
  const type = typesByExtension[extensionOf(path)] ?? 'image/png'
  return `data:${type};base64,${(await readFile(path)).toString('base64')}`
}
