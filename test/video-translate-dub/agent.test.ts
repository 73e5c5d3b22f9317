import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { askingClient } from '../questions/asking-client.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { dubAnswers, type DubQuestion } from './dub-model.ts'
import { type DubOutput, type DubStage, openDubStage } from './run-dub.ts'

const type = 'video_translate_dub'

// The agent that created the task translates and rewrites the lines.

describe.skipIf(!canSpeak || !hasSpeechFiles)('an agent without a configured model', () => {
  let [stage, service]: [DubStage?, TestService?] = []

  beforeAll(async () => {
    stage = await openDubStage(await scratchFolder(), { language: 'zh-CN', to: 'en-US', sentences: 5 })
    service = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
      packs: configuredPacks() ?? {},
      services: stage.services.settings,
    })
  })
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await stage?.[Symbol.asyncDispose]()
  })

  it('is asked for translations and rewritings, and nothing is recognised or spoken twice', async () => {
    if (!stage || !service) throw new Error('there is no service')
    const { services, source } = stage
    const client = askingClient(await service.account(1000))
    const { data: file } = await client.upload('talk.mp4', new Uint8Array(await readFile(source.path)))
    const { data: created } = await client.create(type, {
      ...{ file_id: file.file_id, source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' },
    })
    const kinds: string[] = []
    const heard: number[] = []
    const answer = dubAnswers()
    for (;;) {
      const { data: task } = await client.waiting(type, created.task_id)
      if (task.questions_open === undefined) break
      heard.push(services.recogniser.heard.length)
      const { questions } = (await client.questions(created.task_id)).data
      kinds.push(...new Set(questions.map(({ kind }) => kind)))
      const answers = questions.map(({ question_id, input }) => ({
        question_id,
        answer: answer(input as DubQuestion),
      }))
      expect((await client.answer(created.task_id, answers)).status).toBe(200)
    }
    const { data } = await client.ended(type, created.task_id)
    expect([data.status, JSON.stringify(data.output_result)]).toEqual(['completed', expect.any(String)])
    const { report, errors } = data.output_result as DubOutput
    expect(errors).toEqual({})
    expect(report.engines.translator).toBe('agent')
    expect(kinds.slice(0, 2)).toEqual(['translate_lines', 'rewrite_lines'])
    expect(report.rewrite_lines).toBeGreaterThan(0)
    const texts = services.requests.map(({ text, speaker }) => `${speaker} ${text}`)
    expect(texts).toEqual([...new Set(texts)])
    // The source and a reference for each speaker before the first question; then a check of each speech.
    const [beforeTranslation = 0] = heard
    expect(services.recogniser.heard.length).toBe(beforeTranslation + texts.length)
  })
})
