import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { parseJson } from '../../contract/bounded-json.ts'
import { MediaError } from '../../contract/errors.ts'
import { type ClientOptions, openClient, type ServiceClient } from '../services/client.ts'
import { httpErrorCause, unexpectedResponse } from '../services/failures.ts'
import { type EmbeddingService, parseServiceAddress, serviceName } from '../services/services.ts'
import { imageExtension } from '../ffmpeg/image-format.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { forImage, ImagesRefusedError } from './image-error.ts'
import { checkPicture } from './square-picture.ts'
import { withTask } from './task-text.ts'
import { unitVector } from './unit-vector.ts'

/** A server may load its model first; the caller of a synchronous operation waits as long. */
const embeddingLimits = { firstByteMs: 150_000, wholeMs: 150_000, maxBytes: 32 * 2 ** 20 }

/** Most texts in one request, and most bytes of images. */
const maxRequestTexts = 64
const maxRequestImageBytes = 8 * 2 ** 20

/** Most numbers of a vector. */
const maxDimensions = 65_536

/** Identifies the vectors of a service: of one model, through one API. */
export function embeddingServiceSpace({ address, model }: EmbeddingService): string {
  return `${parseServiceAddress(address).dialect}:${model}`
}

/** Opens the configured embedding service. */
export function openEmbeddingService(
  service: EmbeddingService,
  clientOptions: ClientOptions = {},
): EmbeddingModel {
  const client = openClient({ kind: 'embedding', service }, { ...embeddingLimits, ...clientOptions })
  const { model } = service
  const isJina = parseServiceAddress(service.address).dialect === 'jina'
  const embed = vectorReader(client)
  return {
    name: serviceName(service),
    space: embeddingServiceSpace(service),
    async embedTexts(texts, { task = '', signal }) {
      const vectors: Float32Array[] = []
      for (const group of inGroups(texts, () => 1 / maxRequestTexts)) {
        const read = isJina
          ? await embedJinaTexts(service, group, { task, embed, signal })
          : await embed({ model, input: group.map((text) => withTask(text, task)) }, group.length, signal)
        vectors.push(...read)
      }
      return vectors
    },
    async embedImages(paths, { signal }) {
      const images = await readImages(paths, signal)
      if (!isJina) return await embedChatImages(client, images, { embed, signal })
      const vectors: Float32Array[] = []
      for (const group of inGroups(images, ({ length }) => length / maxRequestImageBytes)) {
        const json = jinaRequest(
          model,
          group.map((image) => ({ image: image.toString('base64') })),
        )
        vectors.push(...(await embed(json, group.length, signal)))
      }
      return vectors
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** A request of Jina's API, whose items are texts or images. */
function jinaRequest(model: string, input: readonly Readonly<Record<string, string>>[]) {
  return { model, input, normalized: true, embedding_type: 'float' }
}

/** Embeds texts through Jina's API. Throws 6016 for a task without which the service accepts the texts. */
async function embedJinaTexts(
  service: EmbeddingService,
  texts: readonly string[],
  { task, embed, signal }: { readonly task: string; readonly embed: Embed; readonly signal: AbortSignal },
): Promise<Float32Array[]> {
  const json = jinaRequest(
    service.model,
    texts.map((text) => ({ text })),
  )
  if (task === '') return await embed(json, texts.length, signal)
  try {
    return await embed({ ...json, task }, texts.length, signal)
  } catch (error) {
    if (![400, 422].includes(httpErrorCause(error)?.status ?? 0)) throw error
    // Servers explain their refusals in no common form: the same request without the task shows the cause.
    const isAccepted = await embed(json, texts.length, signal).then(
      () => true,
      () => false,
    )
    if (!isAccepted) throw error
    throw new MediaError(6016, `task: ${serviceName(service)} does not know ${JSON.stringify(task)}`, {
      cause: error,
      hint: 'Leave task out, or send one that the documentation of its model names, such as "retrieval.query".',
    })
  }
}

/** Reads images after checking that they decode: servers explain their refusals in no common form. */
async function readImages(paths: readonly string[], signal: AbortSignal): Promise<Buffer[]> {
  const images: Buffer[] = []
  for (const [index, path] of paths.entries()) {
    await forImage(index, () => checkPicture(path, signal))
    images.push(await readFile(path))
  }
  return images
}

type Embed = (json: unknown, count: number, signal: AbortSignal) => Promise<Float32Array[]>

const mediaTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
}

/**
 * Embeds images through an OpenAI-compatible API, one a request, as a chat message: the form of servers that accept
 * images there. Throws 6401 if the server does not.
 */
async function embedChatImages(
  { target: { service } }: ServiceClient,
  images: readonly Buffer[],
  { embed, signal }: { readonly embed: Embed; readonly signal: AbortSignal },
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const image of images) {
    const type = mediaTypes[imageExtension(image) ?? ''] ?? 'application/octet-stream'
    const url = `data:${type};base64,${image.toString('base64')}`
    const content = [{ type: 'image_url', image_url: { url } }]
    const json = { model: service.model, messages: [{ role: 'user', content }] }
    try {
      vectors.push(...(await embed(json, 1, signal)))
    } catch (error) {
      if (![400, 415, 422, 501].includes(httpErrorCause(error)?.status ?? 0)) throw error
      throw new ImagesRefusedError(serviceName(service), error)
    }
  }
  return vectors
}

/** Splits a list into groups whose shares add up to at most 1; an item of more has a group of its own. */
function inGroups<T>(items: readonly T[], shareOf: (item: T) => number): T[][] {
  const groups: T[][] = []
  let filled = Infinity
  for (const item of items) {
    const share = shareOf(item)
    filled += share
    if (filled > 1) {
      groups.push([])
      filled = share
    }
    groups.at(-1)?.push(item)
  }
  return groups
}

/** Response of both APIs. */
const embeddingResponse = z.object({
  data: z.array(
    z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(maxDimensions) }),
  ),
})

/** Returns a function that sends a request and returns its vectors in order. All must have the same number of dimensions. */
function vectorReader(client: ServiceClient): Embed {
  let dimensions: number | undefined
  const fail = (what: string): never => {
    throw unexpectedResponse(client.target, what)
  }
  return async (json, count, signal) => {
    const { bytes } = await client.send({ path: '/embeddings', json, signal })
    const read = embeddingResponse.safeParse(parseJson(bytes.toString('utf8')))
    if (!read.success) return fail('does not respond with embeddings')
    const ordered = read.data.data.toSorted((one, other) => one.index - other.index)
    if (ordered.length !== count || ordered.some(({ index }, at) => index !== at))
      return fail('responds with embeddings of other items than requested')
    return ordered.map(({ embedding }) => {
      dimensions ??= embedding.length
      if (embedding.length !== dimensions) return fail('responds with embeddings of different lengths')
      return unitVector(embedding) ?? fail('responds with an embedding of zeros')
    })
  }
}
