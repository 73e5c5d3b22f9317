import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../src/engines/ffmpeg/probe.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { detectText } from '../src/engines/vision/detect-text.ts'
import { captionKinds, createFootage } from '../test/footage/captions.ts'
import { compareWithCaptions, type CaptionComparison } from '../test/footage/compare-captions.ts'
import { drawFootage } from '../test/footage/text.ts'
import { median, processorSeconds } from './measure.ts'

// Quality of text detection in generated footage, by kind of text and background: recall and precision of regions, the
// share of first and last frames within one frame, the share of edges within 3 px or 5 %, and processor time per second of
// video (of this process and ffmpeg).
// npm run bench -- text-detection <folder of models> [seeds] [kind] [height]

const [models = '', seeds = '3', only = '', height = '720'] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-text-'))
process.env['ORT_DISABLE_TELEMETRY'] = '1'
configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })

try {
  console.log(
    '| text | background | recall | precision | times | edges | time error, frames | edge error, px | s/s |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const kind of captionKinds) {
    if (only !== '' && only !== kind) continue
    for (const background of ['still', 'pan', 'busy'] as const) {
      const comparisons: CaptionComparison[] = []
      let [spentSeconds, seconds] = [0, 0]
      for (let seed = 1; seed <= Number(seeds); seed += 1) {
        const footage = createFootage(kind, background, { seed, height: Number(height) })
        const path = join(folder, 'footage.mp4')
        const letterings = await drawFootage(path, footage)
        const facts = await probe(path)
        const before = await processorSeconds()
        const { regions } = await detectText(path, facts, { threads: 2 })
        spentSeconds += (await processorSeconds()) - before
        seconds += footage.frames / footage.fps
        const comparison = compareWithCaptions(footage, letterings, regions)
        comparisons.push(comparison)
        for (const note of [...comparison.missed.map((text) => `missed ${text}`), ...comparison.notes])
          console.error(`${kind}, ${background}, seed ${seed}: ${note}`)
        for (const { start, end, ...region } of comparison.falseRegions)
          console.error(
            `${kind}, ${background}, seed ${seed}: false region ${start} to ${end}: ${JSON.stringify(region)}`,
          )
      }
      console.log(
        `| ${kind} | ${background} | ${row(comparisons)} | ${(spentSeconds / seconds).toFixed(2)} |`,
      )
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

function row(comparisons: readonly CaptionComparison[]): string {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const times = comparisons.flatMap((comparison) => comparison.times.map(Math.abs))
  const edges = comparisons.flatMap((comparison) => comparison.edges.map(Math.abs))
  return [
    mean(comparisons.map(({ recall }) => recall)).toFixed(3),
    mean(comparisons.map(({ precision }) => precision)).toFixed(3),
    (times.filter((frames) => frames <= 1).length / Math.max(1, times.length)).toFixed(3),
    mean(comparisons.map(({ edgesWithin }) => edgesWithin)).toFixed(3),
    `median ${median(times)}, max ${Math.max(0, ...times)}`,
    `median ${median(edges).toFixed(1)}, max ${Math.max(0, ...edges).toFixed(1)}`,
  ].join(' | ')
}
