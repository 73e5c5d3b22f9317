import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../tools/index.ts'
import { generateMedia, h264, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { askingClient } from '../questions/asking-client.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { writeLongTalk } from '../shorts/long-talk.ts'
import { type ShortsOutput, taskType } from './run-shorts.ts'
import { answerAboutClips, type clipInput } from './shorts-model.ts'

// The agent that created the task answers the questions about its clips.

const seconds = 300
const { stt } = writeLongTalk('en', seconds - 20, seededRandom(4))
const early = stt.sentence_tc_list.filter(({ end_time }) => end_time < 55)
const firstMinute = {
  word_tc_list: stt.word_tc_list.filter(({ end_time }) => end_time <= (early.at(-1)?.end_time ?? 0) + 1e-6),
  sentence_tc_list: early,
}

/** Writes a video whose transcript is given: only its length is read. Returns its path. */
const writeVideo = async (length: number) =>
  generateMedia(join(await scratchFolder(), 'podcast.mp4'), [...picture(length), '-r', '2', ...h264])

describe('an agent without a configured model', () => {
  let service: TestService
  let client: ReturnType<typeof askingClient>
  let fileId = ''

  beforeAll(async () => {
    service = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === taskType),
    })
    client = askingClient(await service.account(10_000))
    const path = await writeVideo(seconds)
    fileId = (await client.upload('podcast.mp4', new Uint8Array(await readFile(path)))).data.file_id
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const body = (topic: string) => ({
    ...{
      file_id: fileId,
      language: 'en-US',
      stt,
      outputs: ['report'],
      duration: { pref: 'short' },
      main_topic: topic,
    },
  })

  /** Answers every question until the task has ended. Returns the kinds of the questions of each round. */
  const answerAll = async (id: string, answer: (input: ReturnType<typeof clipInput>) => unknown) => {
    const rounds: string[][] = []
    for (;;) {
      const { data: task } = await client.waiting(taskType, id)
      if (task.questions_open === undefined) return rounds
      const { questions } = (await client.questions(id)).data
      rounds.push(questions.map(({ kind }) => kind))
      const answers = questions.map(({ question_id, input }) => ({
        question_id,
        answer: answer(input as ReturnType<typeof clipInput>),
      }))
      expect((await client.answer(id, answers)).status).toBe(200)
    }
  }
  const output = async (id: string) => {
    const { data } = await client.ended(taskType, id)
    expect([data.status, JSON.stringify(data.output_result)]).toEqual(['completed', expect.any(String)])
    return data.output_result as ShortsOutput
  }

  it('is asked in three rounds, and its answers are the clips', async () => {
    const { data } = await client.create(taskType, body('anything'))
    const rounds = await answerAll(data.task_id, answerAboutClips)
    const result = await output(data.task_id)
    expect(result.report).toMatchObject({ degraded: false, clip_count: result.clips.length })
    expect(rounds.map((kinds) => [...new Set(kinds)])).toEqual([
      ['select_highlights'],
      ['rank_clips'],
      ['describe_clip'],
    ])
    expect(rounds[2]).toHaveLength(result.clips.length)
    expect(result.clips.map(({ title }) => title)).toContain('Six months to live')
  })

  it('that answers nothing usable gets clips by their words', async () => {
    const { data } = await client.create(taskType, { ...body('nothing'), stt: firstMinute })
    await answerAll(data.task_id, () => ({ clips: 'no' }))
    const result = await output(data.task_id)
    expect(result.report.degraded).toBe(true)
    expect(result.clips.length).toBeGreaterThan(0)
    expect(result.notes?.[0]).toMatch(/no usable ranking; the titles of all clips/)
  })

  it('reads which parts do not exist', async () => {
    const { data } = await client.create(taskType, { ...body('parts'), stt: firstMinute })
    const { data: task } = await client.waiting(taskType, data.task_id)
    expect(task.questions_open).toBeGreaterThan(0)
    const [question] = (await client.questions(data.task_id)).data.questions
    const answer = { clips: [{ first: 9000, last: 9001, score: 5 }] }
    await client.answer(data.task_id, [{ question_id: question?.question_id ?? '', answer }])
    const [again] = (await client.questions(data.task_id)).data.questions
    expect(again?.problems?.join()).toMatch(/9000 to 9001 are not parts 0 to \d+ in ascending order/)
    expect((await client.stop(data.task_id)).status).toBe(200)
  })

  it('that does not answer gets clips by their words at once', async () => {
    const calls = api(await service.account(100))
    const path = await writeVideo(60)
    const { data: file } = await calls.upload('short.mp4', new Uint8Array(await readFile(path)))
    const { data, status } = await calls.create(taskType, {
      ...{ file_id: file.file_id, language: 'en-US', outputs: ['report'] },
      stt: firstMinute,
    })
    expect(status).toBe(200)
    const { data: ended } = await calls.ended(taskType, data.task_id)
    expect(ended).toMatchObject({ status: 'completed', output_result: { report: { degraded: true } } })
  })
})
