import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/session.ts'
import type { PackName } from '../packs/manifest.ts'
import { findPack } from '../packs/resolve.ts'

/** An input tensor of a model: name, channels, and width and height if fixed. */
export interface ModelInput {
  readonly name: string
  readonly channels: number
  readonly width: number | undefined
  readonly height: number | undefined
}

/** An open user-supplied model and its inputs. */
export interface LearnedModel {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  readonly inputs: readonly ModelInput[]
}

/** Required inputs and output per model, as stated in errors. */
const requiredShapes = {
  inpainting:
    'an image (1, 3, rows, columns) of 0 to 1 and a mask (1, 1, rows, columns) of 0 and 1, and returns the filled image',
  'optical-flow':
    'two images (1, 3, rows, columns) of 0 to 255 and returns the flow (1, 2, rows, columns) in pixels',
} as const satisfies Partial<Record<PackName, string>>

/** Limit of an input's pixels, and the side assumed for a flexible input. */
const maxInputPixels = 2 ** 22
const defaultSide = 2 ** 10

/** Packs of models that users supply for inpainting. */
export type LearnedPack = keyof typeof requiredShapes

/**
 * Opens a user-supplied model whose inputs are images (1, channels, rows, columns); `opened` releases it. Returns null
 * if none is configured. Throws 6016 if it has other inputs.
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
      throw unusableModel(name, `its input ${input.name} is not an image of 32-bit floats`)
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

/** Runs a model. Throws 6016 if it fails on the inputs. */
export async function runLearnedModel(
  name: LearnedPack,
  { session }: LearnedModel,
  tensors: Readonly<Record<string, runtime.Tensor>>,
): Promise<runtime.InferenceSession.OnnxValueMapType> {
  return await session.run(tensors).catch((cause: unknown) => {
    throw unusableModel(name, `it does not run: ${reasonOf(cause)}`)
  })
}

/** Returns the error for a model that does not meet the requirements. */
export function unusableModel(name: LearnedPack, reason: string): MediaError {
  return new MediaError(6016, `the model configured for ${name} cannot be used: ${reason}`, {
    hint: `Configure a model that takes ${requiredShapes[name]}, or remove the setting to use the built-in method.`,
  })
}

/** A native engine's errors may have many lines. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}
