import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { measurePicture } from '../../src/engines/description/measure-picture.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { openTextDetector } from '../../src/engines/vision/frame-detector.ts'
import { smallPicture } from '../../src/engines/vision/small-picture.ts'
import { isAddition, type UsableFlags, usableFlags } from '../../src/media/image/usable-flags.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { createFlaggedPicture } from '../footage/flagged-pictures.ts'
import { createScreenPicture } from '../footage/screen-picture.ts'
import { seededNumbers } from '../footage/world.ts'
import { soakSize } from '../soak-size.ts'

const folder = await scratchFolder()
const hasPacks = useTestPacks(join(folder, 'packs'))
/** Picture 6 has no addition, and the model reports letters in it. */
const indexes = soakSize([1, 3, 4, 5, 6], [...Array(400).keys()])
const { signal } = new AbortController()

const flagNames = ['watermark', 'text_overlay', 'black_border', 'blurry'] as const

/**
 * What a model says was added. It is right about what it sees, except that it reports letters in every tenth picture
 * without any addition.
 */
function verdictOf(added: readonly string[], index: number): readonly string[] {
  const random = seededNumbers(index + 1)
  return added.length === 0 && random() < 0.1 ? ['subtitle', 'text_mark'] : added
}

/** Writes pictures to files, and measures them. */
async function openMeasuring() {
  const detector = await openTextDetector(2, signal)
  const steps = await mkdtemp(join(folder, 'steps-'))
  const cache = await openStepCache(steps)
  return {
    async measure(name: string, bytes: Buffer) {
      const path = join(folder, `${name}.${bytes[0] === 0x89 ? 'png' : 'jpg'}`)
      await writeFile(path, bytes)
      const { video } = await probe(path)
      if (!video) throw new Error('no picture')
      const { luma } = await smallPicture(path, { video, signal })
      return await measurePicture({ path, video, luma, checksum: name }, { detector, signal, cache })
    },
    [Symbol.asyncDispose]: () => detector[Symbol.asyncDispose](),
  }
}

describe.skipIf(!hasPacks)('flags of generated pictures (REELWRIGHT_TESTDATA)', () => {
  test(`are right in at least 0.95 of ${indexes.length} pictures, each flag`, async ({ annotate }) => {
    await using measuring = await openMeasuring()
    const limited = limitConcurrency(2)
    const wrong: string[] = []
    const right: Record<keyof UsableFlags, number> = {
      ...{ watermark: 0, text_overlay: 0, black_border: 0, blurry: 0 },
    }
    const judge = async (index: number) => {
      const { bytes, truth } = createFlaggedPicture(index)
      const evidence = await measuring.measure(String(index), bytes)
      const flags = usableFlags(verdictOf(truth.added, index).filter(isAddition), evidence)
      for (const name of flagNames) {
        if (flags[name] === truth[name]) right[name] += 1
        else wrong.push(`${index}: ${name} is ${String(truth[name])} (${truth.made.join(', ')})`)
      }
    }
    await Promise.all(indexes.map((index) => limited(() => judge(index))))
    const share = (name: keyof UsableFlags) => right[name] / indexes.length
    const figures = flagNames.map((name) => `${name} ${share(name).toFixed(4)}`)
    await annotate([...figures, ...wrong].join('\n'))
    for (const name of flagNames)
      expect(share(name), `${name}: ${wrong.join('\n')}`).toBeGreaterThanOrEqual(0.95)
  }, 3_600_000)

  test('screens are blurred only if they are, as their letters are no additions', async () => {
    await using measuring = await openMeasuring()
    const screens = soakSize(1, 16)
    const sigmas = soakSize([0, 4], [0, 4, 8])
    const found: Record<string, number> = {}
    // The least blur that counts is σ 2.4 of 768 px.
    for (const sigma of sigmas) {
      for (let index = 0; index < screens; index += 1) {
        const { isBlurred } = await measuring.measure(`${index}-${sigma}`, createScreenPicture(index, sigma))
        found[sigma] = (found[sigma] ?? 0) + Number(isBlurred)
      }
    }
    expect(found).toEqual(Object.fromEntries(sigmas.map((sigma) => [sigma, sigma === 0 ? 0 : screens])))
  })
})
