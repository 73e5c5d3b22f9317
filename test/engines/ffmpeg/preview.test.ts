import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fitInside, layOutSheet } from '../../../src/engines/ffmpeg/draw-sheet.ts'
import { contactSheet, waveform } from '../../../src/engines/ffmpeg/preview.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { decodeJpeg } from './decode-jpeg.ts'
import { h264, picture, scratchFolder, tone } from './generate-media.ts'
import { planMedia } from './generate-together.ts'
import { vp8 } from './vp8.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const plan = planMedia(folder)
const beep = plan('beep.wav', tone(1))

/** Decodes a preview. Returns its size in pixels and bytes, and a function that returns the colour at a pixel. */
async function decodeSheet(jpeg: Uint8Array) {
  return { ...(await decodeJpeg(jpeg)), bytes: jpeg.length }
}

function isNear(colour: readonly number[], expected: readonly number[], tolerance = 12): boolean {
  return expected.every((value, channel) => Math.abs((colour[channel] ?? 999) - value) <= tolerance)
}

describe('contactSheet', () => {
  // Grey that brightens by 20 each second, for 12 s: cell n shows second n.
  const grey = 'color=black:size=16x9:rate=10:duration=12,format=gray,geq=lum=floor(T)*20'
  const steps = plan('steps.mp4', [
    ...['-f', 'lavfi', '-i', grey, ...h264, '-color_range', 'pc'],
    ...['-vf', 'scale=320:180:out_range=pc', '-g', '37'],
  ])

  test('each cell shows the picture of its time', async () => {
    const facts = await probe(steps)
    const sheet = await decodeSheet(await contactSheet(steps, facts))
    const { cells, width, height } = layOutSheet({ width: 320, height: 180, durationMs: 12_000, frames: 120 })
    expect([sheet.width, sheet.height]).toEqual([width, height])
    expect(sheet.width <= 1280 && sheet.bytes <= 150_000).toBe(true)
    expect(cells.length).toBe(12)
    for (const [second, { box }] of cells.entries()) {
      const middle = sheet.colour(box.x + Math.floor(box.width / 2), box.y + Math.floor(box.height / 2))
      expect([
        second,
        isNear(
          middle,
          Array.from({ length: 3 }, () => second * 20),
        ),
      ]).toEqual([second, true])
    }
    expect(isNear(sheet.colour(3, 3), [22, 24, 28])).toBe(true)
  })

  // One red frame at 0 s and one blue at 9 s, the last until 10 s.
  const change = String.raw`geq=r=if(lt(N\,9)\,255\,0):g=0:b=if(lt(N\,9)\,0\,255),select=eq(n\,0)+eq(n\,9)`
  const held = plan('held.mp4', [
    ...['-f', 'lavfi', '-i', 'color=red:size=64x64:rate=1:duration=10'],
    ...['-vf', `format=rgb24,${change}`, '-fps_mode', 'vfr', ...h264],
  ])

  test('a long frame is shown for its whole duration', async () => {
    const facts = await probe(held)
    const twelve = { ...facts, video: facts.video && { ...facts.video, frame_rate: { num: 30, den: 1 } } }
    const sheet = await decodeSheet(await contactSheet(held, twelve))
    const { cells } = layOutSheet({ width: 64, height: 64, durationMs: 10_000, frames: 300 })
    for (const { box, timeMs } of cells) {
      const wanted = timeMs < 9000 ? [255, 0, 0] : [0, 0, 255]
      expect([timeMs, isNear(sheet.colour(box.x + 20, box.y + 20), wanted, 30)]).toEqual([timeMs, true])
    }
  })

  describe('of a video with B-frames and several key frames', () => {
    const moving = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=160x90:rate=10:duration=12',
      ...h264,
      '-bf',
      '3',
      '-g',
      '37',
    ]

    const files: readonly (readonly [string, string, readonly string[]])[] = [
      ['that starts late', 'late.mkv', ['-output_ts_offset', '5']],
      ['unchanged', 'bframes.mp4', []],
    ]

    test.each(
      sampleCases(files, 1).map(([what, name, more]) => [what, plan(name, [...moving, ...more])] as const),
    )('the frames are the same however it is decoded: %s', async (_, path) => {
      const probed = await probe(path)
      // By the stated rate, the sheet has four cells; in the long run, twelve.
      const rate = { num: soakSize(1, 10), den: soakSize(3, 1) }
      const facts = { ...probed, video: probed.video && { ...probed.video, frame_rate: rate } }
      // Claims pictures so large that a seek always costs less than decoding from one key frame to the next.
      const large = facts.video && { ...facts.video, coded_width: 60_000, coded_height: 60_000 }
      const [once, inPieces] = [
        await contactSheet(path, facts),
        await contactSheet(path, { ...facts, video: large }),
      ]
      expect(Buffer.from(inPieces).equals(once)).toBe(true)
    })

    const whole = plan('whole.mp4', [...moving, '-movflags', '+faststart'])

    test('cells after the end of a truncated file stay empty', async () => {
      const bytes = await readFile(whole)
      await writeFile(at('cut.mp4'), bytes.subarray(0, bytes.length / 2))
      const facts = await probe(at('cut.mp4'))
      const sheet = await decodeSheet(await contactSheet(at('cut.mp4'), facts))
      const { cells } = layOutSheet({ width: 160, height: 90, durationMs: 12_000, frames: 120 })
      const isEmpty = cells.map(({ box }) => isNear(sheet.colour(box.x + 60, box.y + 60), [36, 39, 45], 6))
      expect(isEmpty.slice(0, 4)).toEqual([false, false, false, false])
      expect(isEmpty.slice(7)).toEqual([true, true, true, true, true])
    })
  })

  // As large as a cell, so that it is not smoothed.
  const random = ['-f', 'lavfi', '-i', 'nullsrc=size=320x180:rate=25:duration=1,geq=random(1)*255:128:128']
  const noise = plan('noise.mp4', [...random, ...h264, '-crf', '5'])

  test('noise stays within the size limit', async () => {
    expect((await contactSheet(noise, await probe(noise))).length).toBeLessThanOrEqual(150_000)
  })

  const clear = plan('clear.webm', [
    ...['-f', 'lavfi', '-i', 'color=red@0.0:size=64x64:rate=5:duration=1,format=yuva420p'],
    ...[...vp8, '-auto-alt-ref', '0'],
  ])

  test('transparency is shown as a checkerboard, also in WebM', async () => {
    const sheet = await decodeSheet(await contactSheet(clear, await probe(clear)))
    expect(isNear(sheet.colour(24, 24), [92, 95, 101])).toBe(true)
    expect(isNear(sheet.colour(32, 24), [120, 123, 129])).toBe(true)
  })

  const still = (name: string, source: string) =>
    plan(name, ['-f', 'lavfi', '-i', `${source}:d=0.04`, '-frames:v', '1'])
  const large = still('large.png', 'testsrc2=s=1600x800')
  const small = still('small.png', 'color=0x4080c0:s=50x100')

  test('a still picture becomes a copy, scaled down but never up', async () => {
    expect(await decodeSheet(await contactSheet(large, await probe(large)))).toMatchObject({
      width: 1280,
      height: 640,
    })
    const copy = await decodeSheet(await contactSheet(small, await probe(small)))
    expect(copy).toMatchObject({ width: 50, height: 100 })
    expect(isNear(copy.colour(25, 50), [0x40, 0x80, 0xc0])).toBe(true)
  })

  test('sound has no picture', async () => {
    const hint = expect.stringContaining('request preview waveform') as string
    await expect(contactSheet(beep, await probe(beep))).rejects.toMatchObject({ code: 6014, hint })
  })
})

