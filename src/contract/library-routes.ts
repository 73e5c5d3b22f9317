import * as z from 'zod'
import { pageOf, paging, timestamp } from './fields.ts'
import { linkQuery } from './file-routes.ts'
import { libraryScopes } from './library.ts'
import type { RawRoute, Route } from './route.ts'

/** Most materials of a request for links: those of one search. */
const maxLinked = 50

/** Body of a request for fresh links of materials. */
export const materialLinksRequest = z
  .object({
    ids: z.array(z.int().min(1)).min(1).max(maxLinked).describe('Ids of materials that searches returned'),
    accompaniment: z
      .boolean()
      .default(false)
      .describe('Whether the checksum of the accompaniment is computed; of one material only'),
  })
  // Its file is read for this.
  .refine(({ ids, accompaniment }) => !accompaniment || ids.length === 1, {
    path: ['accompaniment'],
    error: 'requires exactly one id',
  })

/** A fresh link of a material. */
export const materialLink = z.object({
  id: z.int(),
  name: z.string().describe('File name'),
  size: z.int().describe('Bytes'),
  blake3_id: z.string(),
  download_url: z.string().describe('Path with its signature'),
  accompaniment_url: z.string().optional().describe('Of songs with a file of their accompaniment'),
  accompaniment: z
    .object({ name: z.string(), size: z.int().describe('Bytes'), blake3_id: z.string() })
    .optional()
    .describe('The file of accompaniment_url, on request'),
  expires_at: timestamp,
})
export type MaterialLink = z.infer<typeof materialLink>

/** Query of the list of materials. */
export const materialListQuery = z.object({
  scope: z.enum(libraryScopes).optional().describe('Kind of material'),
  words: z.string().max(200).optional().describe('Only materials with any of these words, best first'),
  ...paging,
})
export type MaterialListQuery = z.infer<typeof materialListQuery>

/** A material in the list: what it is, not its original. */
export const listedMaterial = z.object({
  id: z.int(),
  scope: z.enum(libraryScopes),
  name: z.string().describe('File name'),
  title: z.string().optional(),
  author: z.string().optional(),
  licence: z.string(),
  attribution: z.string(),
  tags: z.array(z.string()),
  size: z.int().describe('Bytes'),
  width: z.int().optional(),
  height: z.int().optional(),
  duration: z.number().optional().describe('Seconds'),
  cover_url: z.string().optional(),
  preview_url: z.string().optional(),
  thumb_url: z.string().optional(),
})
export type ListedMaterial = z.infer<typeof listedMaterial>

export const materialList = pageOf(listedMaterial)
export type MaterialList = z.infer<typeof materialList>

/** Endpoints of the library of material. */
export const libraryRoutes = {
  listMaterials: {
    method: 'GET',
    path: '/library/materials',
    summary: 'Lists the materials of the library, newest first, with their licences and previews',
    query: materialListQuery,
    data: materialList,
    errors: [],
  },
  linkMaterials: {
    method: 'POST',
    path: '/task/material_search/links',
    summary: 'Creates fresh download links of materials that searches of the account returned',
    body: materialLinksRequest,
    data: z.object({ links: z.array(materialLink) }),
    errors: [6004, 6013],
  },
} as const satisfies Record<string, Route>

/** Endpoints that respond with content of a material; only their links open them. */
export const rawLibraryRoutes = {
  downloadMaterial: {
    method: 'GET',
    path: '/library/{material_id}/{part}',
    summary: 'Downloads a material: original or accompaniment, cover, preview or thumb',
    insteadOfKey: 'sign',
    query: linkQuery,
    headers: ['Range', 'If-Range', 'If-None-Match'],
    answers: {
      200: { description: 'The content', type: '*/*' },
      206: { description: 'The requested range', type: '*/*' },
      416: { description: 'The range begins beyond the end' },
    },
    errors: [6004],
  },
} as const satisfies Record<string, RawRoute>
