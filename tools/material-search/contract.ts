import * as z from 'zod'
import { libraryScopes } from '../../src/contract/library.ts'
import { operation } from '../../src/contract/operation.ts'

/** Most materials of one search (contract 3, 4.1). */
export const maxResults = 50

/** A UUID of any version (RFC 9562). */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const input = z.object({
  scope: z.enum(libraryScopes).describe('Kind of material; clip is video'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .describe('Keywords, or a description of what is seen or heard, in any language'),
  top_k: z.int().min(1).default(20).describe(`Most results; more than ${maxResults} count as ${maxResults}`),
  diversity: z.boolean().default(false).describe('Whether near-identical material is shown once'),
  request_id: z
    .string()
    .refine((id) => uuid.test(id), { error: 'must be a UUID' })
    .optional()
    .describe('UUID that the result repeats; by default a new one'),
})

const material = z.object({
  id: z.int(),
  name: z.string().describe('File name'),
  score: z.number().min(0).max(1).describe('Above 0.2 (audio: 0.45), a good match'),
  download_url: z.string().describe('Expires after 24 h; POST /task/material_search/links returns a new one'),
  note: z.string().describe('Licence and attribution, then remarks'),
  tags: z.array(z.string()),
  cover_url: z.string().optional(),
  preview_url: z.string().optional(),
  thumb_url: z.string().optional(),
  accompaniment_url: z.string().optional().describe('Of songs; expires after 24 h'),
  title: z.string().optional(),
  author: z.string().optional(),
  audio_type: z.enum(['song', 'pure']).optional(),
  duration: z.number().optional().describe('Seconds'),
  width: z.int().optional(),
  height: z.int().optional(),
  fps: z.number().optional(),
  orientation: z.enum(['landscape', 'portrait', 'square']).optional(),
})

const output = z.object({
  request_id: z.string(),
  recalled: z.int().describe('Materials found before near-identical ones were removed and the list was cut'),
  total: z.int().describe('Number of results'),
  results: z.array(material).describe('Best first'),
  notes: z.array(z.string()).optional().describe('Present if only words were compared, with the reason'),
})

export const materialSearch = operation({
  name: 'material_search',
  title: 'Search licensed material',
  description:
    "Searches the operator's library of licensed video, images or audio. Results are yours to keep; download_file saves " +
    'one by its material_id.',
  details:
    'One scope per search. Scores of different scopes cannot be compared. Each note names the licence and the ' +
    'attribution, which must be respected. Agents see pictures of the first results. Over HTTP, links of covers, previews ' +
    'and thumbnails do not expire.',
  toolset: 'library',
  input,
  output,
  price: { unit: 'item', credits: 1, of: 'search' },
  synchronous: true,
  resultVaries: true,
  errorAliases: { 6013: 400, 6016: 400 },
  subject: ({ query }) => query,
  nextStep: ({ results, notes }) =>
    results.length === 0
      ? `Nothing was found. ${notes ? 'Search for single words of titles and tags' : 'Try other words'}, or another scope.`
      : 'Save what may fit with download_file and material_id, then look at it with inspect_file. Keep the attribution in note.',
  resultPictures: ({ results }) =>
    // Sounds are chosen by ear: their covers show little.
    results.flatMap(({ width, thumb_url, cover_url }) =>
      width === undefined ? [] : (thumb_url ?? cover_url ?? []),
    ),
  examples: [
    {
      title: 'Footage of the sea, each view once',
      input: { scope: 'clip', query: 'waves on a beach at sunset', top_k: 10, diversity: true },
    },
    { title: 'Calm music', input: { scope: 'audio', query: 'calm piano' } },
  ],
})
