import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hangs, type FakeService } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
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
import { sampleCases, soakSize } from '../soak-size.ts'
import {
  createCut,
  type CutOutput,
  cutServiceOptions,
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
  let [recogniser, talk]: [FakeService?, Talk?] = []
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

  const services = createServiceSequence(async () => {
    talk = await writeTalk(join(folder, 'talk'), { language: 'en-US', seed: 7, sentences: 2 })
    recogniser = await startStandInRecogniser(talk.recording)
    return { ...cutServiceOptions(recogniser, folder), concurrency: 1 }
  })
  const { ensureRunning } = services
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
  const encoders = () => findEncoders(services)

  beforeAll(async () => {
    const at = await ensureRunning()
    fileId = await uploadFile(at, talk?.path ?? '')
    expected = await comparable(await outputOf(at, await createCut(at, request())))
    requests = heard()
    if (requests < 5) throw new Error(`only ${requests} pieces were recognised`)
  })
  afterAll(async () => {
    await recogniser?.[Symbol.asyncDispose]()
  })

  type Interrupted = InterruptedMoment & { readonly repeated: number }
  const hearing = (how: Interruption, pieces: number): Interrupted => {
    const reach = () => hangAfter(pieces).then(() => [])
    return { during: `recognition after ${pieces} pieces`, reach, how, repeated: 1 }
  }
  const rendering = (how: Interruption): Interrupted => {
    return { during: 'rendering', reach: () => suspendProcesses([encoders]), how, repeated: 0 }
  }
  /** Kills the service at a point of its work on finished files. */
  const finished = (point: string): Interrupted => {
    const reach = async () => {
      const armed = await ensureRunning()
      await armed.arm(point)
      await armed.exited
      return []
    }
    return { during: `kill -9 of the service at ${point}`, reach, repeated: 0 }
  }
  const points = ['move.completed.before-commit', 'execute.finished'] as const
  const [worker, service, stop] = interruptions
  /**
   * The interruptions of each task: at all moments, and in the full form also single ones. A task continues as soon as its
   * service starts again, so the point is armed at the moment before, which must not end the service.
   */
  const cases = [
    ...sampleCases(
      [
        [hearing(stop, 1), rendering(worker), finished(points[0])],
        [hearing(service, 2), rendering(worker), finished(points[1])],
        [hearing(worker, 3), rendering(worker), finished(points[0])],
      ],
      1,
    ),
    ...soakSize(
      [],
      [
        ...interruptions.flatMap((how, index) => [hearing(how, index + 1), rendering(how)]),
        ...points.map(finished),
      ],
    ).map((one) => [one]),
  ].map((interrupted) => [titleOf(interrupted), interrupted] as const)
  test.each(cases)('%s: finished pieces are not recognised again', async (_, interrupted) => {
    const before = heard()
    const balance = await api(await ensureRunning()).balance()
    const create = async () => createCut(await ensureRunning(), request())
    const id = await createInterrupted(services, create, interrupted)
    const next = await ensureRunning()
    expect(await comparable(await outputOf(next, id))).toEqual(expected)
    // Interrupted requests are sent again.
    const repeated = interrupted.reduce((sum, one) => sum + one.repeated, 0)
    expect(heard() - before).toBe(requests + repeated)
    expect(await api(next).balance()).toBe(balance - 1)
    await waitUntilClean(services)
  })

  const stops = [
    { during: 'recognition', reach: () => hangAfter(2).then(() => []) },
    { during: 'rendering', reach: () => suspendProcesses([encoders]) },
  ]
  test.each(sampleCases(stops, 1))(
    'stopped during $during, or cancelled in the queue: no process, no file, and a refund',
    async ({ reach }) => {
      const create = async () => createCut(await ensureRunning(), request())
      await expectRefunds(services, { type: taskType, credits: 1, create, reach })
      expect(recogniser?.replies).toEqual([])
    },
  )
})
