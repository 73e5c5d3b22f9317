import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { sampleCases } from '../../soak-size.ts'
import { generateMedia, h264, scratchFolder } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'
import { hasFaces } from './film-faces.ts'
import { narrow, reframe, reframeFilm, sides, useBrokenModel } from './reframe-film.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})
beforeEach(() => void useTestPacks(join(folder, 'packs')))

describe('without faces', () => {
  /** A textured square at a place on a grey picture. */
  const thing = (x: number, name: string) =>
    generateMedia(join(folder, `${name}.mp4`), [
      ...[
        '-f',
        'lavfi',
        '-i',
        'color=gray:s=960x540:r=25:d=1',
        '-f',
        'lavfi',
        '-i',
        'testsrc2=s=160x160:r=25:d=1',
      ],
      ...['-filter_complex', `[0][1]overlay=${x}:180`, ...h264],
    ])

  it.skipIf(!hasFaces)('holds what draws the eye', async () => {
    for (const x of sampleCases([700, 40], 1)) {
      const { ranges, degraded } = await reframe(await thing(x, `thing-${x}`))
      expect(degraded).toBeUndefined()
      expect(ranges).toHaveLength(1)
      const framing = ranges[0]?.framing
      if (framing?.mode !== 'crop') throw new Error('no crop')
      expect(framing.crop.x).toBeLessThanOrEqual(x)
      expect(framing.crop.x + framing.crop.width).toBeGreaterThanOrEqual(x + 160)
    }
  })

  it('holds the middle of a plain picture, and names the command that installs the missing model', async () => {
    configurePacks({ folder: join(folder, 'none'), automatic: false, mirror: undefined, own: {}, manifest })
    const path = await generateMedia(join(folder, 'plain.mp4'), [
      '-f',
      'lavfi',
      '-i',
      'color=gray:s=960x540:r=25:d=1',
      ...h264,
    ])
    const { ranges, degraded, split } = await reframe(path, { split: { mode: 'auto', orientation: 'auto' } })
    expect(ranges).toEqual([
      { first: 0, end: 25, framing: { mode: 'crop', crop: { x: 328, y: 0, width: 304, height: 540 } } },
    ])
    expect(split).toEqual([])
    expect(degraded).toMatch(
      /^faces were not searched: .*not installed.*reelwright models pull face-detection/,
    )
  })
})

describe.skipIf(!hasFaces)('attempts (REELWRIGHT_TESTDATA)', () => {
  // Longer than the parts of 20 s that are stored.
  const shots = sides([90, 87, 63])
  const film = () => ({ folder, name: 'attempts', rate: { num: 8, den: 1 }, ...narrow })

  it('degrade if the model fails', async () => {
    useBrokenModel(folder)
    const { degraded, judged } = await reframeFilm(sides([30, 30]), { folder, name: 'failing', ...narrow })
    expect(degraded).toMatch(/^faces were not searched: face detection does not run/)
    expect(judged.problems).toEqual([])
  })

  it('continue where an aborted one ended, and need no model for what is stored', async () => {
    const steps = await mkdtemp(join(folder, 'kept-'))
    const controller = new AbortController()
    const seen: number[] = []
    const progress = (percent: number) => {
      seen.push(percent)
      if (percent > 85) controller.abort(new Error('stopped by the user'))
    }
    const aborted = reframeFilm(shots, film(), { steps, progress, signal: controller.signal })
    await expect(aborted).rejects.toThrow('stopped by the user')
    const [file = ''] = await readdir(steps)
    const stored = await readFile(join(steps, file), 'utf8')
    expect(stored.split('\n').length).toBeGreaterThan(1)
    const whole = await reframeFilm(shots, film())
    const percents: number[] = []
    const again = await reframeFilm(shots, film(), { steps, progress: (percent) => percents.push(percent) })
    expect(again.ranges).toEqual(whole.ranges)
    expect(percents[0]).toBeGreaterThan(50)
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.at(-1)).toBe(100)
    expect((await readFile(join(steps, file), 'utf8')).slice(0, stored.length)).toBe(stored)
    useBrokenModel(folder)
    const third = await reframeFilm(shots, film(), { steps })
    expect(third.degraded).toBeUndefined()
    expect(third.ranges).toEqual(whole.ranges)
  })

  it.each(sampleCases([2, 60], 1))('are aborted at %d percent with the reason', async (at) => {
    const controller = new AbortController()
    const progress = (percent: number) => {
      if (percent >= at) controller.abort(new Error('cancelled'))
    }
    await expect(reframeFilm(shots, film(), { progress, signal: controller.signal })).rejects.toThrow(
      'cancelled',
    )
  })
})