describe('waveform', () => {
  /** Rows above and below the middle line that are not background, at a column. */
  function reach(seen: Awaited<ReturnType<typeof decodeSheet>>, x: number): number[] {
    const lit = Array.from({ length: 156 }, (_, row) => 16 + row).filter(
      (y) => (seen.colour(x, y)[2] ?? 0) > 90,
    )
    return [94 - Math.min(...lit), Math.max(...lit) - 94]
  }

  // Two seconds at full level in one channel only, two of silence.
  const sound = ['-f', 'lavfi', '-i', String.raw`aevalsrc=if(lt(t\,2)\,sin(440*2*PI*t)\,0)|0:s=48000:d=4`]
  const half = plan('half.wav', sound)

  test('shows when and how loud a file sounds, around the middle line', async () => {
    const seen = await decodeSheet(await waveform(half, await probe(half)))
    expect(seen).toMatchObject({ width: 1280, height: 220 })
    expect(seen.bytes).toBeLessThanOrEqual(150_000)
    const loud = reach(seen, 100)
    expect(Math.min(...loud)).toBeGreaterThan(70)
    expect(Math.abs((loud[0] ?? 0) - (loud[1] ?? 99))).toBeLessThanOrEqual(1)
    expect(Math.max(...reach(seen, 1000))).toBeLessThanOrEqual(2)
    expect(Math.min(...reach(seen, 630))).toBeGreaterThan(70)
    expect(Math.max(...reach(seen, 652))).toBeLessThanOrEqual(2)
  })

  const both = plan('both.mp4', [...picture(1), ...tone(1), ...h264, '-c:a', 'aac'])
  const silent = plan('silent.mp4', [...picture(1), ...h264])

  test('shows the sound of a video, and rejects a file without sound', async () => {
    expect(await decodeSheet(await waveform(both, await probe(both)))).toMatchObject({ width: 1280 })
    const hint = expect.stringContaining('request preview contact_sheet') as string
    await expect(waveform(silent, await probe(silent))).rejects.toMatchObject({ code: 6014, hint })
  })

  test('an abort rejects with its reason', async () => {
    const reason = new Error('gone')
    const facts = await probe(beep)
    await expect(waveform(beep, facts, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

test('fitInside and the sheet agree for a tall picture', () => {
  const { cells } = layOutSheet({ width: 1080, height: 1920, durationMs: 1000, frames: 100 })
  const { width, height } = cells[0]?.box ?? { width: 0, height: 0 }
  expect(fitInside({ width: 1080, height: 1920 }, { width, height: 420 })).toEqual({ width, height })
})
