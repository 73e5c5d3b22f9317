import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { h264, generateMedia, picture, scratchFolder, tone } from './generate-media.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

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

  test('searches two minutes of pictures, wherever they start', async () => {
    await checkDecodable(await createDamagedVideo(50, { all: 120, rate: 0.5 }))
    const late = ['-itsoffset', '40', ...picture(1), ...tone(41), ...h264, '-c:a', 'pcm_s16le']
    await checkDecodable(await generateMedia(at('very-late.mkv'), late))
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

  test('searches key frames of a recording that starts inside a long group of pictures', async () => {
    const film = ['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=10:duration=50']
    const coding = [...h264, '-g', '450', '-sc_threshold', '0', '-bf', '0']
    const whole = await generateMedia(at('whole-groups.mkv'), [...film, ...coding])
    const cut = ['-i', whole, '-ss', '3', '-c', 'copy', '-copyinkf']
    await checkDecodable(await generateMedia(at('cut-group.mkv'), cut))
  })

  test('searches all pictures of a recording without key frames', async () => {
    const film = ['-f', 'lavfi', '-i', 'testsrc2=size=128x72:rate=25:duration=6']
    const coding = [...h264, '-x264-params', 'intra-refresh=1:keyint=30']
    const whole = await generateMedia(at('refreshed.mkv'), [...film, ...coding])
    const cut = ['-i', whole, '-ss', '0.6', '-c', 'copy', '-copyinkf']
    await checkDecodable(await generateMedia(at('cut-refreshed.mkv'), cut))
  })
})

/** Creates a video with three audio streams that start after the part that ffprobe analyses first. */
async function lateSounds(): Promise<string> {
  const maps = ['0', '1', '2', '3'].flatMap((input) => ['-map', input])
  const inputs = [
    ...picture(12),
    ...[8, 9, 10].flatMap((begins) => ['-itsoffset', String(begins), ...tone(1)]),
  ]
  return await generateMedia(at('late-sounds.mkv'), [...inputs, ...maps, ...h264, '-c:a', 'pcm_s16le'])
}

test('late sounds share one time limit, after which their header values remain', async () => {
  const path = await lateSounds()
  const waits = 'case "$*" in *read_intervals*) exec sleep 60;; esac; exec "$FFPROBE" "$@"'
  using _ = await replaceFfmpeg(at('patient'), waits, 'ffprobe')
  const short = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(() => AbortSignal.abort(new Error('too late')))
  const facts = await probe(path)
  const timeouts = short.mock.calls.length
  short.mockRestore()
  expect(facts.audio).toHaveLength(3)
  expect(timeouts).toBe(1)
})

test('late sounds keep their header values when ffprobe is killed', async () => {
  const path = await lateSounds()
  const dies = 'case "$*" in *read_intervals*) kill -9 $$;; esac; exec "$FFPROBE" "$@"'
  using _ = await replaceFfmpeg(at('killed'), dies, 'ffprobe')
  expect((await probe(path)).audio).toHaveLength(3)
})
