import { requirePack } from '../packs/resolve.ts'

/**
 * Throws 6401, with the command that installs it, if text detection is neither installed nor downloaded automatically.
 */
export async function requireTextDetection(): Promise<void> {
  await requirePack('onnx-runtime')
  await requirePack('text-detection')
}
