import { MediaError } from '../../src/contract/errors.ts'
import type { InputOf, RunContext, RunOperation } from '../../src/contract/operation.ts'
import { describeImages } from '../../src/engines/description/describe-images.ts'
import { type MeasuredPicture, measurePicture } from '../../src/engines/description/measure-picture.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { cacheAnswers } from '../../src/engines/language-model/answer-cache.ts'
import type { LanguageModel } from '../../src/engines/language-model/language-model.ts'
import { openLanguageModel } from '../../src/engines/language-model/open.ts'
import { openTextDetector } from '../../src/engines/vision/frame-detector.ts'
import { type SmallPicture, smallPicture } from '../../src/engines/vision/small-picture.ts'
import type { PictureDescription } from '../../src/media/image/picture-description.ts'
import { checkStillImage } from '../../src/media/image/still-image.ts'
import { type PictureEvidence, usableFlags } from '../../src/media/image/usable-flags.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import type { materialDescribe } from './contract.ts'

type Item = InputOf<typeof materialDescribe>['input'][number]

/** Progress in percent after the images are read, and after they are described and measured. */
const percent = { read: 10, done: 98 }

/** Reads the images, then asks for descriptions and measures at the same time. Equal images are examined once. */
export const run: RunOperation<typeof materialDescribe> = async ({ input }, context) => {
  await using model = await openLanguageModel(context)
  const { pictures, places } = await readPictures(input, context)
  context.progress(percent.read)
  const counts = { described: 0, measured: 0 }
  const report = (found: Partial<typeof counts>) => {
    Object.assign(counts, found)
    // Measuring may be interrupted at any image when an agent is asked.
    const examined = context.askTask ? counts.described : (counts.described + counts.measured) / 2
    const share = examined / pictures.length
    context.progress(percent.read + (percent.done - percent.read) * share)
  }
  const [descriptions, evidence] = await bothOrNeither(
    context.signal,
    (signal) => describePictures(pictures, { model, places, context, signal, report }),
    (signal) => measurePictures(pictures, { context, signal, report }),
  )
  const data = places.map((place, index) => {
    const [description, measured] = [descriptions[place], evidence[place]]
    if (!description || !measured) throw new Error(`no description of image ${index}`)
    const { added, ...described } = description
    return { index, ...described, tags: [...described.tags], usable_flags: usableFlags(added, measured) }
  })
  return { data, usage: { images: data.length, total: data.length }, describer: model.name }
}

type ReadPicture = MeasuredPicture & Pick<SmallPicture, 'jpeg'>

interface ReadPicturesResult {
  /** Different pictures. */
  readonly pictures: readonly ReadPicture[]
  /** Index of the picture of each item. */
  readonly places: readonly number[]
}

/** Images that are decoded at a time. */
const maxDecoders = 2

/** Decodes the images of a request, equal ones once. Throws 6014, 6017 and 6021 with the place of the image. */
async function readPictures(
  items: readonly Item[],
  { files, signal }: Pick<RunContext, 'files' | 'signal'>,
): Promise<ReadPicturesResult> {
  const limited = limitConcurrency(maxDecoders)
  const known = new Map<string, Promise<ReadPicture>>()
  const checksums: string[] = []
  for (const [index, { image, file_id }] of items.entries()) {
    const file = files.get(image ?? file_id ?? '')
    const checksum = file.blake3
    checksums.push(checksum)
    if (known.has(checksum)) continue
    const field = `input[${index}].${image === undefined ? 'file_id' : 'image'}`
    const read = limited(async (): Promise<ReadPicture> => {
      try {
        const facts = file.facts ?? (await probe(file.path, { signal }))
        const video = checkStillImage({ name: file.name, facts }, { field })
        return { path: file.path, video, checksum, ...(await smallPicture(file.path, { video, signal })) }
      } catch (error) {
        throw error instanceof MediaError && error.code !== 6014 ? error.at(field) : error
      }
    })
    // Handled where all are awaited.
    read.catch(() => undefined)
    known.set(checksum, read)
  }
  const order = [...known.keys()]
  return {
    pictures: await Promise.all(known.values()),
    places: checksums.map((checksum) => order.indexOf(checksum)),
  }
}

interface ExamineOptions {
  readonly context: RunContext
  readonly signal: AbortSignal
  readonly report: (found: { readonly described?: number; readonly measured?: number }) => void
}

async function describePictures(
  pictures: readonly ReadPicture[],
  {
    model,
    places,
    context,
    signal,
    report,
  }: ExamineOptions & { readonly model: LanguageModel; readonly places: readonly number[] },
): Promise<PictureDescription[]> {
  return await describeImages(
    pictures.map(({ jpeg }) => jpeg),
    {
      ...{ model: cacheAnswers(model, context.steps), signal },
      nameImage: (picture) => `input[${places.indexOf(picture)}]`,
      onCount: (described) => report({ described }),
    },
  )
}

async function measurePictures(
  pictures: readonly ReadPicture[],
  { context, signal, report }: ExamineOptions,
): Promise<PictureEvidence[]> {
  await using detector = await openTextDetector(Math.min(context.threads, maxDecoders), signal)
  const cache = await openStepCache(context.steps)
  const limited = limitConcurrency(maxDecoders)
  let measured = 0
  return await Promise.all(
    pictures.map((picture) =>
      limited(async () => {
        signal.throwIfAborted()
        const evidence = await measurePicture(picture, { detector, signal, cache })
        measured += 1
        report({ measured })
        return evidence
      }),
    ),
  )
}

/** Runs two pieces of work at the same time. If one fails, aborts and awaits the other, then throws the first error. */
async function bothOrNeither<A, B>(
  signal: AbortSignal,
  one: (signal: AbortSignal) => Promise<A>,
  other: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const stopOnFailure = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      failed.abort(error)
      throw error
    }
  }
  const works = [stopOnFailure(one(either)), stopOnFailure(other(either))] as const
  await Promise.allSettled(works)
  if (failed.signal.aborted && !signal.aborted) throw failed.signal.reason
  return await Promise.all(works)
}
