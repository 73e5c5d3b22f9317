import * as z from 'zod'
import { fileDetails, fileList, fileListQuery, fileRecord, retentionDays } from './file.ts'
import { id, timestamp } from './fields.ts'
import { mediaFacts } from './media-facts.ts'
import { maxSheetFrames } from './regions.ts'
import type { RawRoute, Route } from './route.ts'
import {
  localFile,
  uploadAborted,
  uploadInit,
  uploadPart,
  uploadPartQuery,
  uploadInitResult,
  uploadStatus,
} from './upload.ts'

/** Previews of a file by itself as a small picture. */
export const previewKind = z.enum(['contact_sheet', 'waveform'])
export type PreviewKind = z.infer<typeof previewKind>

/** A number as it is written, such as 2.5; what Number would make of nothing, or of 0x10, is none. */
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?(e[+-]?\d+)?$/, 'must be a number of seconds, such as 2.5')
  .transform(Number)

const frameTimes = z
  .string()
  .max(400)
  .transform((text) => text.split(','))
  .pipe(z.array(decimal).max(maxSheetFrames))

/** Which regions are drawn, and when. */
export const regionsQuery = z.object({
  regions_file_id: id.describe('A detection result or a list of regions made by hand, as .json'),
  at: frameTimes
    .optional()
    .describe(`Times in s, at most ${maxSheetFrames}, with commas; left out, those that show most`),
})

/** What a picture of regions shows. Ids that are long, or look like a number, are told by it: #3, keep#1. */
export const shownRegions = z.object({
  source_file_id: id.optional().describe('The file they were found in, where the list tells'),
  regions: z.int().describe('How many are removed'),
  protect_regions: z.int().describe('How many are protected'),
  frames: z
    .array(
      z.object({
        seconds: z.number(),
        ids: z.array(z.string()).describe('Drawn over it, red: what is removed; #3 is the third of the list'),
        protect_ids: z
          .array(z.string())
          .optional()
          .describe('Drawn over it, green and dashed: what stays; keep#1 is the first of the list'),
        more: z.int().optional().describe('How many more there are at that time'),
      }),
    )
    .describe('From left to right, row by row'),
  drawn_as: z
    .record(z.string(), z.string())
    .optional()
    .describe('Ids by what stands in the picture for them, where that differs'),
  not_shown: z.object({ count: z.int(), ids: z.array(z.string()).describe('The first 50') }),
  next_at: z.array(z.number()).describe('Times that would show most of these, for several pictures'),
})
export type ShownRegions = z.infer<typeof shownRegions>

/** Facts of a stored file: its record and what a probe tells; null for what is not media. */
export const inspectedFile = fileDetails.extend({ media: mediaFacts.nullable() })
export type InspectedFile = z.infer<typeof inspectedFile>

/** A link that opens a file without a key until it expires; for players and browsers. */
export const signedLink = z.object({
  url: z.string().describe('Path with its signature'),
  expires_at: timestamp,
})

/** Body of a request for a link. */
export const linkRequest = z.object({
  expires_in: z
    .int()
    .min(1)
    .max(7 * 24 * 3600)
    .default(3600)
    .describe('Seconds the link is valid'),
})

/** What a link carries. */
export const linkQuery = z.object({
  expires: z.string().optional().describe('When the link expires, seconds since 1970'),
  sign: z.string().optional().describe('Signature of a link, instead of the Authorization header'),
})

/** Body of a clean-up. */
export const cleanRequest = z.object({
  keep_days: z
    .int()
    .min(0)
    .max(retentionDays)
    .default(retentionDays)
    .describe('Files uploaded, renewed or made longer ago are removed; by default those that have expired'),
})

/** What a clean-up freed. */
export const cleanResult = z.object({
  files: z.int().describe('Files removed'),
  bytes: z.int().describe('Bytes the account takes less: none where another of its files has the same'),
})

