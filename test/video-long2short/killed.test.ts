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
  createInterrupted,
  expectRefunds,
  findEncoders,
  type InterruptedMoment,
  type Interruption,
  interruptions,
  titleOf,
  waitUntilClean,
} from '../service/interruptions.ts'
import { createServiceSequence } from '../service/killable-service.ts'
import { suspendProcesses } from '../service/processes.ts'
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

  type Interrupted = InterruptedMoment & { readonly repeated: readonly [heard: number, asked: number] }
  const hearing = (how: Interruption): Interrupted => {
    const reach = () => hangRecogniserAfter(3).then(() => [])
    return { during: 'recognition', reach, how, repeated: [1, 0] }
  }
  /** Not during the last question. */
  const asking = (how: Interruption): Interrupted => {
    const reach = () => hangModel(soakSize(1, 2)).then(() => [])
    return { during: 'a later question', reach, how, repeated: [0, 1] }
  }
  const rendering = (how: Interruption): Interrupted => {
    const reach = () => suspendProcesses([() => findEncoders(services)])
    return { during: 'rendering', reach, how, repeated: [0, 0] }
  }
  const [worker, service, stop] = interruptions
  /** The interruptions of each task: all moments, by each interruption in turn; in the full form also single ones. */
  const cases = [
    ...sampleCases(
      [
        [hearing(worker), asking(stop), rendering(service)],
        [hearing(service), asking(worker), rendering(stop)],
        [hearing(stop), asking(service), rendering(worker)],
      ],
      1,
    ),
    ...soakSize([], [hearing(worker), ...interruptions.flatMap((how) => [asking(how), rendering(how)])]).map(
      (one) => [one],
    ),
  ].map((interrupted) => [titleOf(interrupted), interrupted] as const)
  test.each(cases)('%s: nothing finished is repeated', async (_, interrupted) => {
    const [heardBefore, askedBefore] = [heard(), asked()]
    const balance = await api(await ensureRunning()).balance()
    const id = await createInterrupted(services, create, interrupted)
    expect(await comparable(id)).toEqual(expected)
    // Only interrupted requests are sent again.
    const repeated = (index: 0 | 1) => interrupted.reduce((sum, one) => sum + one.repeated[index], 0)
    expect([heard() - heardBefore, asked() - askedBefore]).toEqual([
      pieces + repeated(0),
      questions + repeated(1),
    ])
    expect(balance - (await api(await ensureRunning()).balance())).toBe(credits())
    await waitUntilClean(services)
  })

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
