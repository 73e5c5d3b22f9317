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

// How well text is found in generated footage, by its kind and by what lies behind it: recall and precision of
// regions, the share of beginnings and ends within a frame, the share of edges within 3 px or 5 %, and processor time
// for a second of video (this process's and ffmpeg's).
// npm run bench -- text-detection <folder of models> [seeds] [kind] [height]

const [models = '', seeds = '3', only = '', height = '720'] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-text-'))
process.env['ORT_DISABLE_TELEMETRY'] = '1'
configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })

try {
  console.log(
    '| text | behind it | recall | precision | times | edges | time off, frames | edges off, px | s/s |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const kind of captionKinds) {
    if (only !== '' && only !== kind) continue
    for (const background of ['still', 'pan', 'busy'] as const) {
      const verdicts: CaptionComparison[] = []
      let [spent, seconds] = [0, 0]
      for (let seed = 1; seed <= Number(seeds); seed += 1) {
        const footage = createFootage(kind, background, { seed, height: Number(height) })
        const path = join(folder, 'footage.mp4')
        const letterings = await drawFootage(path, footage)
        const facts = await probe(path)
        const before = await processorSeconds()
        const { regions } = await detectText(path, facts, { threads: 2 })
        spent += (await processorSeconds()) - before
        seconds += footage.frames / footage.fps
        const verdict = compareWithCaptions(footage, letterings, regions)
        verdicts.push(verdict)
        for (const note of [...verdict.missed.map((text) => `missed ${text}`), ...verdict.notes])
          console.error(`${kind}, ${background}, seed ${seed}: ${note}`)
        for (const { start, end, ...wrong } of verdict.wrong)
          console.error(
            `${kind}, ${background}, seed ${seed}: wrong ${start} to ${end}: ${JSON.stringify(wrong)}`,
          )
      }
      console.log(`| ${kind} | ${background} | ${row(verdicts)} | ${(spent / seconds).toFixed(2)} |`)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

function row(verdicts: readonly CaptionComparison[]): string {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const times = verdicts.flatMap((verdict) => verdict.times.map(Math.abs))
  const edges = verdicts.flatMap((verdict) => verdict.edges.map(Math.abs))
  return [
    mean(verdicts.map(({ recall }) => recall)).toFixed(3),
    mean(verdicts.map(({ precision }) => precision)).toFixed(3),
    (times.filter((frames) => frames <= 1).length / Math.max(1, times.length)).toFixed(3),
    mean(verdicts.map(({ edgesWithin }) => edgesWithin)).toFixed(3),
    `median ${median(times)}, most ${Math.max(0, ...times)}`,
    `median ${median(edges).toFixed(1)}, most ${Math.max(0, ...edges).toFixed(1)}`,
  ].join(' | ')
}
