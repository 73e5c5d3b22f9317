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

/** Kinds of preview images of a file. */
export const previewKind = z.enum(['contact_sheet', 'waveform'])
export type PreviewKind = z.infer<typeof previewKind>

/** A decimal number, such as 2.5; stricter than Number(), which accepts the empty string and 0x10. */
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?(e[+-]?\d+)?$/, 'must be a number of seconds, such as 2.5')
  .transform(Number)

const frameTimes = z
  .string()
  .max(400)
  .transform((text) => text.split(','))
  .pipe(z.array(decimal).max(maxSheetFrames))

/** Query of a preview of one frame. */
export const frameQuery = z.object({ at: decimal.default(0).describe('Time of the frame in s') })

/** Query of a preview of regions. */
export const regionsQuery = z.object({
  regions_file_id: id.describe('A detection result or a hand-written list of regions, as .json'),
  at: frameTimes
    .optional()
    .describe(
      `Comma-separated times in s, at most ${maxSheetFrames}; by default those that show the most regions`,
    ),
})

/** Contents of a preview of regions. Ids that are long or look like a number are replaced by their index: #3, keep#1. */
export const shownRegions = z.object({
  source_file_id: id.optional().describe('The file in which they were detected, if the list names it'),
  regions: z.int().describe('Number of regions to remove'),
  protect_regions: z.int().describe('Number of regions to protect'),
  frames: z
    .array(
      z.object({
        seconds: z.number(),
        ids: z.array(z.string()).describe('Regions to remove, drawn in red; #3 is the third of the list'),
        protect_ids: z
          .array(z.string())
          .optional()
          .describe('Protected regions, drawn dashed in green; keep#1 is the first of the list'),
        more: z.int().optional().describe('Number of further regions at that time'),
      }),
    )
    .describe('From left to right, row by row'),
  drawn_as: z
    .record(z.string(), z.string())
    .optional()
    .describe('Ids by the label in the picture, where it differs'),
  not_shown: z.object({ count: z.int(), ids: z.array(z.string()).describe('At most 50 ids') }),
  next_at: z.array(z.number()).describe('Times for further previews that would show most of these'),
})
export type ShownRegions = z.infer<typeof shownRegions>

/** A stored file with the result of probing it; null for files other than media. */
export const inspectedFile = fileDetails.extend({ media: mediaFacts.nullable() })
export type InspectedFile = z.infer<typeof inspectedFile>

/** A link that opens a file without an API key until it expires; for players and browsers. */
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

/** Query parameters of a link. */
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
    .describe(
      'Files last uploaded, renewed or created longer ago are removed; by default only expired files',
    ),
})

/** Result of a clean-up. */
export const cleanResult = z.object({
  files: z.int().describe('Files removed'),
  bytes: z.int().describe('Freed bytes; files that share their content with a remaining file free none'),
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
    summary: 'Starts an upload in parts, or returns the file if the service has it',
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
    summary: 'Imports one part from a file on the same machine, if init allows it',
    body: localFile,
    data: uploadPart,
    errors: [6002, 6004, 6005, 6013, 6024, 6025, 6036],
  },
  uploadStatus: {
    method: 'GET',
    path: '/base/file/upload/chunk/{upload_id}',
    summary: 'Lists the missing parts of an upload',
    data: uploadStatus,
    errors: [6024],
  },
  completeUpload: {
    method: 'POST',
    path: '/base/file/upload/chunk/{upload_id}/complete',
    summary: 'Assembles the parts into a file',
    data: fileRecord,
    errors: [6002, 6024, 6026, 6027, 6028, 6036],
  },
  abortUpload: {
    method: 'DELETE',
    path: '/base/file/upload/chunk/{upload_id}',
    summary: 'Aborts an upload',
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
    summary: 'Returns a file record',
    data: fileDetails,
    errors: [6004],
  },
  inspectFile: {
    method: 'GET',
    path: '/base/file/{file_id}/facts',
    summary: 'Returns a file record with the result of probing the file',
    data: inspectedFile,
    errors: [6004, 6017, 6021, 6032, 6401, 6402],
  },
  showRegions: {
    method: 'GET',
    path: '/base/file/{file_id}/regions',
    summary: 'Returns which regions of a list the preview shows, and at which times',
    query: regionsQuery,
    data: shownRegions,
    errors: [6004, 6014, 6017, 6021, 6032, 6401, 6402],
  },
  extractSound: {
    method: 'POST',
    path: '/base/file/{file_id}/sound',
    summary: 'Stores the sound of a video as an audio file',
    data: fileRecord,
    errors: [6002, 6004, 6014, 6017, 6021, 6032, 6401, 6402],
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
    summary: 'Creates a link that opens a file without an API key until it expires',
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

/** Endpoints that respond with content of a file. */
export const rawFileRoutes = {
  downloadFile: {
    method: 'GET',
    path: '/base/file/{file_id}/download',
    summary: 'Downloads a file',
    insteadOfKey: 'sign',
    query: linkQuery,
    headers: ['Range', 'If-Range', 'If-None-Match'],
    answers: {
      200: { description: 'The file', type: '*/*' },
      206: { description: 'The requested range', type: '*/*' },
      416: { description: 'The range begins beyond the end' },
    },
    errors: [6004],
  },
  previewFile: {
    method: 'GET',
    path: '/base/file/{file_id}/preview',
    summary: 'Returns a preview image of a file',
    query: z.object({
      kind: z
        .enum([...previewKind.options, 'frame', 'regions'])
        .describe(
          'Frames of a video, the waveform of its sound, one frame with a grid of tenths, or regions drawn over frames',
        ),
      ...regionsQuery.partial().shape,
    }),
    answers: {
      200: {
        description:
          'The image. `x-empty-frames`: comma-separated indexes, from 0, of frames whose regions could not be shown',
        type: 'image/jpeg',
      },
    },
    errors: [6004, 6014, 6017, 6021, 6032, 6401, 6402],
  },
} as const satisfies Record<string, RawRoute>
