import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { maxRegions } from '../../src/contract/regions.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { videoPurify } from '../../tools/video-purify/contract.ts'
import { maxTreatedRegions } from '../../tools/video-purify/marked-regions.ts'
import { run } from '../../tools/video-purify/run.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { purify } from './run-purify.ts'

const folder = await scratchFolder()
const source = await generateMedia(join(folder, 'many.mp4'), [...picture(1), ...h264])

/** Stored result of a detection, as tools/video-purify/marked-regions.ts writes it. */
interface Detections {
  readonly regions: readonly object[]
  readonly left: number
}

/** Runs a request for which an earlier attempt detected these regions and omitted some. */
async function runWithDetections(found: Detections, bounds: object, request: object) {
  const scratch = await scratchFolder()
  const { context, results } = createTestContext(await stageFiles([source]), scratch)
  const key = { file_id: fileIdOf(source), subtitles: false, ...bounds }
  await (await openStepCache(scratch)).text('found', key, async () => JSON.stringify(found))
  const input = videoPurify.input.parse({ file_id: fileIdOf(source), ...request })
  return { output: await run(input, context), path: results[0]?.path ?? '' }
}

async function detected(found: Detections) {
  return await runWithDetections(found, { most: maxRegions, until: 1 }, { phase: 'detect' })
}

const limitNote =
  'omitted: a list holds at most 50000. Clean in one request with purify_scope, or detect area by area with detect_scope custom'

it('a list of the largest size is accepted again, and the note states how many regions were omitted', async () => {
  // As many digits as a number can have.
  const sides = { x: 1 / 3e5, y: 1 / 3e5, w: 1 / 3e5, h: 1 / 3e5 }
  const region = { ...sides, start: 1 / 3e5, end: 0.04 + 1 / 3e5, score: 0.8 }
  const { output, path } = await detected({
    regions: Array.from({ length: maxRegions }, () => region),
    left: 10_002,
  })
  expect(output).toMatchObject({
    regions_found: maxRegions,
    notes: [`10002 regions of briefly shown text were ${limitNote}`],
  })
  const { output: cleaned } = await purify(source, folder, { phase: 'purify', regions_file_id: path })
  expect(cleaned.notes).toBeUndefined()
})

it('one omitted region is reported in the singular', async () => {
  const { output } = await detected({ regions: [], left: 1 })
  expect(output).toMatchObject({
    regions_found: 0,
    notes: [`1 region of briefly shown text was ${limitNote}`],
  })
})

it.each([
  ['of another video', { file_id: '1234567890123456789' }, 6016, /another video/],
  ['of one too small to be filled', undefined, 6035, /needs 128 px/],
])('a list %s is rejected before the video is read', async (_, other, code, message) => {
  const [missing, list] = [join(folder, 'gone.mp4'), join(folder, 'list.json')]
  await generateMedia(missing, [...picture(1), ...h264])
  const regions = [{ id: 'a', source: 'manual', x: 0, y: 0, w: 0.5, h: 0.5, start: 0, end: 1 }]
  await writeFile(
    list,
    JSON.stringify({ version: 1, source: other ?? { file_id: fileIdOf(missing) }, regions }),
  )
  const { context } = createTestContext(await stageFiles([missing, list]), folder)
  await rm(missing)
  const named = { file_id: fileIdOf(missing), regions_file_id: fileIdOf(list) }
  const request = { ...named, phase: 'purify', purify_func_type: 'raft' }
  const result = run(videoPurify.input.parse(request), context)
  await expect(result).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

it('if all regions are omitted, the notes do not say that no text was found', async () => {
  const request = { purify_func_type: 'ffmpeg', purify_scope: 'full_screen' }
  const { output } = await runWithDetections({ regions: [], left: 3 }, { most: maxTreatedRegions }, request)
  expect(output).toMatchObject({
    ...{ regions_found: 3, unchanged: true },
    notes: [
      '3 regions of briefly shown text were omitted: one task treats at most 500000. Clean area by area with ' +
        'purify_scope custom',
    ],
  })
})
