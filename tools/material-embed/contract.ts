import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { fileRef } from '../../src/contract/file.ts'
import { inlineImage } from '../../src/contract/inline-image.ts'
import { operation } from '../../src/contract/operation.ts'
import { isRecord } from '../../src/contract/validation.ts'

/** Largest numbers of items in a request (contract 3, 4.2); images are those sent as base64 and by file id together. */
export const maxImages = 16
export const maxTexts = 64

/** Longest task prefix and text, Unicode code points. Models read at most 8192 tokens. */
const maxTaskLength = 64
const maxTextLength = 32_768

/** Numbers in each vector. */
const vectorLength = 1024

const forms = ['text', 'image', 'file_id'] as const

/** A text of at most a number of code points, which are never more than its UTF-16 units. */
function boundedText(most: number) {
  return z
    .string()
    .refine((text) => text.length <= most || [...text].length <= most, {
      error: `at most ${most} characters`,
    })
    .meta({ maxLength: most })
}

const item = z
  .object({
    text: boundedText(maxTextLength).min(1).optional(),
    image: agentField(inlineImage(), { isUnlisted: true }).optional(),
    file_id: fileRef({ kinds: ['image'], describe: 'Image, at most 10 MiB' }).optional(),
  })
  .refine((given) => forms.filter((form) => given[form] !== undefined).length === 1, {
    error: 'must have exactly one of text, image and file_id',
    params: { fix: 'Send an item for each: {"text": …} or {"file_id": …} (over HTTP: or {"image": …}).' },
  })

const input = z.object({
  input: z.array(item).min(1).describe('Items, each a text or an image'),
  normalized: agentField(z.literal(true), { isUnlisted: true })
    .default(true)
    .describe('Vectors have length 1'),
  task: boundedText(maxTaskLength)
    .optional()
    .describe('Prefix of all texts, for models that were trained with one'),
})

const output = z.object({
  data: z
    .array(
      z.object({
        index: z.int().describe('Index of the item in the request'),
        embedding: z.array(z.number()).length(vectorLength),
        normalized: z.literal(true),
      }),
    )
    .describe('One vector per item, in order'),
  usage: z.object({ texts: z.int(), images: z.int(), total: z.int() }),
  engine: z.string().describe('Model that made the vectors'),
  space: z.string().describe('Only vectors of the same space can be compared'),
})

export const materialEmbed = operation({
  name: 'material_embed',
  title: 'Embed texts and images',
  description:
    'Returns vectors of 1024 numbers for texts and images. The cosine of two shows how alike their contents are, also of a ' +
    'text and an image.',
  details: 'At most 16 images and 64 texts, in any order. Images are JPEG, PNG, BMP or WebP. Texts are free.',
  toolset: 'library',
  input,
  output,
  price: { unit: 'settled item', credits: 0.1, of: 'image' },
  ratePerMinute: 60,
  // 16 images of 1 MiB as base64 with line breaks take 22 MiB.
  maxBodyBytes: 24 * 2 ** 20,
  synchronous: true,
  limits: [6030, 6031],
  errorAliases: { 6017: 6014, 6021: 6014 },
  // 4 vectors with numbers of up to 11 characters and a comma.
  agentFile: { name: 'material_embed.json', fields: ['data'], linkedCharacters: 4 * vectorLength * 12 },
  // Counted before the items are validated and decoded.
  selectFields(request) {
    requireFewItems(request['input'])
    return { ...request }
  },
  examples: [
    {
      title: 'How well do two pictures show a sunset',
      input: {
        input: [{ text: 'a sunset over the sea' }, { file_id: 'beach.jpg' }, { file_id: 'harbour.png' }],
      },
    },
    {
      title: 'Which of two titles fits a search',
      input: {
        input: [{ text: 'cats that sleep' }, { text: 'Napping kittens' }, { text: 'Dogs at work' }],
        task: 'search_query:',
      },
    },
  ],
})

/** Throws 6030 for too many images or texts. Items of several forms count for each; validation rejects them later. */
function requireFewItems(items: unknown): void {
  if (!Array.isArray(items)) return
  let [images, texts] = [0, 0]
  for (const each of items) {
    if (!isRecord(each)) continue
    if (each['image'] !== undefined || each['file_id'] !== undefined) images += 1
    if (each['text'] !== undefined) texts += 1
  }
  requireAtMost(images, maxImages, 'images')
  requireAtMost(texts, maxTexts, 'texts')
}

function requireAtMost(count: number, most: number, what: string): void {
  if (count <= most) return
  throw new MediaError(6030, `input: ${count} ${what}, and at most ${most} are allowed`, {
    hint: `Send at most ${most} ${what} per request.`,
  })
}
