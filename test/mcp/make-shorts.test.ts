import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { videoLong2short } from '../../tools/video-long2short/contract.ts'
import { videoLong2shortPro } from '../../tools/video-long2short-pro/contract.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import type { FakeService } from '../engines/services/fake-service.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import { assemble } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { readAloud } from '../recordings/read-aloud.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { talkText } from '../video-long2short/run-shorts.ts'
import { translatingClipModel } from '../video-long2short/shorts-model.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone, promptCalls } from './call-until-done.ts'

// Makes clips of a video in the workspace as the examples and the prompt do, with services from lines of the settings.

/** With one of the passages that are worth a clip; in the long run, with both. */
const spoken = soakSize(
  talkText.slice(talkText.indexOf('A doctor'), talkText.indexOf('There is not much')),
  talkText,
)

interface ShortsData {
  readonly files: readonly { readonly path: string }[]
  readonly output: { readonly clips: readonly { readonly title: string }[]; readonly report: object }
  readonly next_step: string
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('a long video', () => {
  let session: AgentSession
  let agent: ConnectedAgent
  let [recogniser, model]: [FakeService?, ModelServer?] = []

  beforeAll(async () => {
    session = await startAgentSession()
    const recording = await assemble(readAloud(spoken, { pause: 0.8 }))
    recogniser = await startStandInRecogniser(recording, {})
    model = await startModelServer(translatingClipModel())
    await mkdir(session.dataDir, { recursive: true })
    const settings = {
      models_mirror: testdata('models'),
      transcription: `${recogniser.origin}/v1#stand-in`,
      language_model: `${model.origin}/v1#small`,
    }
    await writeFile(join(session.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
    await writeRecording(session.workspace, recording, { rate: { num: 25, den: 1 }, name: 'podcast' })
    agent = await session.connect('modern')
  })
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await session[Symbol.asyncDispose]()
    await recogniser?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  const shorts = async (args: object, tool: string = videoLong2short.name) => {
    const { data, text, isError } = await callUntilDone(agent, tool, args)
    expect([isError ? text : '', data['status'], JSON.stringify(data['error'])]).toEqual([
      '',
      'completed',
      undefined,
    ])
    return data as unknown as ShortsData
  }
  const endings = (files: ShortsData['files']) => files.map(({ path }) => /\.\w+$/.exec(path)?.[0])

  // The prompt makes the others again: with a video and subtitles, and vertical.
  test.each(sampleCases(videoLong2short.examples, 1))('example: $title', async ({ input }) => {
    // Small pictures are rendered fast.
    const { files, output, next_step } = await shorts({ ...input, output_size: '90x160' })
    expect(output.report).toMatchObject({ degraded: false, clip_count: output.clips.length })
    expect(output.clips.length).toBeGreaterThan(0)
    const each = input['outputs'] === undefined ? ['.xml', '.fcpxml'] : ['.mp4', '.srt']
    expect(endings(files)).toEqual(output.clips.flatMap(() => each))
    expect(next_step).toContain(files[0]?.path)
    expect(next_step).toMatch(/\. \d clips? of \d+(?: to \d+)? s\. Look at /)
  })

  test('the prompt inspects, makes clips and looks at them', async () => {
    const steps = await promptCalls(agent, 'make-shorts', { video: 'podcast.mp4', editor: 'Premiere' })
    expect(steps.map(([name]) => name)).toEqual([
      'inspect_file',
      'video_long2short',
      'video_long2short_pro',
      'inspect_file',
    ])
    const [look, make, finish, check] = steps
    if (!look || !make || !finish || !check) throw new Error('a step is missing')
    expect(await agent.call(look[0], look[1])).toMatchObject({ isError: false })
    const { files } = await shorts({ ...make[1], output_size: '90x160' })
    const names = files.map(({ path }) => path.slice(session.workspace.length + 1))
    expect(names.slice(0, 3)).toEqual(['shorts/clip1_podcast.xml', 'shorts/clip1.mp4', 'shorts/clip1.srt'])
    const project = readXmeml(await readFile(files[0]?.path ?? '', 'utf8'))
    expect(project.media[0]?.path).toBe(make[1]['source_path'])
    const { isError, result } = await agent.call(check[0], check[1])
    expect(isError).toBe(false)
    expect(result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' })

    const finished = await shorts({ ...finish[1], output_size: '90x160' }, finish[0])
    expect(endings(finished.files)).toEqual(finished.output.clips.map(() => '.mp4'))
    expect(finished.files[0]?.path).toBe(join(session.workspace, 'finished', 'clip1.mp4'))
    expect(finished.output.report).toMatchObject({ degraded: false })
  })

  test.each(sampleCases(videoLong2shortPro.examples.toReversed(), 1))(
    'example of finished clips: $title',
    async ({ input }) => {
      const size = input['output_size'] === '1:1' ? '90x90' : '90x160'
      const { files, output, next_step } = await shorts(
        { ...input, output_size: size },
        videoLong2shortPro.name,
      )
      expect(output.report).toMatchObject({ degraded: false, clip_count: output.clips.length })
      expect(endings(files)).toEqual(output.clips.map(() => '.mp4'))
      expect(next_step).toContain(files[0]?.path)
    },
  )
})
