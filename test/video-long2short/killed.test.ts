import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { type FakeService, hangs } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { api } from '../service/api.ts'
import {
  expectRefunds,
  findEncoders,
  interrupt,
  interruptions,
  waitUntilClean,
} from '../service/interruptions.ts'
import { createServiceSequence } from '../service/killable-service.ts'
import { suspendProcesses, waitUntilExited } from '../service/processes.ts'
import { uploadFile } from '../video-oral-cut/cut-service.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import {
  filesOf,
  type ShortsOutput,
  type SpokenTalk,
  talkText,
  taskType,
  writeSpokenTalk,
} from './run-shorts.ts'
import { clipModel, hangModelAfter, modelService } from './shorts-model.ts'

/** The talk; in the short form the two passages that make a point, and some small talk. */
const text = soakSize(
  talkText.slice(talkText.indexOf('Let me move'), talkText.indexOf('So that was')),
  talkText,
)

describe.skipIf(!canSpeak || !hasSpeechFiles)('clips that are interrupted', async () => {
  const folder = await scratchFolder()
  let [talk, recogniser, model]: [SpokenTalk?, FakeService?, ModelServer?] = []
  let fileId = ''
  /** What an undisturbed run returns, and what it asks of the recogniser and of the model. */
  let expected: unknown
  let [pieces, questions] = [0, 0]

  const services = createServiceSequence(async () => {
    talk = await writeSpokenTalk(join(folder, 'talk'), { text, pause: 0.9 })
    recogniser = await startStandInRecogniser(talk.recording, {})
    model = await startModelServer(clipModel)
    const mirror = testdata('models')
    return {
      services: {
        transcription: { address: `${recogniser.origin}/v1`, model: 'stand-in', concurrency: 1 },
        language_model: modelService(model),
      },
      packs: { folder: join(folder, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) },
      concurrency: 1,
    }
  })
  const { ensureRunning } = services
  const started = () => {
    if (!recogniser || !model) throw new Error('the services have not started')
    return { recogniser, model }
  }
  const create = async (): Promise<string> => {
    const { msg, data, status } = await api(await ensureRunning()).create(taskType, {
      ...{ file_id: fileId, language: 'en-US', source_path: '/footage/talk.mp4', output_size: '160x96' },
      ...{
        outputs: ['report', 'project', 'video', 'subtitle'],
        duration: { pref: 'short', max_clip_sec: 20 },
      },
    })
    if (status !== 200) throw new Error(msg)
    return data.task_id
  }
  /** The result without what differs between equal tasks. */
  const comparable = async (id: string): Promise<unknown> => {
    const at = await ensureRunning()
    const { data } = await api(at).ended(taskType, id)
    if (data.status !== 'completed') throw new Error(JSON.stringify(data))
    const output = data.output_result as ShortsOutput
    const texts = filesOf(output).filter(({ format }) => format !== 'mp4')
    return {
      report: output.report,
      clips: output.clips.map(({ files, ...clip }) => ({
        ...clip,
        files: files.map(({ filename }) => filename),
      })),
      texts: await Promise.all(
        texts.map(async ({ file_id }) => Buffer.from(await api(at).download(file_id)).toString()),
      ),
    }
  }
  /** Credits of a task. */
  const credits = () => Math.ceil((talk?.recording.truth.seconds ?? 0) / 60)
  const heard = () => started().recogniser.heard.length
  const asked = () => started().model.asked.length
  const hangModel = (answers: number) => hangModelAfter(started().model, answers)
  const hangRecogniserAfter = (answers: number): Promise<void> => {
    const { recogniser: server } = started()
    server.replies.push(...Array.from({ length: answers }, () => server.otherwise), hangs())
    return server.hears(heard() + answers + 1)
  }

  beforeAll(async () => {
    fileId = await uploadFile(await ensureRunning(), talk?.path ?? '')
    expected = await comparable(await create())
    pieces = heard()
    questions = asked()
    if (pieces < 5 || questions < soakSize(3, 4)) throw new Error(`${pieces} pieces, ${questions} questions`)
  })
  afterAll(async () => {
    await recogniser?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  // Each interruption at each moment: every task is interrupted three times.
  const [worker, service, stop] = interruptions
  const orders = [
    [worker, stop, service],
    [service, worker, stop],
    [stop, service, worker],
  ] as const
  test.each(sampleCases(orders, 1))(
    '%s during recognition, %s between two questions, %s during rendering: nothing finished is repeated',
    async (...[hearing, asking, rendering]) => {
      const [heardBefore, askedBefore] = [heard(), asked()]
      const balance = await api(await ensureRunning()).balance()
      const [reachedRecognition, reachedQuestion] = [hangRecogniserAfter(3), hangModel(2)]
      const id = await create()
      await reachedRecognition
      await interrupt(services, hearing)
      await ensureRunning()
      await reachedQuestion
      // Finished pieces are not recognised again.
      expect(heard() - heardBefore).toBe(pieces + 1)
      await interrupt(services, asking)
      await ensureRunning()
      const suspended = await suspendProcesses([() => findEncoders(services)])
      // The interrupted question was asked twice.
      expect(asked() - askedBefore).toBe(questions + 1)
      await interrupt(services, rendering)
      await waitUntilExited(suspended)
      expect(await comparable(id)).toEqual(expected)
      expect([heard() - heardBefore, asked() - askedBefore]).toEqual([pieces + 1, questions + 1])
      expect(balance - (await api(await ensureRunning()).balance())).toBe(credits())
      await waitUntilClean(services)
    },
  )

  const moments = [
    { during: 'recognition', reach: () => hangRecogniserAfter(2).then(() => []) },
    { during: 'a question', reach: () => hangModel(1).then(() => []) },
    { during: 'rendering', reach: () => suspendProcesses([() => findEncoders(services)]) },
  ]
  test.each(sampleCases(moments.toReversed(), 1))(
    'stopped during $during, or cancelled in the queue: no process, no file, and a refund',
    async ({ reach }) => {
      await expectRefunds(services, { type: taskType, credits: credits(), create, reach })
      expect(started().recogniser.replies).toEqual([])
    },
  )
})
