import { join } from 'node:path'
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

const folder = await scratchFolder()
/** Length of the sound, minutes. */
const minutes = soakSize(2.5, 60)
const seconds = 60 * minutes
/**
 * Growth that the garbage collector and the allocator explain, MiB. A minute of one channel takes 48,000 × 4 × 60 bytes, which
 * is 11 MiB, and an hour 660 MiB. The short form measures its last three quarters, 1.9 minutes, and usually grows by 10 to
 * 16 MiB. Kept stereo sound adds 41 MiB, and kept voice and music together 82 MiB. One kept channel adds 21 MiB, which only
 * the full form detects.
 */
const maxGrowth = soakSize(45, 90)
/** Share of the separation after which its memory no longer grows. */
const warmShare = soakSize(0.25, 0.1)

/** Watches how far the resident memory of this process grows, MiB, from the first measurement at a share of the work or later. */
function watchMemory(startShare: number) {
  let baseline: number | undefined
  let growth = 0
  return {
    measure(share: number) {
      const memory = process.memoryUsage.rss() / 2 ** 20
      if (share >= startShare) baseline ??= memory
      if (baseline !== undefined) growth = Math.max(growth, memory - baseline)
    },
    growth: () => (baseline === undefined ? Infinity : growth),
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
    expect(separating.growth()).toBeLessThan(maxGrowth)
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
    expect(laying.growth()).toBeLessThan(maxGrowth)
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
    const growths = [separating, laying, mixing].map((watched) => watched.growth().toFixed(0))
    await annotate(`separation, lines and mix grow by ${growths.join(', ')} MiB`)
    expect(mixing.growth()).toBeLessThan(maxGrowth)
  },
)
