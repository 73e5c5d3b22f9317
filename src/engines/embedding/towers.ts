import { dirname, join } from 'node:path'
import type { Tensor } from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { type Lease, OpenResources } from '../../platform/keep-open.ts'
import { openOnnxModel, type OnnxModel } from '../onnx/session.ts'
import type { PackName } from '../packs/manifest.ts'
import { findPack } from '../packs/resolve.ts'
import { unitVector } from './unit-vector.ts'

/** A model with a tower for texts and one for pictures or sounds, each loaded on first use. */
export interface Towers<Tokenizer> extends AsyncDisposable {
  /** The main file of the pack: the tower for pictures or sounds. */
  main(): Promise<OnnxModel>
  text(): Promise<{ readonly tokenizer: Tokenizer; readonly tower: OnnxModel }>
}

/** What is known of the towers of a pack. */
export interface TowerFiles<Tokenizer> {
  readonly pack: PackName
  /** File of the text tower, beside the main file. */
  readonly textFile: string
  openTokenizer(folder: string): Promise<Tokenizer>
}

/** Time without use after which a model is closed, ms: loading takes seconds, and a worker process serves many tasks. */
const idleMs = 120_000

/** Returns a function that opens the towers of installed packs, and keeps them open for a while. */
export function towerOpener<Tokenizer>(): (
  files: TowerFiles<Tokenizer>,
  threads: number,
) => Promise<Lease<Towers<Tokenizer>>> {
  const opened = new OpenResources<Towers<Tokenizer>>(idleMs)
  return async (files, threads) => {
    const path = await findPack(files.pack)
    if (path === null) throw new TypeError(`${files.pack} is not installed`)
    return await opened.use(`${threads} ${path}`, async () => createTowers(files, path, threads))
  }
}

function createTowers<Tokenizer>(
  { pack, textFile, openTokenizer }: TowerFiles<Tokenizer>,
  path: string,
  threads: number,
): Towers<Tokenizer> {
  const opened: OnnxModel[] = []
  const open = async (file: string): Promise<OnnxModel> => {
    const tower = await openOnnxModel(pack, file, threads)
    opened.push(tower)
    return tower
  }
  return {
    main: retryable(() => open(path)),
    text: retryable(async () => ({
      tokenizer: await openTokenizer(dirname(path)),
      tower: await open(join(dirname(path), textFile)),
    })),
    async [Symbol.asyncDispose]() {
      for (const tower of opened) await tower[Symbol.asyncDispose]()
    },
  }
}

/** Opens something on first use and keeps it; after a failure, the next use tries again. */
function retryable<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined
  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    }))
}

/** Runs a tower on one item and scales one of its outputs to length 1. Throws 6401 if that is no vector. */
export async function towerVector(
  { pack, output }: { readonly pack: PackName; readonly output: string },
  tower: OnnxModel,
  inputs: Readonly<Record<string, Tensor>>,
): Promise<Float32Array> {
  const data = (await tower.run(inputs))[output]?.data
  const vector = data instanceof Float32Array ? unitVector(data) : undefined
  if (vector) return vector
  throw new MediaError(6401, `the model ${pack} returned no vector`, {
    retryable: false,
    hint: 'Run `reelwright models verify`.',
  })
}
