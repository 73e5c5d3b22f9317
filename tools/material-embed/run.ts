import type { InputOf, RunContext, RunOperation } from '../../src/contract/operation.ts'
import type { EmbeddingModel } from '../../src/engines/embedding/embedding-model.ts'
import { ImageError } from '../../src/engines/embedding/image-error.ts'
import { openEmbeddingModel } from '../../src/engines/embedding/open.ts'
import type { materialEmbed } from './contract.ts'

type Item = InputOf<typeof materialEmbed>['input'][number]

/** Embeds texts and images. An image sent as base64 is read from a file too, so that both forms give the same vector. */
export const run: RunOperation<typeof materialEmbed> = async ({ input, task = '' }, context) => {
  const { signal, threads } = context
  await using model = await openEmbeddingModel({ threads, signal })
  context.progress(10)
  const texts = input.flatMap(({ text }) => text ?? [])
  const textVectors = texts.length > 0 ? await model.embedTexts(texts, { task, signal }) : []
  context.progress(50)
  const imageVectors = await embedImages(model, input, context)
  const [nextText, nextImage] = [textVectors.values(), imageVectors.values()]
  return {
    data: input.map(({ text }, index) => ({
      index,
      embedding: shortNumbers((text === undefined ? nextImage : nextText).next().value),
      normalized: true as const,
    })),
    usage: { texts: texts.length, images: imageVectors.length, total: input.length },
    engine: model.name,
    space: model.space,
  }
}

/** Embeds the images of a request. Their errors name their item and its form. */
async function embedImages(
  model: EmbeddingModel,
  input: readonly Item[],
  { files, signal }: RunContext,
): Promise<Float32Array[]> {
  const images = input.flatMap(({ image, file_id }, index) => {
    const id = image ?? file_id
    const form = image === undefined ? 'file_id' : 'image'
    return id === undefined ? [] : [{ path: files.get(id).path, field: `input[${index}].${form}` }]
  })
  if (images.length === 0) return []
  try {
    return await model.embedImages(
      images.map(({ path }) => path),
      { signal },
    )
  } catch (error) {
    const failed = error instanceof ImageError ? images[error.index] : undefined
    throw failed && error instanceof ImageError ? error.at(failed.field) : error
  }
}

/** Numbers with 9 digits, which identify a 32-bit float (IEEE 754) in half the text of its exact value. */
function shortNumbers(vector: Float32Array | undefined): number[] {
  if (!vector) throw new TypeError('the model returned too few vectors')
  return Array.from(vector, (value) => Number(value.toPrecision(9)))
}
