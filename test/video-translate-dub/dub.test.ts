import { describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { openDubStage, runDub } from './run-dub.ts'

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub (REELWRIGHT_TESTDATA)', () => {
  it('with strict and burned-in subtitles is as long as the source, and its picture is encoded', async () => {
    const folder = await scratchFolder()
    await using stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences: 4 })
    const request = { fit_policy: 'strict', subtitle: 'bilingual_burn', keep_bgm: false }
    const { output, paths, progress } = await runDub(stage, request, { folder })
    expect(output.errors).toEqual({})
    expect(output.report).toMatchObject({
      ...{ fit_policy: 'strict', freeze_points: [], freeze_total_ms: 0, bgm: 'dropped' },
      ...{ subtitle: 'bilingual_burn', subtitle_burned: true },
    })
    expect(output.report.output_duration_ms).toBe(output.report.source_duration_ms)
    expect([...paths.keys()]).toEqual([
      ...['source.zh-CN.mp4', 'dub.wav', 'source.zh-CN.srt', 'source.zh-CN-alignment.json'],
      ...['source.zh-CN.gtrk', 'source.zh-CN-bilingual.srt'],
    ])
    const dubbed = await probe(paths.get('source.zh-CN.mp4') ?? '')
    const source = await probe(stage.source.path)
    expect(Math.abs(dubbed.duration_ms - source.duration_ms)).toBeLessThanOrEqual(40)
    expect([dubbed.subtitles, dubbed.video?.width]).toEqual([[], source.video?.width])
    expect(progress.toSorted((one, other) => one - other)).toEqual(progress)
  })
})
