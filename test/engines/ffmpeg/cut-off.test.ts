import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heldToPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { h264, make, picture, scratchFolder, tone } from './made.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

const seconds = 8
/** Where a file was cut off, ms. */
async function cutOf(path: string): Promise<number | undefined> {
  return (await heldToPackets(path, await probe(path), {})).cut_off_ms
}

const early = ['-movflags', '+faststart']
const both = [...picture(seconds), ...tone(seconds), ...h264]

const kinds: [name: string, args: readonly string[]][] = [
  ['many-key-frames.mp4', [...both, '-g', '25', ...early]],
  ['one-key-frame.mp4', [...both, ...early]],
  ['plain.mkv', [...both, '-g', '25']],
  ['plain.flv', [...both, '-g', '25']],
  ['sound.m4a', [...tone(seconds), ...early]],
  ['sound.mp3', tone(seconds)],
  ['sound.flac', tone(seconds)],
]

test.each(kinds)('half of %s ends where its data end', async (name, args) => {
  const whole = await make(at(name), args)
  expect(await cutOf(whole)).toBeUndefined()
  const bytes = await readFile(whole)
  const half = at(`half-${name}`)
  await writeFile(half, bytes.subarray(0, bytes.length / 2))
  const end = await cutOf(half)
  expect(end).toBeGreaterThan(2500)
  expect(end).toBeLessThan(5500)
})

describe('a whole file is not called cut off', () => {
  const held = ['-vf', String.raw`select=eq(n\,0)+eq(n\,225)`, '-vsync', 'vfr']

  test.each<[name: string, args: readonly string[]]>([
    ['its last frame is held long', [...picture(10), ...held, ...h264]],
    ['its sound ends early', [...picture(6), ...tone(2), ...h264]],
    ['its picture ends early', [...picture(2), ...tone(6), ...h264]],
    ['it does not begin at 0', [...both, '-output_ts_offset', '3600']],
  ])('where %s', async (_, args) => {
    for (const extension of ['mp4', 'mkv']) {
      const path = await make(at(`whole.${extension}`), args)
      expect(await cutOf(path), extension).toBeUndefined()
    }
  })

  test('as a still picture', async () => {
    const path = await make(at('still.png'), [...picture(1), '-frames:v', '1'])
    expect(await cutOf(path)).toBeUndefined()
  })
})

describe('a header that tells less than is there', () => {
  test.each(['mp4', 'mkv'])('does not make a %s shorter', async (extension) => {
    const path = await make(at(`longer.${extension}`), [...picture(20), ...tone(12), ...h264])
    const facts = await probe(path)
    const told = {
      ...facts,
      duration_ms: 4000,
      video: facts.video && { ...facts.video, duration_ms: 4000 },
      audio: facts.audio.map((sound) => ({ ...sound, duration_ms: 3000 })),
    }
    const held = await heldToPackets(path, told, {})
    expect(held).not.toHaveProperty('cut_off_ms')
    for (const [real, expected] of [
      [held.duration_ms, 20_000],
      [held.video?.duration_ms, 20_000],
      [held.audio[0]?.duration_ms, 12_000],
    ] as const)
      expect(Math.abs((real ?? 0) - expected)).toBeLessThan(100)
  })
})

test('an abort ends the search with its reason', async () => {
  const path = await make(at('short.wav'), tone(1))
  const reason = new Error('gone')
  const facts = await probe(path)
  await expect(heldToPackets(path, facts, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
