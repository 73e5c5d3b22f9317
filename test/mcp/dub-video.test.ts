import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { inspectFileTool } from '../../src/mcp/tools/inspect-tool.ts'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { videoTranslateDub } from '../../tools/video-translate-dub/contract.ts'
import { operations } from '../../tools/index.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { startModelServer } from '../engines/language-model/model-server.ts'
import { hasSpeechFiles, writeSound } from '../engines/speech/recordings.ts'
import { readXmeml } from '../projects/readers/xmeml.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startTestService } from '../service/in-process.ts'
import { type Dialogue, recordDialogue } from '../video-translate-dub/dialogue.ts'
import { dubModel, dubModelService } from '../video-translate-dub/dub-model.ts'
import { useDubPacks, writeDubSource } from '../video-translate-dub/dub-source.ts'
import type { DubOutput } from '../video-translate-dub/run-dub.ts'
import { soakSize } from '../soak-size.ts'
import { startSpokenServices } from '../video-translate-dub/spoken-services.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone, promptCalls } from './call-until-done.ts'
import { startInProcessAgent } from './stdio-client.ts'

// Checks the calls of the prompt in this process. In its full form, dubs the videos of the prompt and of the examples through
// a real client, with voices of espeak-ng. The dub of a service is the same over HTTP (test/video-translate-dub/service.test.ts).

interface DubData {
  readonly files: readonly { readonly path: string }[]
  readonly output: DubOutput
  readonly next_step: string
}

/** Target languages of the prompt, which dubs the talk of the first example. */
const targets = soakSize<readonly string[]>([], ['English'])

/** Records the talk, the interview and the voice of the examples. */
async function recordExamples({ workspace }: AgentSession): Promise<readonly [Dialogue, ...Dialogue[]]> {
  const talk = await recordDialogue({ language: 'zh-CN', sentences: 3 })
  const interview = await recordDialogue({ language: 'fr-FR', sentences: 3 })
  const voice = await recordDialogue({ language: 'en-US', sentences: 2 })
  await writeDubSource(workspace, talk, { name: 'talk' })
  await writeDubSource(workspace, interview, { name: 'interview' })
  await writeSound(join(workspace, 'voice.wav'), voice.samples)
  return [talk, interview, voice]
}

/** Returns the calls of the prompt that dubs the talk into a language. */
const callsOfPrompt = (agent: ConnectedAgent, to: string) =>
  promptCalls(agent, 'dub-video', { video: 'talk.mp4', to })

test('the prompt inspects, dubs into its language and looks at the result', async () => {
  await using agent = await startInProcessAgent('modern')
  const steps = await callsOfPrompt(agent, 'English')
  expect(steps.map(([name]) => name)).toEqual(['inspect_file', 'video_translate_dub', 'inspect_file'])
  const [look, make, check] = steps.map(([, args]) => args)
  expect(videoTranslateDub.input.safeParse(make)).toMatchObject({
    ...{ success: true, data: { target_lang: 'English', speaker: 'clone' } },
  })
  const isInspection = new Ajv({ strict: false }).compile(inspectFileTool.definition.inputSchema)
  for (const inspection of [look, check]) expect(isInspection(inspection)).toBe(true)
})

describe.skipIf(!canSpeak || !hasSpeechFiles).each(targets)('videos to dub into %s', (to) => {
  const opened = new AsyncDisposableStack()
  afterAll(() => opened.disposeAsync())

  const connect = async () => {
    const session = opened.use(await startAgentSession())
    await useDubPacks(await scratchFolder())
    const spoken = opened.use(await startSpokenServices(await recordExamples(session)))
    const model = opened.use(await startModelServer(dubModel()))
    const service = opened.use(
      await startTestService({
        operations: operations.filter(({ operation }) => operation.name === videoTranslateDub.name),
        packs: configuredPacks() ?? {},
        services: { ...spoken.settings, language_model: dubModelService(model) },
      }),
    )
    const { baseUrl, apiKey } = await service.account(1000)
    const environment = { REELWRIGHT_BASE_URL: baseUrl, REELWRIGHT_API_KEY: apiKey }
    return {
      agent: opened.use(await session.connect('modern', environment)),
      workspace: session.workspace,
    }
  }
  let connecting: ReturnType<typeof connect> | undefined
  const connected = () => (connecting ??= connect())

  const dub = async (args: object) => {
    const { data, text, isError } = await callUntilDone(
      (await connected()).agent,
      videoTranslateDub.name,
      args,
    )
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

  test.each(videoTranslateDub.examples)('example: $title', async ({ input }) => {
    const [video] = await dubThreeLines(input)
    expect(video?.path).toMatch(new RegExp(`${String(input['target_lang'])}\\.mp4$`))
  })

  test('the calls of the prompt dub into it, and show the result', async () => {
    const { agent: client, workspace } = await connected()
    const steps = await callsOfPrompt(client, to)
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
