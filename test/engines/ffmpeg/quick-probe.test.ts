import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MediaFacts } from '../../../src/contract/media-facts.ts'
import { fillPath, routes } from '../../../src/contract/routes.ts'
import { correctByPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { meanSeekDistance, quickProbe } from '../../../src/engines/ffmpeg/quick-probe.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { operations } from '../../../tools/index.ts'
import { api } from '../../service/api.ts'
import { startTestService, type TestService } from '../../service/in-process.ts'
import { sampleCases } from '../../soak-size.ts'
import { h264, picture, scratchFolder, tone } from './generate-media.ts'
import { planMedia } from './generate-together.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const plan = planMedia(folder)

const seconds = 8
const both = [...picture(seconds), ...tone(seconds), ...h264, '-g', '25']

/** Files, and whether a quick probe succeeds for the whole file and for its first three fifths. */
const kinds: [name: string, whole: boolean, cut: boolean, args: readonly string[]][] = [
  ['early-table.mp4', true, false, [...both, '-movflags', '+faststart']],
  ['apart.mkv', true, true, ['-itsoffset', '4', ...picture(4), ...tone(2), ...h264]],
  ['both.avi', true, true, [...both, '-c:a', 'pcm_s16le']],
  ['sound.mp3', true, true, tone(seconds)],
  ['hours-later.mkv', false, false, [...both, '-output_ts_offset', '3600']],
]

/** Packet extents: from a quick probe, if possible, and from single queries. With the quick distance to a key frame, ms. */
async function extentsBothWays(path: string, facts: MediaFacts) {
  const quick = await quickProbe(path, facts, {})
  return {
    quick: quick && (await correctByPackets(path, facts, { streams: quick.streams })),
    single: await correctByPackets(path, facts, {}),
    seekMs: quick?.seekMs,
  }
}

describe('a quick probe returns the same as many queries', () => {
  test.each(
    sampleCases(kinds, 3).map(([name, whole, part, args]) => [name, whole, part, plan(name, args)] as const),
  )('for %s, complete (%s) or truncated (%s)', async (name, isProbed, isPartProbed, path) => {
    const facts = await probe(path)
    const whole = await extentsBothWays(path, facts)
    expect(whole.quick).toEqual(isProbed ? whole.single : undefined)
    const duration = isProbed ? facts.video?.duration_ms : undefined
    expect(whole.seekMs).toEqual(duration && (await meanSeekDistance(path, duration, {})))
    const bytes = await readFile(path)
    await writeFile(at(`part-${name}`), bytes.subarray(0, bytes.length * 0.6))
    const part = await extentsBothWays(at(`part-${name}`), facts)
    expect(part.quick).toEqual(isPartProbed ? part.single : undefined)
  })

  const path = plan('header.mkv', both)

  test.each(sampleCases([4000, 12_000], 1))('for a header that states %d ms', async (headerMs) => {
    const facts = await probe(path)
    const video = facts.video && { ...facts.video, duration_ms: headerMs }
    const audio = facts.audio.map((sound) => ({ ...sound, duration_ms: headerMs }))
    const { quick, single } = await extentsBothWays(path, { ...facts, duration_ms: headerMs, video, audio })
    expect(quick).toEqual(single)
  })
})

describe.skipIf(process.platform === 'win32')('ffprobe is started as often as required', () => {
  const startLog = at('starts')
  let [logging, service]: [Disposable?, TestService?] = []
  beforeAll(async () => {
    logging = await replaceFfmpeg(
      at('logging'),
      `echo "$$" >> '${startLog}'; exec "$FFPROBE" "$@"`,
      'ffprobe',
    )
    service = await startTestService({ operations })
  })
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    logging?.[Symbol.dispose]()
  })

  const still = [...picture(1), '-frames:v', '1']

  test.each([
    ['film.mp4', plan('film.mp4', both), 2],
    ['talk.m4a', plan('talk.m4a', tone(seconds)), 2],
    ['photo.jpg', plan('photo.jpg', still), 1],
  ] as const)('for %s', async (name, path, starts) => {
    if (!service) throw new Error('there is no service')
    const clip = new Uint8Array(await readFile(path))
    await writeFile(startLog, '')
    const calls = api(service)
    const { data } = await calls.upload(name, clip)
    await calls.send(fillPath(routes.inspectFile.path, { file_id: data.file_id }))
    expect((await readFile(startLog, 'utf8')).trim().split('\n')).toHaveLength(starts)
  })

  const image = plan('photo.png', still)

  test('for the facts of an image alone', async () => {
    await writeFile(startLog, '')
    await probe(image)
    expect((await readFile(startLog, 'utf8')).trim().split('\n')).toHaveLength(1)
  })
})
