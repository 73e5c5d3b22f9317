import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { layLines } from '../../../src/engines/dubbing/lay-lines.ts'
import { mixDub } from '../../../src/engines/dubbing/mix-dub.ts'
import { separateSource } from '../../../src/engines/dubbing/separate-source.ts'
import { installPack } from '../../../src/engines/packs/install.ts'
import { configuredPacks } from '../../../src/engines/packs/resolve.ts'
import { reduceBufferMemory } from '../../../src/platform/runtime.ts'
import { soakSize } from '../../soak-size.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { stem, writeFakePack } from '../speech/fake-speech-models.ts'
import { neverAborted, useSpeechPacks } from '../speech/recordings.ts'
import { staged } from './marked-video.ts'
import { rate, sine } from './sounds.ts'

// V8 otherwise enlarges its young generation once by 64 MiB, at any moment: that growth does not depend on the length.
reduceBufferMemory()

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const folder = await scratchFolder()
/** Length of the sound, minutes. */
const minutes = soakSize(2.5, 60)
const seconds = 60 * minutes
/**
 * Growth of the resident memory that the allocator explains, MiB: up to 32 MiB in the short form, 28 MiB in the full form. An
 * hour of one channel at 48 kHz takes 660 MiB.
 */
const maxResidentGrowth = soakSize(45, 90)
/** Growth of objects and buffers in use, MiB. A minute of one channel takes 48,000 × 4 × 60 bytes, which is 11 MiB. */
const maxGrowthInUse = 10
/** Share of the separation after which its memory no longer grows. */
const warmShare = soakSize(0.25, 0.1)

/** Watches how far the memory of this process grows from the first measurement at a share of the work or later. */
function watchMemory(startShare: number) {
  const growths = { resident: new Growth(), inUse: new Growth() }
  return {
    measure(share: number) {
      if (share < startShare) return
      collectGarbage()
      const { rss, heapUsed, external } = process.memoryUsage()
      growths.resident.add(rss)
      growths.inUse.add(heapUsed + external)
    },
    expectConstant() {
      expect(growths.inUse.mebibytes).toBeLessThan(maxGrowthInUse)
      expect(growths.resident.mebibytes).toBeLessThan(maxResidentGrowth)
    },
    toString: () => `${growths.inUse.mebibytes.toFixed(1)} (${growths.resident.mebibytes.toFixed(0)})`,
  }
}

/** Greatest distance of measurements, in bytes, from the first one. */
class Growth {
  #first: number | undefined
  #greatest = 0

  add(bytes: number): void {
    this.#first ??= bytes
    this.#greatest = Math.max(this.#greatest, bytes - this.#first)
  }

  /** Infinity without a measurement. */
  get mebibytes(): number {
    return this.#first === undefined ? Infinity : this.#greatest / 2 ** 20
  }
}

it(
  `separates, lays and mixes ${minutes} min of sound in constant memory`,
  { timeout: 7_200_000 },
  async ({ annotate }) => {
    const files = { 'vocals.onnx': stem(0, 100), 'accompaniment.onnx': stem(101, 1023) }
    const mirror = join(folder, 'mirror')
    useSpeechPacks(folder, await writeFakePack(mirror, 'voice-separation', files), mirror)
    const packs = configuredPacks()
    if (packs) await installPack(packs, 'voice-separation')
    const sound = `aevalsrc='0.1*sin(2*PI*500*t)+0.02*sin(2*PI*2100*t)':s=${rate}:d=${seconds}`
    const source = await staged(
      await generateMedia(join(folder, 'source.m4a'), ['-f', 'lavfi', '-i', sound, '-c:a', 'aac']),
    )
    const separating = watchMemory(warmShare)
    const separated = await separateSource(source, {
      ...{ steps: folder, signal: neverAborted, onShare: separating.measure },
    })
    separating.expectConstant()
    expect(separated.music).not.toBeNull()

    const count = Math.floor(seconds / 4.5)
    const lines = Array.from({ length: count }, (_, index) => ({
      ...{ start: Math.round(4.5 * index * rate), length: 4 * rate, speed: 1 + (index % 4) * 0.05 },
      read: () =>
        Promise.resolve({
          samples: sine(200 + (index % 50), 4.1).filter((__, at) => at % 2 === 0),
          rate: rate / 2,
        }),
    }))
    const laying = watchMemory(0.1)
    const dub = join(folder, 'dub.wav')
    let programs = 1
    const spans = await layLines(lines, {
      ...{ path: dub, duration: seconds * rate, signal: neverAborted },
      onLines(done) {
        programs += 1
        laying.measure(done / count)
      },
    })
    expect(spans).toHaveLength(count)
    laying.expectConstant()
    expect(programs).toBeLessThanOrEqual(2 + count / 58)

    const { voice, music } = separated
    const mixing = watchMemory(0.2)
    await mixDub(
      { dub, spans, ...(music !== null && { background: { music, voice, seconds } }) },
      {
        ...{ path: join(folder, 'mix.m4a'), source, duration: seconds * rate },
        ...{ signal: neverAborted, onShare: mixing.measure },
      },
    )
    await annotate(`memory in use (resident) grows by ${[separating, laying, mixing].join(', ')} MiB`)
    mixing.expectConstant()
  },
)
