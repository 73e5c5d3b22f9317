import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hangs, type FakeService } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { api, pollUntil } from '../service/api.ts'
import { findProcesses, suspendProcesses, waitUntilExited } from '../service/processes.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import {
  createCut,
  type CutOutput,
  cutServiceOptions,
  errorOf,
  outputOf,
  resultFile,
  saveResult,
  type Talk,
  taskType,
  uploadFile,
  writeTalk,
} from './cut-service.ts'

describe.skipIf(!canSpeak || !hasSpeechFiles)('a cut that is interrupted', async () => {
  const folder = await scratchFolder()
  const dataDir = join(folder, 'data')
  let [service, recogniser, talk]: [ServiceProcess?, FakeService?, Talk?] = []
  let fileId = ''
  /** What an undisturbed run returns, and its requests to the recogniser. */
  let expected: Comparable
  let requests = 0

  /** Results that do not depend on the task. */
  interface Comparable {
    readonly report: CutOutput['report']
    readonly projects: readonly string[]
    readonly transcript: string
    readonly frames: readonly (number | null)[]
  }

  const ensureRunning = async (): Promise<ServiceProcess> => {
    if (!recogniser) throw new Error('the recogniser has not started')
    if (!service || service.process.exitCode !== null || service.process.signalCode !== null)
      service = await startServiceProcess(dataDir, cutServiceOptions(recogniser, folder))
    return service
  }
  const request = () => ({
    ...{ file_id: fileId, la: 'en-US', script: talk?.script.text, source_path: '/footage/talk.mp4' },
    ...{ outputs: ['project', 'video'], project_formats: ['xml', 'otio', 'gtrk'] },
  })
  const comparable = async (output: CutOutput): Promise<Comparable> => {
    const at = await ensureRunning()
    const text = async (kind: string, format: string) =>
      Buffer.from(await resultFile(at, output, { type: kind, format })).toString()
    const video = output.files.find((file) => file.type === 'video')
    return {
      report: output.report,
      projects: await Promise.all(['xml', 'otio', 'gtrk'].map((format) => text('project', format))),
      transcript: await text('transcript', 'json'),
      frames: await readFrameNumbers(await saveResult(at, video?.file_id ?? '', join(folder, 'cut.mp4'))),
    }
  }
  const heard = () => recogniser?.heard.length ?? 0
  /** Lets the recogniser answer so many requests, and no further one. Returns when that arrives. */
  const hangAfter = (answers: number): Promise<void> => {
    if (!recogniser) throw new Error('the recogniser has not started')
    const { otherwise } = recogniser
    recogniser.replies.push(...Array.from({ length: answers }, () => otherwise), hangs())
    return recogniser.hears(heard() + answers + 1)
  }
  const killWorkers = async (): Promise<void> => {
    const run = join(dataDir, 'run')
    const names = (await readdir(run)).filter((name) => name.endsWith('.json'))
    for (const name of names) {
      const { pid } = JSON.parse(await readFile(join(run, name), 'utf8')) as { pid: number }
      process.kill(pid, 'SIGKILL')
    }
  }
  const encoders = () => findProcesses('libx264', dataDir)
  // The name of the folder contains that of the program.
  const programs = () => findProcesses('-nostdin', dataDir)
  /** Waits until no program works and no file of a task remains. */
  const waitUntilClean = async (): Promise<void> => {
    await pollUntil(programs, (pids) => pids.length === 0)
    for (const name of ['scratch', 'steps'])
      await pollUntil(
        () => readdir(join(dataDir, name)),
        (left) => left.length === 0,
      )
  }
  const kill = {
    worker: killWorkers,
    service: async () => (await ensureRunning()).kill('SIGKILL'),
  }

  beforeAll(async () => {
    talk = await writeTalk(join(folder, 'talk'), { language: 'en-US', seed: 7, sentences: 2 })
    recogniser = await startStandInRecogniser(talk.recording)
    const at = await ensureRunning()
    fileId = await uploadFile(at, talk.path)
    expected = await comparable(await outputOf(at, await createCut(at, request())))
    requests = heard()
    if (requests < 5) throw new Error(`only ${requests} pieces were recognised`)
  })
  afterAll(async () => {
    await service?.kill('SIGKILL')
    await recogniser?.[Symbol.asyncDispose]()
  })

  const kinds = ['worker', 'service'] as const
  const moments = [
    { what: 'worker', pieces: 1 },
    { what: 'service', pieces: 3 },
  ] as const
  test.each(moments)(
    'kill -9 of the $what after $pieces pieces: finished ones are not recognised again',
    async ({ what, pieces }) => {
      const before = heard()
      const at = await ensureRunning()
      const balance = await api(at).balance()
      const reached = hangAfter(pieces)
      const id = await createCut(at, request())
      await reached
      await kill[what]()
      const next = await ensureRunning()
      expect(await comparable(await outputOf(next, id))).toEqual(expected)
      // The interrupted request was sent twice.
      expect(heard() - before).toBe(requests + 1)
      expect(await api(next).balance()).toBe(balance - 1)
      await waitUntilClean()
    },
  )

  test.each(kinds)('kill -9 of the %s during rendering: nothing is recognised again', async (what) => {
    const before = heard()
    const id = await createCut(await ensureRunning(), request())
    const suspended = await suspendProcesses([encoders])
    await kill[what]()
    await waitUntilExited(suspended)
    const next = await ensureRunning()
    expect(await comparable(await outputOf(next, id))).toEqual(expected)
    expect(heard() - before).toBe(requests)
    await waitUntilClean()
  })

  test.each(['execute.finished', 'move.completed.before-commit'])(
    'kill -9 of the service with finished files, at %s: nothing is recognised again',
    async (point) => {
      const before = heard()
      const armed = await ensureRunning()
      const balance = await api(armed).balance()
      await armed.arm(point)
      const id = await createCut(armed, request())
      await armed.exited
      const next = await ensureRunning()
      expect(await comparable(await outputOf(next, id))).toEqual(expected)
      expect(heard() - before).toBe(requests)
      expect(await api(next).balance()).toBe(balance - 1)
      await waitUntilClean()
    },
  )

  const interruptions = [
    { during: 'recognition', reach: () => hangAfter(2).then(() => []) },
    { during: 'rendering', reach: () => suspendProcesses([encoders]) },
  ]
  test.each(interruptions)('stopped during $during: no process, no file, and a refund', async ({ reach }) => {
    const at = await ensureRunning()
    const calls = api(at)
    const balance = await calls.balance()
    const [id, suspended] = [await createCut(at, request()), await reach()]
    expect(await calls.balance()).toBe(balance - 1)
    expect((await calls.cancel(id)).code).toBe(6007)
    const { data } = await calls.stop(id)
    expect(errorOf(data).code).toBe(6009)
    await waitUntilExited(suspended)
    await waitUntilClean()
    expect(await calls.balance()).toBe(balance)
    expect((await calls.query(taskType, id)).data.status).toBe('failed')
    expect(recogniser?.replies).toEqual([])
  })
})
