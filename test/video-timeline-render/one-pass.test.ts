import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { findProcesses, waitUntilExited } from '../service/processes.ts'
import { counter } from '../video-split-screen/media.ts'
import { consecutiveClips, render, request } from './render.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

describe.skipIf(process.platform === 'win32')('a short result is rendered in one pass', () => {
  const path = () => at('both.mkv')
  beforeAll(() => counter(path(), { width: 160, height: 90, seconds: 1, hertz: 440 }))
  const body = () => request({ picture: consecutiveClips([{ path: path(), from: 0, seconds: 1 }]) })
  const fail = 'echo "[error] Invalid data found when processing input" >&2; exit 1'

  it('with its sound, by one ffmpeg process and one that decodes the sound', async () => {
    const callLog = at('calls')
    using _ = await replaceFfmpeg(at('logging'), `echo "$*" >> '${callLog}'; exec "$FFMPEG" "$@"`)
    await render(body(), folder)
    expect((await readFile(callLog, 'utf8')).trim().split('\n')).toHaveLength(2)
  })

  it('without sound, by a single ffmpeg process without a limiter', async () => {
    const [silent, callLog] = [at('mute.mkv'), at('calls-mute')]
    await counter(silent, { width: 160, height: 90, seconds: 1 })
    using _ = await replaceFfmpeg(at('logging-mute'), `echo "$*" >> '${callLog}'; exec "$FFMPEG" "$@"`)
    await render(request({ picture: consecutiveClips([{ path: silent, from: 0, seconds: 1 }]) }), folder)
    expect(await readFile(callLog, 'utf8')).toMatch(/^(?!.*limiter).*-c:a aac.*\n$/)
  })

  it('reports a picture that cannot be decoded while the sound is still being decoded', async () => {
    const hangingDecoder = '*"-map [a] "*) exec sleep 1234.5;;'
    const script = `case "$*" in ${hangingDecoder} *"-c:a aac "*) ${fail};; esac; exec "$FFMPEG" "$@"`
    using _ = await replaceFfmpeg(at('waiting'), script)
    await expect(render(body(), folder)).rejects.toMatchObject({
      code: 6021,
      message: expect.stringMatching(/^video_track\[0\]/) as string,
    })
    await waitUntilExited(await findProcesses('sleep', '1234.5'))
  })

  it.each([1, 6])('reports damaged sound of %d s, not the picture', async (seconds) => {
    const source = at(`damaged-sound-${seconds}.mkv`)
    await counter(source, { width: 160, height: 90, seconds, hertz: 440 })
    const script = `case "$*" in *"-map [a] "*) ${fail};; esac; exec "$FFMPEG" "$@"`
    using _ = await replaceFfmpeg(at('failing'), script)
    const timeline = request({ picture: consecutiveClips([{ path: source, from: 0, seconds }]) })
    await expect(render(timeline, folder)).rejects.toMatchObject({
      code: 6017,
      message: expect.stringMatching(
        /^the sound of video_track\[0\]\.track_timeline\[0\]\.material: damaged-sound-\d\.mkv/,
      ) as string,
    })
  })
})
