import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type FakeService, hangs } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { api } from '../service/api.ts'
import {
  createInterrupted,
  expectRefunds,
  findEncoders,
  type Interruption,
  interruptions,
  titleOf,
  waitUntilClean,
} from '../service/interruptions.ts'
import { createServiceSequence } from '../service/killable-service.ts'
import { findProcesses, suspendProcesses } from '../service/processes.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { uploadFile } from '../video-oral-cut/cut-service.ts'
import { hangModelAfter } from '../video-long2short/shorts-model.ts'
import { dubModel, dubModelService } from './dub-model.ts'
import { type DubOutput, type DubStage, openDubStage } from './run-dub.ts'

const type = 'video_translate_dub'

/** Both speakers speak. */
const sentences = soakSize(3, 5)

describe.skipIf(!canSpeak || !hasSpeechFiles)('a dub that is interrupted', async () => {
  const folder = await scratchFolder()
  let stage: DubStage | undefined
  let fileId = ''
  /** What an undisturbed run returns, and what it asks of each service. */
  let expected: unknown
  let usual: ReturnType<typeof counts>

  const services = createServiceSequence(async () => {
    await mkdir(folder, { recursive: true })
    stage = await openDubStage(folder, { language: 'en-US', to: 'zh-CN', sentences })
    // Short translations are rewritten.
    stage.model.says = dubModel({ factor: 0.5 })
    return {
      packs: configuredPacks() ?? {},
      services: { ...stage.services.settings, language_model: dubModelService(stage.model) },
      concurrency: 1,
    }
  })
  const { ensureRunning } = services
  const opened = (): DubStage => {
    if (!stage) throw new Error('the services have not started')
    return stage
  }
  const counts = () => {
    const { services: spoken, model } = opened()
    return {
      voice: spoken.voice.heard.length,
      heard: spoken.recogniser.heard.length,
      asked: model.asked.length,
    }
  }
  const countsSince = (before: ReturnType<typeof counts>) => {
    const now = counts()
    return {
      voice: now.voice - before.voice,
      heard: now.heard - before.heard,
      asked: now.asked - before.asked,
    }
  }
  const create = async (): Promise<string> => {
    const { msg, data, status } = await api(await ensureRunning()).create(type, {
      ...{ file_id: fileId, source_lang: 'en-US', target_lang: 'zh-CN', speaker: 'clone', subtitle: 'burn' },
    })
    if (status !== 200) throw new Error(msg)
    return data.task_id
  }
  /** The result without what differs between equal tasks. */
  const comparable = async (id: string): Promise<unknown> => {
    const at = await ensureRunning()
    const { data } = await api(at).ended(type, id)
    if (data.status !== 'completed') throw new Error(JSON.stringify(data))
    const output = data.output_result as DubOutput
    const text = async (file: string) => Buffer.from(await api(at).download(file)).toString()
    return {
      ...{ report: output.report, errors: output.errors },
      texts: await Promise.all([output.transcript_file_id, output.subtitle_file_id].map(text)),
    }
  }
  /** Credits of a task. */
  const credits = () => Math.ceil(((opened().dialogue.truth.seconds * 1000) / 60_000) * 50)
  /** Lets a service answer so often, and not the next request. Returns when that arrives. */
  const hangAfter = (service: FakeService, answers: number) => {
    service.replies.push(...Array.from({ length: answers }, () => service.otherwise), hangs())
    return service.hears(service.heard.length + answers + 1)
  }
  const whileRuns = (program: string) => () =>
    suspendProcesses([() => findProcesses(program, services.dataDir)])
  const hung = (reached: Promise<void>) => reached.then((): number[] => [])

  beforeAll(async () => {
    fileId = await uploadFile(await ensureRunning(), opened().source.path)
    const before = counts()
    expected = await comparable(await create())
    usual = countsSince(before)
    if (usual.voice <= sentences || usual.asked < 2) throw new Error(JSON.stringify(usual))
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  interface Moment {
    readonly during: string
    reach(): Promise<readonly number[]>
    /** Requests that are repeated: those that were interrupted. */
    readonly repeated: Partial<ReturnType<typeof counts>>
  }
  const moments: readonly Moment[] = [
    { during: 'separation', reach: whileRuns('voice-spleeter'), repeated: {} },
    {
      during: 'recognition',
      reach: () => hung(hangAfter(opened().services.recogniser, 2)),
      repeated: { heard: 1 },
    },
    { during: 'translation', reach: () => hung(hangModelAfter(opened().model, 0)), repeated: { asked: 1 } },
    {
      during: 'speech',
      reach: () => hung(hangAfter(opened().services.voice, 2)),
      repeated: { voice: 1 },
    },
    { during: 'a rewriting', reach: () => hung(hangModelAfter(opened().model, 1)), repeated: { asked: 1 } },
    { during: 'the picture', reach: () => suspendProcesses([() => findEncoders(services)]), repeated: {} },
    { during: 'laying the lines', reach: whileRuns('unfinished-dub.wav'), repeated: {} },
    { during: 'mixing', reach: whileRuns('unfinished-dubbed.m4a'), repeated: {} },
  ]

  type Interrupted = Moment & { readonly how: Interruption }
  const [atWorker, ...others] = interruptions
  const duringSpeech = moments.filter(({ during }) => during === 'speech')
  const singles: readonly Interrupted[] = [
    ...moments.toReversed().map((moment) => ({ ...moment, how: atWorker })),
    ...duringSpeech.flatMap((moment) => others.toReversed().map((how) => ({ ...moment, how }))),
  ]
  const pair = [...singles.slice(-1), ...singles.slice(0, 1)]
  /** The interruptions of each dub: a single one, and two: the service, then the worker; in the short form only the two. */
  const cases = soakSize([pair], [...singles.map((one) => [one]), pair]).map(
    (interrupted) => [titleOf(interrupted), interrupted] as const,
  )

  test.each(cases)('%s: nothing finished is repeated', async (_, interrupted) => {
    const [before, balance] = [counts(), await api(await ensureRunning()).balance()]
    const id = await createInterrupted(services, create, interrupted)
    expect(await comparable(id)).toEqual(expected)
    const repeated = (name: keyof typeof usual) =>
      interrupted.reduce((sum, one) => sum + (one.repeated[name] ?? 0), 0)
    expect(countsSince(before)).toEqual({
      voice: usual.voice + repeated('voice'),
      heard: usual.heard + repeated('heard'),
      asked: usual.asked + repeated('asked'),
    })
    expect(balance - (await api(await ensureRunning()).balance())).toBe(credits())
    await waitUntilClean(services)
  })

  const stopped = moments.filter(({ during }) => ['separation', 'speech', 'the picture'].includes(during))
  test.each(sampleCases(stopped.toReversed(), 1))(
    'stopped during $during, or cancelled in the queue: no process, no file, and a refund',
    async ({ reach }) => {
      await expectRefunds(services, { type, credits: credits(), create, reach })
    },
  )
})
