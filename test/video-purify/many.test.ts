import { join } from 'node:path'
import { expect, it } from 'vitest'
import { maxRegions } from '../../src/contract/regions.ts'
import { videoPurify } from '../../tools/video-purify/contract.ts'
import { run } from '../../tools/video-purify/run.ts'
import { stepsIn } from '../../tools/video-purify/steps.ts'
import { h264, make, picture, scratchFolder } from '../engines/ffmpeg/made.ts'
import { contextOf, idOf, stage } from '../tasks/run-operation.ts'
import { purify } from './purify.ts'

const folder = await scratchFolder()
const source = await make(join(folder, 'many.mp4'), [...picture(1), ...h264])

/** Detects in a video in which an earlier attempt found so much, and left so much. */
async function detected(found: { readonly regions: readonly object[]; readonly left: number }) {
  const scratch = await scratchFolder()
  const { context, kept } = contextOf(await stage([source]), scratch)
  const wish = { file_id: idOf(source), subtitles: false, most: maxRegions }
  await (await stepsIn(scratch)).text('found', wish, async () => JSON.stringify(found))
  const request = { file_id: idOf(source), phase: 'detect' }
  return { output: await run(videoPurify.input.parse(request), context), path: kept[0]?.path ?? '' }
}

const wayOut =
  'left out, as a list holds 50000: clean in one go with purify_scope, or detect area by area with detect_scope custom'

it('however much is found, its list is taken back, and what it leaves out is told', async () => {
  // As many digits as numbers may have.
  const sides = { x: 1 / 3e5, y: 1 / 3e5, w: 1 / 3e5, h: 1 / 3e5 }
  const region = { ...sides, start: 1 / 3e5, end: 0.04 + 1 / 3e5, score: 0.8 }
  const { output, path } = await detected({
    regions: Array.from({ length: maxRegions }, () => region),
    left: 10_002,
  })
  expect(output).toMatchObject({
    regions_found: maxRegions,
    notes: [`10002 regions of text that show briefly were ${wayOut}`],
  })
  const { output: cleaned } = await purify(source, folder, { phase: 'purify', regions_file_id: path })
  expect(cleaned.notes).toBeUndefined()
})

it('one region that is left out is told as one', async () => {
  const { output } = await detected({ regions: [], left: 1 })
  expect(output).toMatchObject({
    regions_found: 0,
    notes: [`1 region of text that shows briefly was ${wayOut}`],
  })
})
