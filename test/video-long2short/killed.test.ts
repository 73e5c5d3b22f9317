import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { type FakeService, hangs } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { api, pollUntil } from '../service/api.ts'
import { findProcesses, suspendProcesses, waitUntilExited } from '../service/processes.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import { errorOf, uploadFile } from '../video-oral-cut/cut-service.ts'
import { filesOf, type ShortsOutput, type SpokenTalk, taskType, writeSpokenTalk } from './run-shorts.ts'
import { clipModel } from './shorts-model.ts'

describe.skipIf(!canSpeak || !hasSpeechFiles)('clips that are interrupted', async () => {
  const folder = await scratchFolder()
  const dataDir = join(folder, 'data')
  let [talk, recogniser, model, service]: [SpokenTalk?, FakeService?, ModelServer?, ServiceProcess?] = []
  let fileId = ''
  /** What an undisturbed run returns, and what it asks of the recogniser and of the model. */
  let expected: unknown
  let [pieces, questions] = [0, 0]

  const started = () => {
    if (!recogniser || !model) throw new Error('the services have not started')
    return { recogniser, model }
  }
  const ensureRunning = async (): Promise<ServiceProcess> => {
    if (service && service.process.exitCode === null && service.process.signalCode === null) return service
    const mirror = testdata('models')
    service = await startServiceProcess(dataDir, {
      services: {
        transcription: { address: `${started().recogniser.origin}/v1`, model: 'stand-in', concurrency: 1 },
        language_model: {
          address: `${started().model.origin}/v1`,
          model: 'small',
          context_tokens: 8192,
          concurrency: 1,
        },
      },
      packs: { folder: join(folder, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) },
    })
    return service
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
  const heard = () => started().recogniser.heard.length
  const asked = () => started().model.asked.length
  const killWorkers = async (): Promise<void> => {
    const run = join(dataDir, 'run')
    for (const name of (await readdir(run)).filter((one) => one.endsWith('.json'))) {
      const { pid } = JSON.parse(await readFile(join(run, name), 'utf8')) as { pid: number }
      process.kill(pid, 'SIGKILL')
    }
  }
  const kill = { worker: killWorkers, service: async () => (await ensureRunning()).kill('SIGKILL') }
  const encoders = () => findProcesses('libx264', dataDir)
  const programs = () => findProcesses('-nostdin', dataDir)
  const waitUntilClean = async (): Promise<void> => {
    await pollUntil(programs, (pids) => pids.length === 0)
    for (const name of ['scratch', 'steps'])
      await pollUntil(
        () => readdir(join(dataDir, name)),
        (left) => left.length === 0,
      )
  }
  /** Lets the model answer so many questions, and no further one. Returns when that arrives. */
  const hangModelAfter = async (answers: number): Promise<void> => {
    const { model: server } = started()
    const wanted = asked() + answers + 1
    const reached = Promise.withResolvers<undefined>()
    server.says = (body, request) => {
      if (asked() < wanted) return clipModel(body, request)
      server.says = clipModel
      reached.resolve(undefined)
      return hangs()
    }
    await reached.promise
  }
  const hangRecogniserAfter = (answers: number): Promise<void> => {
    const { recogniser: server } = started()
    server.replies.push(...Array.from({ length: answers }, () => server.otherwise), hangs())
    return server.hears(heard() + answers + 1)
  }

  beforeAll(async () => {
    talk = await writeSpokenTalk(join(folder, 'talk'), { pause: 0.9 })
    recogniser = await startStandInRecogniser(talk.recording, {})
    model = await startModelServer(clipModel)
    fileId = await uploadFile(await ensureRunning(), talk.path)
    expected = await comparable(await create())
    pieces = heard()
    questions = asked()
    if (pieces < 5 || questions < 4) throw new Error(`${pieces} pieces, ${questions} questions`)
  })
  afterAll(async () => {
    await service?.kill('SIGKILL')
    await recogniser?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  test('kill -9 of the worker during recognition: finished pieces are not recognised again', async () => {
    const [before, balance] = [heard(), await api(await ensureRunning()).balance()]
    const reached = hangRecogniserAfter(3)
    const id = await create()
    await reached
    await kill.worker()
    expect(await comparable(id)).toEqual(expected)
    expect(heard() - before).toBe(pieces + 1)
    expect(balance - (await api(await ensureRunning()).balance())).toBe(
      Math.ceil((talk?.recording.truth.seconds ?? 0) / 60),
    )
    await waitUntilClean()
  })

  test.each(['worker', 'service'] as const)(
    'kill -9 of the %s between two questions: answers are not asked again, and nothing is recognised again',
    async (what) => {
      const [heardBefore, askedBefore] = [heard(), asked()]
      const reached = hangModelAfter(2)
      const id = await create()
      await reached
      await kill[what]()
      expect(await comparable(id)).toEqual(expected)
      expect(heard() - heardBefore).toBe(pieces)
      // The interrupted question was asked twice.
      expect(asked() - askedBefore).toBe(questions + 1)
      await waitUntilClean()
    },
  )

  test.each(['worker', 'service'] as const)(
    'kill -9 of the %s during rendering: nothing else is repeated',
    async (what) => {
      const [heardBefore, askedBefore] = [heard(), asked()]
      const id = await create()
      const suspended = await suspendProcesses([encoders])
      await kill[what]()
      await waitUntilExited(suspended)
      expect(await comparable(id)).toEqual(expected)
      expect([heard() - heardBefore, asked() - askedBefore]).toEqual([pieces, questions])
      await waitUntilClean()
    },
  )

  const moments = [
    { during: 'recognition', reach: () => hangRecogniserAfter(2).then(() => []) },
    { during: 'a question', reach: () => hangModelAfter(1).then(() => []) },
    { during: 'rendering', reach: () => suspendProcesses([encoders]) },
  ]
  test.each(moments)('stopped during $during: no process, no file, and a refund', async ({ reach }) => {
    const calls = api(await ensureRunning())
    const balance = await calls.balance()
    const reached = reach()
    const id = await create()
    const suspended = await reached
    expect((await calls.cancel(id)).code).toBe(6007)
    const { data } = await calls.stop(id)
    expect(errorOf(data).code).toBe(6009)
    await waitUntilExited(suspended)
    await waitUntilClean()
    expect(await calls.balance()).toBe(balance)
    started().model.says = clipModel
    expect(started().recogniser.replies).toEqual([])
  })
})
