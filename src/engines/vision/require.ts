import { requirePack } from '../packs/resolve.ts'

/** Throws 6401, with the one command that helps, where what finds text is neither there nor comes by itself. */
export async function requireTextDetection(): Promise<void> {
  await requirePack('onnx-runtime')
  await requirePack('text-detection')
}
