import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { correctByPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { h264, picture, scratchFolder, tone } from './generate-media.ts'
import { planMedia } from './generate-together.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const plan = planMedia(folder)

const seconds = 8
/** Returns when a truncated file ends, ms. */
async function cutOffMs(path: string): Promise<number | undefined> {
  return (await correctByPackets(path, await probe(path), {})).cut_off_ms
}

const early = ['-movflags', '+faststart']
const both = [...picture(seconds), ...tone(seconds), ...h264]

const late = ['-itsoffset', '4', ...picture(4)]

/** Every second one is in `npm test`: an index, clusters, a late start, frames of sound, and a header with a size. */
const kinds: [name: string, args: readonly string[]][] = [
  ['many-key-frames.mp4', [...both, '-g', '25', ...early]],
  ['one-key-frame.mp4', [...both, ...early]],
  ['plain.mkv', [...both, '-g', '25']],
  ['plain.flv', [...both, '-g', '25']],
  // A header states the durations of streams, and separately when they start.
  ['late.mp4', [...late, ...tone(4), '-fps_mode', 'passthrough', ...h264, '-g', '25', ...early]],
  ['sound.m4a', [...tone(seconds), ...early]],
  ['sound.mp3', tone(seconds)],
  ['sound.flac', tone(seconds)],
  ['sound.wav', tone(seconds)],
]

test.each(sampleCases(kinds, 5).map(([name, args]) => [name, plan(name, args)] as const))(
  'half of %s ends with its data',
  async (name, whole) => {
    // Further whole files have tests of their own.
    if (soakSize(false, true)) expect(await cutOffMs(whole)).toBeUndefined()
    const bytes = await readFile(whole)
    const half = at(`half-${name}`)
    await writeFile(half, bytes.subarray(0, bytes.length / 2))
    const end = await cutOffMs(half)
    expect(end).toBeGreaterThan(2500)
    expect(end).toBeLessThan(5500)
  },
)

describe('a complete file is not reported as truncated', () => {
  const path = plan('compressed.wav', [...tone(8), '-c:a', 'adpcm_ms'])

  test('if its header states an approximate byte rate', async () => {
    expect(await cutOffMs(path)).toBeUndefined()
    const bytes = await readFile(path)
    // A tenth of the real rate.
    bytes.writeUInt32LE(Math.round(bytes.readUInt32LE(28) / 10), 28)
    const approximate = at('approximate.wav')
    await writeFile(approximate, bytes)
    expect(await cutOffMs(approximate)).toBeUndefined()
  })

  const held = ['-vf', String.raw`select=eq(n\,0)+eq(n\,225)`, '-fps_mode', 'vfr']

  const whole: [name: string, args: readonly string[]][] = [
    ['its last frame is long', [...picture(10), ...held, ...h264]],
    ['its sound ends early', [...picture(6), ...tone(2), ...h264]],
    ['its picture ends early', [...picture(2), ...tone(6), ...h264]],
    ['it does not start at 0', [...both, '-output_ts_offset', '3600']],
  ]
  const files = whole.flatMap(([name, args], index) =>
    ['mp4', 'mkv'].map((extension) => [name, extension, `whole-${index}.${extension}`, args] as const),
  )

  // In `npm test`, each as one of both.
  test.each(sampleCases(files, 4).map(([name, kind, file, args]) => [name, kind, plan(file, args)] as const))(
    'if %s, as %s',
    async (_name, _kind, file) => {
      expect(await cutOffMs(file)).toBeUndefined()
    },
  )

  const apart = plan('apart.mkv', [
    ...[...picture(6), '-itsoffset', '4', ...tone(2), ...picture(15, ',scale=32:18')],
    ...['-map', '0', '-map', '1', '-map', '2', ...h264, '-output_ts_offset', '3600'],
  ])

  test('or extended if streams start at different times or a second picture continues', async () => {
    const facts = await probe(apart)
    expect(await correctByPackets(apart, facts, {})).toEqual(facts)
  })

  const wave = plan('whole.wav', tone(2))

  test.each(sampleCases([0xffff_ffff, 0x7fff_f000, 0x8000_0000, 0], 1))(
    'if it is a streamed WAV whose header states %i bytes',
    async (length) => {
      const bytes = await readFile(wave)
      bytes.writeUInt32LE(length, bytes.indexOf('data') + 4)
      await writeFile(at('stream.wav'), bytes)
      expect(await cutOffMs(at('stream.wav'))).toBeUndefined()
    },
  )

  const still = plan('still.png', [...picture(1), '-frames:v', '1'])

  test('if it is a still picture', async () => {
    expect(await cutOffMs(still)).toBeUndefined()
  })
})

describe('a header that states too short a duration', () => {
  test.each(
    sampleCases(
      [
        ['mkv', 19_350],
        ['mkv', 4000],
        ['mp4', 4000],
      ] as const,
      1,
    ).map(
      ([kind, headerMs]) =>
        [kind, headerMs, plan(`longer-${headerMs}.${kind}`, [...picture(20), ...tone(12), ...h264])] as const,
    ),
  )('does not shorten a %s with a header of %d ms', async (_, headerMs, path) => {
    const facts = await probe(path)
    const headerFacts = {
      ...facts,
      duration_ms: headerMs,
      video: facts.video && { ...facts.video, duration_ms: headerMs },
      audio: facts.audio.map((sound) => ({ ...sound, duration_ms: 3000 })),
    }
    const corrected = await correctByPackets(path, headerFacts, {})
    expect(corrected).not.toHaveProperty('cut_off_ms')
    for (const [real, expected] of [
      [corrected.duration_ms, 20_000],
      [corrected.video?.duration_ms, 20_000],
      [corrected.audio[0]?.duration_ms, 12_000],
    ] as const)
      expect(Math.abs((real ?? 0) - expected)).toBeLessThan(100)
  })
})

const short = plan('short.wav', tone(1))

test('an abort ends the search with its reason', async () => {
  const reason = new Error('gone')
  const facts = await probe(short)
  await expect(correctByPackets(short, facts, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
