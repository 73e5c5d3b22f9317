import { expect, test } from 'vitest'
import { readinessError } from '../../src/engines/readiness.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'

const folder = await scratchFolder()

test.each(['video_long2short', 'video_long2short_pro'])(
  'without a recogniser, %s names the command that installs one, and the alternative',
  async (name) => {
    configurePacks({ folder, automatic: true, own: {}, manifest })
    const module = operations.find(({ operation }) => operation.name === name)
    expect(module && (await readinessError(module))).toMatchObject({
      code: 6401,
      hint: expect.stringMatching(
        /^reelwright models pull (?:onnx-runtime )?sense-voice\. Or pass the transcript: subtitle_file_id .* or stt\.$/,
      ),
    })
  },
)
