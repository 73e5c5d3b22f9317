import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { fileRef } from '../../src/contract/file.ts'
import { inlineImage } from '../../src/contract/inline-image.ts'
import { operation } from '../../src/contract/operation.ts'
import { describeFindings } from './next-step.ts'

/** Most images of a request (contract 3, 4.3 and 8). */
const maxImages = 32

const namedImage = fileRef({
  kinds: ['image'],
  fix: 'Only images are described: .jpg .jpeg .png .bmp .webp',
  describe: 'JPEG, PNG, BMP or WebP, at most 10 MiB',
})

const item = z
  .strictObject(
    { image: inlineImage().optional(), file_id: namedImage.optional() },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'has other fields than image or file_id, and only images are described'
          : undefined,
    },
  )
  .refine(({ image, file_id }) => (image === undefined) !== (file_id === undefined), {
    error: 'must have exactly one of image and file_id',
    params: { fix: 'Send an item for each image: {"file_id": …} (over HTTP: or {"image": …}).' },
  })

const input = z.object({ input: z.array(item).min(1).max(maxImages).describe('The images') })

const output = z.object({
  data: z
    .array(
      z.object({
        index: z.int().min(0).describe('Position in input'),
        desc: z.string().describe('Simplified Chinese, at most 200 characters'),
        tags: z.array(z.string()).min(3).max(8),
        mark: z.number().min(0).max(100).describe('Quality; higher is better'),
        usable_flags: z.object({
          watermark: z.boolean().describe('Added logos or badges'),
          text_overlay: z.boolean().describe('Added text, stickers or recording interface'),
          black_border: z.boolean(),
          blurry: z.boolean(),
        }),
      }),
    )
    .describe('In the order of input'),
  usage: z.object({ images: z.int().min(0), total: z.int().min(0) }),
  describer: z.string().describe('The language model'),
})

export const materialDescribe = operation({
  name: 'material_describe',
  title: 'Describe images',
  description:
    'Describes images in Chinese, with tags, a quality mark and flags (watermark, text overlay, border, blur), by the configured language model, or asks you to look at them.',
  details:
    'Borders and blur are measured. Watermarks and overlays are what the model sees; those of letters count only where letters are detected. One image without a usable description fails the task, which is refunded. 1 to 32 images.',
  toolset: 'library',
  input,
  output,
  price: { unit: 'item', credits: 1, of: 'image' },
  ratePerMinute: 30,
  // 32 images of 1 MiB as base64 with line breaks take 43.8 MiB.
  maxBodyBytes: 45 * 2 ** 20,
  createdExtra: ['created_at'],
  errorAliases: { 6017: 6014, 6021: 6014, 6202: 6201 },
  limits: [6030, 6031],
  isFreeForInternalAccounts: true,
  selectFields: rejectExcess,
  nextStep: describeFindings,
  agentForm: {
    input: z.object({
      input: z
        .array(
          z.object({
            file_id: namedImage.optional(),
            image: agentField(inlineImage(), { isUnlisted: true }).optional(),
          }),
        )
        .min(1)
        .max(maxImages)
        .describe('The images'),
    }),
    own: [],
    toRequest: (args) => ({ request: { ...args }, assumed: [] }),
  },
  examples: [
    { title: 'One image', input: { input: [{ file_id: 'harbour.jpg' }] } },
    {
      title: 'Choose among several images',
      input: { input: [{ file_id: 'harbour.jpg' }, { file_id: 'market.png' }, { file_id: 'street.webp' }] },
    },
  ],
})

/** Throws 6030 for too many images, before any is decoded. */
function rejectExcess(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { input: given } = request
  if (Array.isArray(given) && given.length > maxImages) {
    throw new MediaError(6030, `input: ${given.length} images, and at most ${maxImages} are allowed`, {
      hint: `Send them in several requests of at most ${maxImages}.`,
    })
  }
  return { ...request }
}
