import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import type { FakeService } from '../engines/services/fake-service.ts'
import { assemble, type Recording } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { readAloud } from '../recordings/read-aloud.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import { sampleCases } from '../soak-size.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone, promptCalls } from './call-until-done.ts'

// Cuts a recording in the workspace as the examples and the prompt do, with a recogniser from one line of the settings.

const [withScript] = videoOralCut.examples
const script = String(withScript.input['script'])

interface CutData {
  readonly files: readonly { readonly path: string; readonly role?: string }[]
  readonly output: { readonly report: Readonly<Record<string, unknown>> }
  readonly next_step: string
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('a talking-head recording', () => {
  let session: AgentSession
  let agent: ConnectedAgent
  let recogniser: FakeService
  let recording: Recording

  beforeAll(async () => {
    session = await startAgentSession()
    recording = await assemble(readAloud(script))
    recogniser = await startStandInRecogniser(recording, {})
    await mkdir(session.dataDir, { recursive: true })
    const settings = { models_mirror: testdata('models'), transcription: `${recogniser.origin}/v1#stand-in` }
    await writeFile(join(session.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
    const path = await writeRecording(session.workspace, recording, {
      rate: { num: 25, den: 1 },
      name: 'talk',
    })
    await copyFile(path, join(session.workspace, 'interview.mp4'))
    agent = await session.connect('modern')
  })
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await session[Symbol.asyncDispose]()
    await recogniser[Symbol.asyncDispose]()
  })

  const cut = async (args: object) => {
    const { data, text, isError } = await callUntilDone(agent, 'video_oral_cut', args)
    expect([isError ? text : '', data['status'], JSON.stringify(data['error'])]).toEqual([
      '',
      'completed',
      undefined,
    ])
    return data as unknown as CutData
  }

  // The prompt cuts by a script, too.
  test.each(sampleCases(videoOralCut.examples.toReversed(), 1))('example: $title', async ({ input }) => {
    const { files, output, next_step } = await cut(input)
    const { report } = output
    expect(report).toMatchObject({ coverage: 1, uncovered_script: [], review_points: [] })
    expect(report['final_script']).toEqual(
      input['script'] ?? expect.stringContaining('Today we bake bread at home'),
    )
    expect(report['dropped']).toMatchObject([
      { reason: 'retake', asr_text: expect.stringMatching(/^Today we bake/) },
    ])
    expect(report['duration_after']).toBeLessThan(0.8 * recording.truth.seconds)
    const expected = input['outputs'] === undefined ? ['.xml', '.fcpxml', '.json'] : ['.mp4', '.json']
    expect(files.map(({ path }) => /\.\w+$/.exec(path)?.[0])).toEqual(expected)
    for (const { path } of files.slice(0, -1)) expect(next_step).toContain(path)
  })

  test('the prompt inspects, cuts, reviews and checks', async () => {
    const steps = await promptCalls(agent, 'cut-talking-head', { footage: 'talk.mp4', editor: 'Premiere' })
    expect(steps.map(([name]) => name)).toEqual([
      ...['inspect_file', 'video_oral_cut', 'inspect_file', 'inspect_file'],
    ])
    const [look, cutStep, review, check] = steps
    const pictureOf = async ([name, args]: NonNullable<typeof look>) => {
      const { isError, text, result } = await agent.call(name, args)
      expect([isError, isError && text]).toEqual([false, false])
      return result.content[1]
    }
    const jpeg = { type: 'image', mimeType: 'image/jpeg' }
    if (!look || !cutStep || !review || !check) throw new Error('a step is missing')
    expect(await pictureOf(look)).toMatchObject(jpeg)
    const { files, output } = await cut({ ...cutStep[1], script })
    expect(output.report['coverage']).toBe(1)
    const paths = files.map(({ path }) => path)
    expect(paths.map((path) => path.slice(session.workspace.length + 1))).toEqual([
      ...['cut/talk-cut.xml', 'cut/talk-cut.gtrk', 'cut/talk-cut.mp4', 'cut/talk-cut-transcript.json'],
    ])
    const project = readXmeml(await readFile(paths[0] ?? '', 'utf8'))
    expect(project.media[0]?.path).toBe(cutStep[1]['source_path'])
    expect(await pictureOf([review[0], { ...review[1], at: [1] }])).toMatchObject(jpeg)
    expect(await pictureOf(check)).toMatchObject(jpeg)

    // Step 9: the gtrk file is rendered by the other operation, with what it holds as arguments.
    const { materials, ...timeline } = JSON.parse(await readFile(paths[1] ?? '', 'utf8')) as {
      readonly materials: readonly object[]
    }
    const rendered = await callUntilDone(agent, 'video_timeline_render', { materials, ...timeline })
    expect([rendered.data['status'], rendered.isError && rendered.text]).toEqual(['completed', false])
    expect(rendered.data['output']).toMatchObject({
      duration: expect.closeTo(Number(output.report['duration_after']), 1),
    })
    expect(rendered.data['output']).not.toHaveProperty('notes')
  })
})
