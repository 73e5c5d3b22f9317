import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'
import { area } from '../../src/contract/regions.ts'

const input = z
  .object({
    file_id: fileRef({ kinds: ['image'], describe: 'Image to clean' }),
    purify_scope: agentField(z.enum(['full_screen', 'region']), {
      names: { all: 'full_screen', full: 'full_screen', text: 'full_screen', box: 'region', boxes: 'region' },
    })
      .default('full_screen')
      .describe('full_screen: all text; region: everything inside regions'),
    regions: z
      .array(area)
      .max(16)
      .optional()
      .describe('Boxes for region: x, y (upper left corner), w, h as shares (0 to 1) of the picture'),
  })
  .refine(({ purify_scope, regions = [] }) => purify_scope !== 'region' || regions.length > 0, {
    path: ['regions'],
    message: 'required with purify_scope region',
    params: { fix: 'Give 1 to 16 boxes {x, y, w, h}, 0 to 1.' },
  })

const output = z.object({
  file_id: id.describe('The cleaned image'),
  download_url: z.string(),
  regions_found: z.int().optional().describe('Number of boxes with text'),
  unchanged: z.boolean().optional().describe('No text was found: the file is an exact copy'),
  notes: z.array(z.string()).optional().describe('Changes to the image beyond the request'),
})

export const imagePurify = operation({
  name: 'image_purify',
  title: 'Clean an image',
  description:
    'Removes text (watermarks, captions, dates) or given areas from an image and fills them from their surroundings (no blur). ' +
    'Logos without text are not detected: give their boxes with purify_scope region.',
  details:
    'Boxes refer to the upright picture; everything inside is replaced. The format is kept: PNG with transparency, ' +
    'JPEG, WebP, BMP.',
  toolset: 'clean',
  input,
  output,
  price: { unit: 'item', credits: 1, of: 'image' },
  errorAliases: { 6017: 6014, 6021: 6014, 6201: 6202 },
  nextStep: ({ file_id, unchanged }, { nameFile }) =>
    unchanged === true
      ? 'No text was found. To remove something, give its boxes with purify_scope region.'
      : `Check the result: inspect_file with file ${JSON.stringify(nameFile(file_id))} and preview contact_sheet.`,
  reviewedRegions: {
    kind: 'image',
    nextStep: () =>
      'Correct the boxes until they fit, then call image_purify with purify_scope region and regions: up to 16 boxes ' +
      'in the call, without ids; a list in a file is not accepted.',
  },
  selectFields: ({ regions, ...request }) =>
    request['purify_scope'] === 'region' ? { ...request, regions } : request,
  examples: [
    { title: 'Remove the text of a picture', input: { file_id: 'poster.jpg' } },
    {
      title: 'Remove a logo in the corner and a date below',
      input: {
        file_id: 'photo.png',
        purify_scope: 'region',
        regions: [
          { x: 0.85, y: 0.03, w: 0.12, h: 0.12 },
          { x: 0.7, y: 0.92, w: 0.28, h: 0.05 },
        ],
      },
    },
  ],
})
