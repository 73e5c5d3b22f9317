import type { InpaintingModels } from '../../media/clean/inpaint/temporal-inpainter.ts'
import type { PackName } from '../packs/manifest.ts'
import { ownModelSha256, requirePack } from '../packs/use.ts'
import { learnedFlow } from './learned-flow.ts'
import { learnedInpainting } from './learned-inpainting.ts'
import { openLearned } from './learned-model.ts'
import type { Range } from './picture-tensor.ts'

type LearnedPack = Extract<PackName, 'inpainting' | 'optical-flow'>

/** What may be used for a video; a still moves nowhere. */
const all: readonly LearnedPack[] = ['inpainting', 'optical-flow']

/**
 * Checksums of the models that are set, of those that may be used: what is filled is as these are. Throws 6016 for a
 * file that is not the one that is set, 6401 where one is set and what runs it is not there.
 */
export async function learnedSums(packs = all): Promise<Readonly<Record<string, string>>> {
  const sums: Record<string, string> = {}
  for (const name of packs) {
    const sum = await ownModelSha256(name)
    if (sum !== null) sums[name] = sum
  }
  if (Object.keys(sums).length > 0) await requirePack('onnx-runtime')
  return sums
}

/**
 * Opens the models that are set, of those that may be used, each to work with so many threads on a film whose samples
 * have a range. Throws 6016 for one of another kind than is expected. Nothing of theirs may be at work when they are
 * given back.
 */
export async function openLearnedModels(
  threads: number,
  { packs = all, range = 'limited' }: { readonly packs?: typeof all; readonly range?: Range } = {},
): Promise<InpaintingModels & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const open = (name: LearnedPack) => (packs.includes(name) ? openLearned(name, { threads, opened }) : null)
  const [inpainting, flow] = [await open('inpainting'), await open('optical-flow')]
  const learned: InpaintingModels = {
    ...(inpainting && { fill: await learnedInpainting(inpainting, range) }),
    ...(flow && { flow: await learnedFlow(flow, range) }),
  }
  const kept = opened.move()
  return { ...learned, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
