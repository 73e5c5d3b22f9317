import { join } from 'node:path'
import { expect, it } from 'vitest'
import { saveCover } from '../../src/engines/clean/stream-checks.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

it('a cover whose check is killed is omitted; the video is kept', async () => {
  const cover = await generateMedia(at('cover.jpg'), [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=48x48',
    '-frames:v',
    '1',
  ])
  const covered = ['-map', '0', '-map', '1', ...h264, '-c:v:1', 'copy', '-disposition:v:1', 'attached_pic']
  const source = await generateMedia(at('covered.mp4'), [...picture(1), '-i', cover, ...covered])
  const { signal } = new AbortController()
  const save = () =>
    saveCover(source, { index: 1, codec: 'mjpeg' }, { scratch: folder, signal, timeoutMs: 60_000 })
  expect(await save()).toMatchObject({ index: 1, mime: 'image/jpeg' })
  using _ = await replaceFfmpeg(at('ended'), 'kill -9 $$', 'ffprobe')
  expect(await save()).toBeUndefined()
})
