import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { h264, generateMedia, picture, scratchFolder, tone } from './generate-media.ts'
import { planMedia } from './generate-together.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const plan = planMedia(folder)

/** Returns the indexes of a pattern in bytes. */
function indexesOf(bytes: Buffer, pattern: Buffer): number[] {
  const indexes: number[] = []
  for (let index = bytes.indexOf(pattern); index >= 0; index = bytes.indexOf(pattern, index + 1))
    indexes.push(index)
  return indexes
}

describe('checkDecodable', () => {
  /** Creates a video of `all` pictures. The first `undecodable` ones have no size and cannot be decoded. */
  async function createDamagedVideo(
    undecodable: number,
    { all, rate }: { all: number; rate: number },
  ): Promise<string> {
    const shown = `testsrc2=size=32x32:rate=${rate}:duration=${all / rate}`
    const path = await generateMedia(at(`damaged-${undecodable}.mkv`), [
      ...['-f', 'lavfi', '-i', shown, '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
    ])
    const bytes = await readFile(path)
    // A start of frame becomes a comment.
    const sizes = indexesOf(bytes, Buffer.from([0xff, 0xc0, 0x00, 0x11]))
    expect(sizes).toHaveLength(all)
    for (const size of sizes.slice(0, undecodable)) bytes[size + 1] = 0xfe
    await writeFile(path, bytes)
    return path
  }

  const late = plan('very-late.mkv', [
    ...['-itsoffset', '40', ...picture(1), ...tone(41), ...h264, '-c:a', 'pcm_s16le'],
  ])

  test('searches two minutes of pictures, wherever they start', async () => {
    await checkDecodable(await createDamagedVideo(50, { all: 120, rate: 0.5 }))
    await checkDecodable(late)
  })

  test('does not search a whole recording, which could exceed the time limit', async () => {
    await expect(checkDecodable(await createDamagedVideo(80, { all: 120, rate: 0.5 }))).rejects.toMatchObject(
      {
        code: 6021,
      },
    )
  })

  test('stops at the first picture that decodes', async () => {
    const path = await createDamagedVideo(12, { all: 20, rate: 25 })
    using _ = await replaceFfmpeg(
      at('goes-on'),
      '"$FFPROBE" "$@"; case "$*" in *#10*) ;; *) exec sleep 90;; esac',
      'ffprobe',
    )
    await checkDecodable(path)
  })

  const groups = plan('whole-groups.mkv', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=10:duration=50'],
    ...[...h264, '-g', '450', '-sc_threshold', '0', '-bf', '0'],
  ])

  test('searches key frames of a recording that starts inside a long group of pictures', async () => {
    const cut = ['-i', groups, '-ss', '3', '-c', 'copy', '-copyinkf']
    await checkDecodable(await generateMedia(at('cut-group.mkv'), cut))
  })

  const refreshed = plan('refreshed.mkv', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=128x72:rate=25:duration=6'],
    ...[...h264, '-x264-params', 'intra-refresh=1:keyint=30'],
  ])

  test('searches all pictures of a recording without key frames', async () => {
    const cut = ['-i', refreshed, '-ss', '0.6', '-c', 'copy', '-copyinkf']
    await checkDecodable(await generateMedia(at('cut-refreshed.mkv'), cut))
  })
})

/** A video with three audio streams that start after the part that ffprobe analyses first. */
const lateSounds = plan('late-sounds.mkv', [
  ...picture(12),
  ...[8, 9, 10].flatMap((begins) => ['-itsoffset', String(begins), ...tone(1)]),
  ...['0', '1', '2', '3'].flatMap((input) => ['-map', input]),
  ...[...h264, '-c:a', 'pcm_s16le'],
])

test('late sounds share one time limit, after which their header values remain', async () => {
  const waits = 'case "$*" in *read_intervals*) exec sleep 60;; esac; exec "$FFPROBE" "$@"'
  using _ = await replaceFfmpeg(at('patient'), waits, 'ffprobe')
  const short = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(() => AbortSignal.abort(new Error('too late')))
  const facts = await probe(lateSounds)
  const timeouts = short.mock.calls.length
  short.mockRestore()
  expect(facts.audio).toHaveLength(3)
  expect(timeouts).toBe(1)
})

test('late sounds keep their header values when ffprobe is killed', async () => {
  const dies = 'case "$*" in *read_intervals*) kill -9 $$;; esac; exec "$FFPROBE" "$@"'
  using _ = await replaceFfmpeg(at('killed'), dies, 'ffprobe')
  expect((await probe(lateSounds)).audio).toHaveLength(3)
})
