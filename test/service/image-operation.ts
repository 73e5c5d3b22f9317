import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { fileRef } from '../../src/contract/file.ts'
import { inlineImage } from '../../src/contract/inline-image.ts'
import { operation, type OperationModule } from '../../src/contract/operation.ts'

/** A test operation that returns the hashes of the images it received, inline or by file id. */
const imageOperation = operation({
  name: 'test_images',
  title: 'Test images',
  description: 'Hashes images.',
  toolset: 'files',
  input: z.object({
    input: z.array(
      z.object({
        image: inlineImage().optional(),
        file_id: fileRef({ kinds: ['image'], describe: 'Image' }).optional(),
      }),
    ),
    wait: z.boolean().default(false),
  }),
  output: z.object({ hashes: z.array(z.string()) }),
  price: { unit: 'item', credits: 1, of: 'image' },
  maxBodyBytes: 8 * 2 ** 20,
  examples: [
    { title: 'One', input: { input: [{ file_id: 'a.png' }] } },
    { title: 'Two', input: { input: [{ file_id: 'a.png' }, { file_id: 'b.png' }] } },
  ],
})

export const imageModule: OperationModule<typeof imageOperation> = {
  operation: imageOperation,
  requirements: async () => ({ requirements: () => [] }),
  plan: async () => ({ plan: ({ input }) => ({ credits: input.length, seconds: 1 }) }),
  run: async () => ({
    async run({ input, wait }, { files, signal }) {
      if (wait)
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        })
      return {
        hashes: await Promise.all(
          input.map(async ({ image, file_id }) => {
            const { path } = files.get(image ?? file_id ?? '')
            return createHash('sha256')
              .update(await readFile(path))
              .digest('hex')
          }),
        ),
      }
    },
  }),
}
