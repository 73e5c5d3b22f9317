import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurBoxes, packetChecksums, purify, type TimedBox } from './run-purify.ts'

const folder = await scratchFolder()

it('a detection result has the documented form, and cleans like one request, however it is passed', async ({
  skip,
}) => {
  const { filters } = await locateFfmpeg()
  if (!useTestPacks(join(folder, 'packs')) || !filters.has('drawtext'))
    skip('no model is available, or ffmpeg cannot draw text')
  const source = join(folder, 'words.mkv')
  const words =
    "drawtext=text='Hello World 2026':x=60:y=140:fontsize=24:fontcolor=white:enable='between(t,0.2,0.99)'"
  const drawn = `testsrc=size=320x180:rate=25,gblur=sigma=20,${words},format=yuv420p`
  // The picture starts 8 frames after the audio.
  const late = ['-itsoffset', '0.32', '-t', '1.2', '-f', 'lavfi', '-i', drawn]
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=1.6']
  await ffmpeg(...sound, ...late, '-map', '1', '-map', '0', '-c:a', 'flac', source)
  const detected = await purify(source, folder, { phase: 'detect' })
  expect(detected.output).toMatchObject({ phase: 'detect', regions_found: 1 })
  expect(detected.output).not.toHaveProperty('file_id')
  const result = JSON.parse(await readFile(detected.path, 'utf8')) as Record<string, unknown>
  expect(result).toEqual({
    version: 1,
    source: { file_id: source.slice(-64) },
    video: { width: 320, height: 180, duration: 1.52, fps: 25, fps_exact: '25/1' },
    regions: [
      {
        ...{ id: 'text-1', source: 'detected', start: 0.52, end: 1.32 },
        ...{ x: expect.closeTo(0.19, 1), y: expect.closeTo(0.78, 1) },
        ...{ w: expect.closeTo(0.64, 1), h: expect.closeTo(0.11, 1), score: expect.any(Number) },
      },
    ],
  })
  const by = (request: object) => purify(source, folder, { phase: 'purify', ...request })
  const atOnce = await purify(source, folder, {})
  expect(atOnce.output).toMatchObject({ regions_found: 1 })
  const picture = await packetChecksums(atOnce.path, 'v:0')
  const passed = [
    () => by({ regions_file_id: detected.path }),
    () => by({ regions: result['regions'], source_file_id: source.slice(-64) }),
    () => blurBoxes(source, folder, ...(result['regions'] as [TimedBox])),
  ]
  for (const clean of sampleCases(passed, 1))
    expect(await packetChecksums((await clean()).path, 'v:0')).toBe(picture)
})
