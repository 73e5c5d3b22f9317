import type { Dispatcher } from 'undici'
import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { type QuestionImage, questionImageTypes } from '../contract/questions.ts'
import { isNetworkFailure } from '../platform/system-error.ts'
import { fillPath, rawRoutes } from '../contract/routes.ts'
import { readResponseBody, throwErrorResponse } from './response.ts'
import type { Client } from './client.ts'

/** A preview image of a file. */
export interface Preview {
  readonly bytes: Buffer
  readonly mimeType: string
  /** For frames with regions: indexes of frames that could not be rendered. */
  readonly empty: readonly number[]
}

/** Largest preview, bytes: MCP transfers it as base64. */
const maxPreviewBytes = 3 * 2 ** 20

/** Kind and options of a preview. */
export type PreviewQuery = z.input<typeof rawRoutes.previewFile.query>

/** Fetches a file's contact sheet, its waveform, or regions drawn over it. */
export async function fetchPreview(
  client: Client,
  fileId: string,
  { signal, ...query }: PreviewQuery & { signal?: AbortSignal },
): Promise<Preview> {
  const response = await client.send({
    method: rawRoutes.previewFile.method,
    address: fillPath(rawRoutes.previewFile.path, { file_id: fileId }),
    query,
    idempotent: true,
    signal,
  })
  const mimeType = mediaTypeOf(response)
  if (response.statusCode !== 200 || !mimeType.startsWith('image/')) return throwErrorResponse(response)
  const empty = [...String(response.headers['x-empty-frames'] ?? '').matchAll(/\d+/g)].map(Number)
  return { bytes: await readResponseBody(response, maxPreviewBytes), mimeType, empty }
}

function mediaTypeOf({ headers }: Dispatcher.ResponseData): string {
  return String(headers['content-type'] ?? '').split(';')[0] ?? ''
}

/** Largest image of a question, bytes. */
const maxQuestionImageBytes = 4 * 2 ** 20

/**
 * Fetches an image of a question, at the contract's own address: others that a service names are not read. Returns null
 * if it cannot be had, such as after the end of its task.
 */
export async function fetchQuestionImage(
  client: Client,
  image: { readonly task_id: string; readonly question_id: string; readonly index: number },
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly mimeType: QuestionImage['type'] } | null> {
  const { method, path } = rawRoutes.questionImage
  const address = fillPath(path, { ...image, index: String(image.index) })
  try {
    const response = await client.send({ method, address, idempotent: true, signal })
    const type = mediaTypeOf(response)
    const mimeType = questionImageTypes.find((one) => one === type)
    if (response.statusCode !== 200 || !mimeType) return await throwErrorResponse(response)
    return { bytes: await readResponseBody(response, maxQuestionImageBytes), mimeType }
  } catch (error) {
    if (error instanceof MediaError || isNetworkFailure(error)) return null
    throw error
  }
}

/** Downloads a small stored file into memory. Throws 6401 for more than `maxBytes`. */
export async function downloadSmallFile(
  client: Client,
  file: { readonly download_url: string },
  options: { maxBytes: number; signal?: AbortSignal },
): Promise<Buffer> {
  const response = await client.send({
    method: 'GET',
    address: file.download_url,
    idempotent: true,
    signal: options.signal,
  })
  if (response.statusCode !== 200) return throwErrorResponse(response)
  return readResponseBody(response, options.maxBytes)
}
