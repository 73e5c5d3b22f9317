import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/session.ts'
import type { PackName } from '../packs/manifest.ts'
import { findPack } from '../packs/resolve.ts'

/** A tensor that a model takes: its name, and its sides where they are fixed. */
export interface ModelInput {
  readonly name: string
  readonly channels: number
  readonly width: number | undefined
  readonly height: number | undefined
}

/** A model that people brought, and what it takes. */
export interface LearnedModel {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  readonly inputs: readonly ModelInput[]
}

/** What models have to take and answer, by their packs. */
const requiredShapes = {
  inpainting:
    'an image (1, 3, rows, columns) of 0 to 1 and a mask (1, 1, rows, columns) of 0 and 1, and answers the image filled',
  'optical-flow':
    'two images (1, 3, rows, columns) of 0 to 255 and answers the flow (1, 2, rows, columns) in pixels',
} as const satisfies Partial<Record<PackName, string>>

/** Pixels of the pictures that a model takes at most, and a side that is not fixed, about. */
const maxInputPixels = 2 ** 22
const defaultSide = 2 ** 10

type LearnedPack = keyof typeof requiredShapes

/**
 * Opens an optional model whose inputs are pictures (one, channels, rows, columns), and has it given back with what
 * was opened before it; null where none is set, 6016 where it is of another kind.
 */
export async function openLearnedModel(
  name: LearnedPack,
  { threads, opened }: { readonly threads: number; readonly opened: AsyncDisposableStack },
): Promise<LearnedModel | null> {
  const path = await findPack(name)
  if (path === null) return null
  const onnx = await loadOnnxRuntime()
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  const session = await onnx.InferenceSession.create(path, options).catch((cause: unknown) => {
    throw unusableModel(name, `it does not load: ${reasonOf(cause)}`)
  })
  opened.defer(() => session.release())
  const inputs = session.inputMetadata.map((input) => {
    if (!input.isTensor || input.shape.length !== 4 || input.type !== 'float32') {
      throw unusableModel(name, `its input ${input.name} is no picture of 32-bit numbers`)
    }
    const [, channels, height, width] = input.shape.map((side) =>
      typeof side === 'number' && side > 0 ? side : undefined,
    )
    if ((width ?? defaultSide) * (height ?? defaultSide) > maxInputPixels) {
      throw unusableModel(
        name,
        `its input ${input.name} is a picture of ${width ?? 'any'} x ${height ?? 'any'} pixels`,
      )
    }
    return { name: input.name, channels: channels ?? 0, width, height }
  })
  return { onnx, session, inputs }
}

/** Runs a model; 6016 where it cannot work on what it is given. */
export async function runLearnedModel(
  name: LearnedPack,
  { session }: LearnedModel,
  tensors: Readonly<Record<string, runtime.Tensor>>,
): Promise<runtime.InferenceSession.OnnxValueMapType> {
  return await session.run(tensors).catch((cause: unknown) => {
    throw unusableModel(name, `it does not run: ${reasonOf(cause)}`)
  })
}

/** What tells that a model is of another kind than is expected. */
export function unusableModel(name: LearnedPack, reason: string): MediaError {
  return new MediaError(6016, `the model set for ${name} cannot be used: ${reason}`, {
    hint: `Bring one that takes ${requiredShapes[name]}, or leave the setting out: the built-in way is used then.`,
  })
}

/** A native engine's errors may have many lines. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}
