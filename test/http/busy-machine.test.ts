import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { api } from '../service/api.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest } from './raw-http.ts'

const folder = await scratchFolder()

describe.skipIf(process.platform === 'win32')('a probe killed because resources ran out', () => {
  onOneDatabase((service) => {
    test('is reported with the name of the file', async () => {
      const account = await service().account(5)
      const clip = await readFile(await generateMedia(join(folder, 'clip.mp4'), [...picture(1), ...h264]))
      const { data: file } = await api(account).upload('holiday.mp4', new Uint8Array(clip))
      const script = 'case "$*" in *"-show_entries frame"*) kill -9 $$;; esac; exec "$FFPROBE" "$@"'
      using _ = await replaceFfmpeg(join(folder, 'ended'), script, 'ffprobe')
      const headers = { authorization: account.apiKey }
      const { bytes } = await sendRequest(`${account.baseUrl}/base/file/${file.file_id}/facts`, { headers })
      expect(JSON.parse(bytes.toString())).toMatchObject({
        code: 6402,
        msg: expect.stringMatching(/^holiday\.mp4: .*SIGKILL/) as string,
      })
    })
  })
})
