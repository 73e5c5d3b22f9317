import type * as runtime from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/load.ts'
import type { PackName } from '../packs/manifest.ts'
import { findPack } from '../packs/use.ts'

/** A tensor that a model takes: its name, and its sides where they are fixed. */
export interface Input {
  readonly name: string
  readonly channels: number
  readonly width: number | undefined
  readonly height: number | undefined
}

/** A model that people brought, and what it takes. */
export interface LearnedModel {
  readonly onnx: OnnxRuntime
  readonly session: runtime.InferenceSession
  readonly inputs: readonly Input[]
}

/** Opens an optional model whose inputs are pictures (one, channels, rows, columns); null where none is set, 6016 where it is of another kind. */
export async function openLearned(name: PackName, expected: string): Promise<LearnedModel | null> {
  const path = await findPack(name)
  if (path === null) return null
  const onnx = await loadOnnxRuntime()
  const session = await onnx.InferenceSession.create(path).catch((cause: unknown) => {
    throw unfit(name, `it does not load: ${cause instanceof Error ? cause.message : String(cause)}`, expected)
  })
  const inputs = session.inputMetadata.map((input) => {
    if (!input.isTensor || input.shape.length !== 4 || input.type !== 'float32') {
      throw unfit(name, `its input ${input.name} is no picture of 32-bit numbers`, expected)
    }
    const [, channels, height, width] = input.shape.map((side) =>
      typeof side === 'number' && side > 0 ? side : undefined,
    )
    return { name: input.name, channels: channels ?? 0, width, height }
  })
  return { onnx, session, inputs }
}

/** What tells that a model is of another kind than is expected. */
export function unfit(name: PackName, reason: string, expected: string): MediaError {
  return new MediaError(6016, `the model set for ${name} cannot be used: ${reason}`, {
    hint: `Bring one that takes ${expected}, or leave the setting out: the built-in way is used then.`,
  })
}
