import { requirePack, requireTogether } from '../packs/resolve.ts'
import type { ClientOptions } from '../services/client.ts'
import { configuredService } from '../services/configured.ts'
import { serviceName } from '../services/services.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { embeddingServiceSpace, openEmbeddingService } from './embedding-service.ts'
import { findSiglip, openSiglip } from './siglip.ts'

/** The model that would be used. */
type EmbeddingModelInfo = Pick<EmbeddingModel, 'name' | 'space'>

interface OpenEmbeddingModelOptions {
  /** Threads of a local model. */
  readonly threads: number
  readonly signal: AbortSignal
  /** Limits of a service; by default, those of a caller that waits until a server has loaded its model. */
  readonly serviceLimits?: ClientOptions
}

/** Returns the model that embeds texts and images: the configured service, else an installed pack. Loads nothing. */
export async function findEmbeddingModel(): Promise<EmbeddingModelInfo | undefined> {
  const service = configuredService('embedding')
  if (service) return { name: serviceName(service), space: embeddingServiceSpace(service) }
  const model = await findSiglip()
  return model && { name: model.pack, space: model.space }
}

/** Returns the name of the model. Throws 6401 with the command that installs one. */
export async function requireEmbeddingModel(): Promise<string> {
  const service = configuredService('embedding')
  if (service) return serviceName(service)
  const { pack } = (await findSiglip()) ?? { pack: 'siglip2-base' as const }
  await requireTogether([() => requirePack(pack), () => requirePack('onnx-runtime')])
  return pack
}

/** Opens the model. Throws 6401 with the command that installs one. */
export async function openEmbeddingModel({
  threads,
  signal,
  serviceLimits,
}: OpenEmbeddingModelOptions): Promise<EmbeddingModel> {
  signal.throwIfAborted()
  const service = configuredService('embedding')
  if (service) return openEmbeddingService(service, serviceLimits)
  await requireEmbeddingModel()
  const model = await findSiglip()
  if (!model) throw new TypeError('the model was removed meanwhile')
  return await openSiglip(model, threads)
}
