import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { imagePurify } from './contract.ts'
import { imageFormat } from './image-format.ts'

/**
 * Text detection unless regions are given, the encoder of the image's own format, and the runtime of configured models.
 */
export const requirements: OperationRequirements<typeof imagePurify> = (input, files) => {
  if (!input) return [{ kind: 'ffmpeg' }, { kind: 'text-detection', recommended: true }]
  const file = files?.get(input.file_id)
  return [
    { kind: 'ffmpeg' },
    ...(input.purify_scope === 'full_screen' ? [{ kind: 'text-detection' } as const] : []),
    { kind: 'own-models', names: ['inpainting'] },
    ...(file
      ? [
          {
            kind: 'ffmpeg-encoders',
            names: [imageFormat(file).encoder],
            because: `${file.name} keeps its format`,
            instead: 'convert it to PNG',
          } as const,
        ]
      : []),
  ]
}
