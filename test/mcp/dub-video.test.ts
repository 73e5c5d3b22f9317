import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { videoTranslateDub } from '../../tools/video-translate-dub/contract.ts'
import { operations } from '../../tools/index.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { hasSpeechFiles, writeSound } from '../engines/speech/recordings.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { recordDialogue } from '../video-translate-dub/dialogue.ts'
import { dubModel, dubModelService } from '../video-translate-dub/dub-model.ts'
import { useDubPacks, writeDubSource } from '../video-translate-dub/dub-source.ts'
import type { DubOutput } from '../video-translate-dub/run-dub.ts'
import { soakSize } from '../soak-size.ts'
import { type SpokenServices, startSpokenServices } from '../video-translate-dub/spoken-services.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone, promptCalls } from './call-until-done.ts'

// Dubs the videos of the examples and of the prompt through a real client, with voices of espeak-ng.

interface DubData {
  readonly files: readonly { readonly path: string }[]
  readonly output: DubOutput
  readonly next_step: string
}

/** Examples to dub. Without them, the prompt dubs the talk of the first one. */
const examples = soakSize<typeof videoTranslateDub.examples | readonly []>([], videoTranslateDub.examples)

/** Records the interview and the voice of the examples. */
async function recordOthers({ workspace }: AgentSession) {
  const interview = await recordDialogue({ language: 'fr-FR', sentences: 3 })
  const voice = await recordDialogue({ language: 'en-US', sentences: 2 })
  await writeDubSource(workspace, interview, { name: 'interview' })
  await writeSound(join(workspace, 'voice.wav'), voice.samples)
  return [interview, voice]
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('videos to dub', () => {
  let [session, agent, service]: [AgentSession?, ConnectedAgent?, TestService?] = []
  let [spoken, model]: [SpokenServices?, ModelServer?] = []

  beforeAll(async () => {
    session = await startAgentSession()
    await useDubPacks(await scratchFolder())
    const talk = await recordDialogue({ language: 'zh-CN', sentences: 3 })
    await writeDubSource(session.workspace, talk, { name: 'talk' })
    spoken = await startSpokenServices([talk, ...(examples.length > 0 ? await recordOthers(session) : [])])
    model = await startModelServer(dubModel())
    service = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === videoTranslateDub.name),
      packs: configuredPacks() ?? {},
      services: { ...spoken.settings, language_model: dubModelService(model) },
    })
    const { baseUrl, apiKey } = await service.account(1000)
    agent = await session.connect('modern', { REELWRIGHT_BASE_URL: baseUrl, REELWRIGHT_API_KEY: apiKey })
  })
  afterAll(async () => {
    for (const opened of [agent, session, service, spoken, model]) await opened?.[Symbol.asyncDispose]()
  })

  const connected = () => {
    if (!agent || !session) throw new Error('there is no agent')
    return { agent, workspace: session.workspace }
  }
  const dub = async (args: object) => {
    const { data, text, isError } = await callUntilDone(connected().agent, videoTranslateDub.name, args)
    expect([isError ? text : '', data['status'], JSON.stringify(data['error'])]).toEqual([
      '',
      'completed',
      undefined,
    ])
    return data as unknown as DubData
  }

  /** Checks what each dub of a video with three lines in a cloned voice has, and returns its files. */
  const dubThreeLines = async (args: object) => {
    const { files, output, next_step } = await dub(args)
    expect(output.errors).toEqual({})
    expect(output.report).toMatchObject({ lines_count: 3, speaker: 'clone' })
    const [video] = files
    expect(next_step).toContain(video?.path)
    expect(next_step).toMatch(/3 lines in \S+, \d+ s\. /)
    return files
  }

  test.each(examples)('example: $title', async ({ input }) => {
    const [video] = await dubThreeLines(input)
    expect(video?.path).toMatch(new RegExp(`${String(input['target_lang'])}\\.mp4$`))
  })

  test('the prompt inspects, dubs and looks at the result', async () => {
    const { agent: client, workspace } = connected()
    const steps = await promptCalls(client, 'dub-video', { video: 'talk.mp4', to: 'English' })
    expect(steps.map(([name]) => name)).toEqual(['inspect_file', 'video_translate_dub', 'inspect_file'])
    const [look, make, check] = steps
    if (!look || !make || !check) throw new Error('a step is missing')
    expect(await client.call(look[0], look[1])).toMatchObject({ isError: false })
    const files = await dubThreeLines(make[1])
    expect(files[0]?.path).toMatch(/en-US\.mp4$/)
    const names = files.map(({ path }) => path.slice(workspace.length + 1))
    expect(names.toSorted()).toEqual([
      ...['dub/bgm.wav', 'dub/dub.wav', 'dub/talk.en-US-alignment.json', 'dub/talk.en-US.mp4'],
      ...['dub/talk.en-US.srt', 'dub/talk.en-US.xml'],
    ])
    const xml = await readFile(join(workspace, 'dub/talk.en-US.xml'), 'utf8')
    expect(readXmeml(xml).media.map(({ path }) => path)).toContain(make[1]['source_path'])
    const { isError, result } = await client.call(check[0], check[1])
    expect(isError).toBe(false)
    expect(result.content[1]).toMatchObject({ type: 'image' })
  })
})
