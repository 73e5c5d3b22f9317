import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { type DubStage, openDubStage, runDub } from './run-dub.ts'

const request = { subtitle: 'none', project_formats: ['otio'] }

it.skipIf(!canSpeak || !hasSpeechFiles)(
  'a dub whose sound cannot be separated has no music, and asks nothing again at its next attempt (REELWRIGHT_TESTDATA)',
  async () => {
    const folder = await scratchFolder()
    // The pack that distinguishes speakers is missing too.
    await using stage = await openDubStage(folder, {
      ...{ language: 'en-US', to: 'zh-CN', sentences: 3, kind: 'audio', packs: ['voice-separation'] },
    })
    const scratch = join(folder, 'mixed')
    const first = await dubUnseparated(stage, { folder, scratch })
    expect(first.errors).toEqual({ bgm: expect.any(String) as string })
    expect(first.report).toMatchObject({ bgm: 'dropped', bgm_ratio: 0, engines: { separator: null } })
    expect(first).not.toHaveProperty('bgm_audio_file_id')
    expect(first.report.ref?.separated).toBeTypeOf('boolean')
    // Without the pack, all lines have the voice of the clearest span.
    expect(new Set(stage.services.requests.map(({ speaker }) => speaker)).size).toBe(1)
    expect(first.report).not.toHaveProperty('refs')
    expect(first.notes?.join()).toMatch(/speakers are not distinguished.*speaker-embedding/)
    const asked = stage.model.asked.length
    const { output: next } = await runDub(stage, request, { folder, scratch })
    expect(next).toMatchObject({ errors: first.errors, report: first.report })
    expect(stage.model.asked).toHaveLength(asked)
  },
)

/** Dubs while the sound of the source cannot be separated. */
async function dubUnseparated(stage: DubStage, options: Parameters<typeof runDub>[2]) {
  using _ = await replaceFfmpeg(
    join(options.folder, 'failing'),
    'case "$*" in *voice-spleeter.wav*) exit 1;; esac; exec "$FFMPEG" "$@"',
  )
  return (await runDub(stage, request, options)).output
}
