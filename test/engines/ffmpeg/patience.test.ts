import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkDecodable, probe } from '../../../src/engines/ffmpeg/probe.ts'
import { h264, make, picture, scratchFolder, tone } from './made.ts'
import { standIn } from './stand-in.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

/** Where a pattern begins in bytes. */
function startsOf(bytes: Buffer, pattern: Buffer): number[] {
  const found: number[] = []
  for (let place = bytes.indexOf(pattern); place >= 0; place = bytes.indexOf(pattern, place + 1))
    found.push(place)
  return found
}

describe('what a video is called undecodable by', () => {
  /** A minute of two pictures a second, of which the first so many tell no size and cannot be decoded. */
  async function spoilt(pictures: number): Promise<string> {
    const minute = ['-f', 'lavfi', '-i', 'testsrc2=size=32x32:rate=2:duration=60', '-c:v', 'mjpeg']
    const path = await make(at(`spoilt-${pictures}.mkv`), [...minute, '-pix_fmt', 'yuvj420p'])
    const bytes = await readFile(path)
    // A start of frame becomes a comment.
    const sizes = startsOf(bytes, Buffer.from([0xff, 0xc0, 0x00, 0x11]))
    expect(sizes).toHaveLength(120)
    for (const size of sizes.slice(0, pictures)) bytes[size + 1] = 0xfe
    await writeFile(path, bytes)
    return path
  }

  test('is half a minute of its pictures, wherever they begin', async () => {
    await checkDecodable(await spoilt(40))
    const late = ['-itsoffset', '40', ...picture(1), ...tone(41), ...h264, '-c:a', 'pcm_s16le']
    await checkDecodable(await make(at('very-late.mkv'), late))
  })

  test('is not all of a recording, which may take longer than there is time', async () => {
    await expect(checkDecodable(await spoilt(80))).rejects.toMatchObject({ code: 6021 })
  })
})

test('late sounds share one patience, which leaves them as they were told', async () => {
  const maps = ['0', '1', '2', '3'].flatMap((input) => ['-map', input])
  const inputs = [
    ...picture(12),
    ...[8, 9, 10].flatMap((begins) => ['-itsoffset', String(begins), ...tone(1)]),
  ]
  const path = await make(at('late-sounds.mkv'), [...inputs, ...maps, ...h264, '-c:a', 'pcm_s16le'])
  const waits = 'case "$*" in *read_intervals*) exec sleep 60;; esac; exec "$FFPROBE" "$@"'
  using _ = await standIn(at('patient'), waits, 'ffprobe')
  const short = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(() => AbortSignal.abort(new Error('too late')))
  const facts = await probe(path)
  const patiences = short.mock.calls.length
  short.mockRestore()
  expect(facts.audio).toHaveLength(3)
  expect(patiences).toBe(1)
})