/** Endpoints of files. */
export const fileRoutes = {
  uploadFile: {
    method: 'POST',
    path: '/base/file/upload',
    summary: 'Uploads a file in one request',
    sends: 'form',
    data: fileRecord,
    errors: [6001, 6002, 6011, 6013, 6036],
  },
  initUpload: {
    method: 'POST',
    path: '/base/file/upload/chunk/init',
    summary: 'Begins an upload in parts, or answers the file that is there already',
    body: uploadInit,
    data: uploadInitResult,
    errors: [6001, 6002, 6011, 6013],
  },
  uploadPart: {
    method: 'PUT',
    path: '/base/file/upload/chunk/{upload_id}/{index}',
    summary: 'Uploads one part',
    query: uploadPartQuery,
    sends: 'bytes',
    data: uploadPart,
    errors: [6002, 6024, 6025, 6026, 6036],
  },
  importPart: {
    method: 'POST',
    path: '/base/file/upload/chunk/{upload_id}/{index}/import',
    summary: 'Takes one part from a file of the same machine; where init says so',
    body: localFile,
    data: uploadPart,
    errors: [6002, 6004, 6005, 6013, 6024, 6025, 6036],
  },
  uploadStatus: {
    method: 'GET',
    path: '/base/file/upload/chunk/{upload_id}',
    summary: 'Tells which parts are there',
    data: uploadStatus,
    errors: [6024],
  },
  completeUpload: {
    method: 'POST',
    path: '/base/file/upload/chunk/{upload_id}/complete',
    summary: 'Makes the file of its parts',
    data: fileRecord,
    errors: [6002, 6024, 6026, 6027, 6028, 6036],
  },
  abortUpload: {
    method: 'DELETE',
    path: '/base/file/upload/chunk/{upload_id}',
    summary: 'Gives an upload up',
    data: uploadAborted,
    errors: [],
  },
  listFiles: {
    method: 'GET',
    path: '/base/file/list',
    summary: "Lists the account's files, newest first",
    query: fileListQuery,
    data: fileList,
    errors: [],
  },
  fileDetails: {
    method: 'GET',
    path: '/base/file/{file_id}',
    summary: 'Tells of a file',
    data: fileDetails,
    errors: [6004],
  },
  inspectFile: {
    method: 'GET',
    path: '/base/file/{file_id}/facts',
    summary: 'Tells of a file and what a probe finds in it',
    data: inspectedFile,
    errors: [6004, 6017, 6021, 6401, 6402],
  },
  showRegions: {
    method: 'GET',
    path: '/base/file/{file_id}/regions',
    summary: 'Tells which regions of a list a picture of them shows, and at which times',
    query: regionsQuery,
    data: shownRegions,
    errors: [6004, 6014, 6017, 6021, 6401, 6402],
  },
  deleteFile: {
    method: 'DELETE',
    path: '/base/file/{file_id}',
    summary: 'Deletes a file',
    data: z.literal(''),
    errors: [6004, 6008],
  },
  linkFile: {
    method: 'POST',
    path: '/base/file/{file_id}/link',
    summary: 'Makes a link that opens a file without a key until it expires',
    body: linkRequest,
    data: signedLink,
    errors: [6004],
  },
  cleanFiles: {
    method: 'POST',
    path: '/base/file/clean',
    summary: "Frees space: removes the account's old files",
    body: cleanRequest,
    data: cleanResult,
    errors: [],
  },
} as const satisfies Record<string, Route>

/** Endpoints that answer what a file holds. */
export const rawFileRoutes = {
  downloadFile: {
    method: 'GET',
    path: '/base/file/{file_id}/download',
    summary: "Answers a file's bytes",
    insteadOfKey: 'sign',
    query: linkQuery,
    headers: ['Range', 'If-Range', 'If-None-Match'],
    answers: {
      200: { description: 'The file', type: '*/*' },
      206: { description: 'The range that was asked for', type: '*/*' },
      416: { description: 'The range begins beyond the end' },
    },
    errors: [6004],
  },
  previewFile: {
    method: 'GET',
    path: '/base/file/{file_id}/preview',
    summary: 'Draws a file as a small picture',
    query: z.object({
      kind: z
        .enum([...previewKind.options, 'regions'])
        .describe('Moments of a video, the sound as a wave, or regions drawn over moments'),
      ...regionsQuery.partial().shape,
    }),
    answers: {
      200: {
        description:
          'The picture. `x-empty-frames`: places, from 0 and with commas, of frames with regions that could not be shown',
        type: 'image/jpeg',
      },
    },
    errors: [6004, 6014, 6017, 6021, 6401, 6402],
  },
} as const satisfies Record<string, RawRoute>
