import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { api } from '../service/api.ts'
import { expectRefunds, interrupt, interruptions, waitUntilClean } from '../service/interruptions.ts'
import { createServiceSequence } from '../service/killable-service.ts'
import { findProcesses, suspendProcesses, waitUntilExited } from '../service/processes.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { uploadFile } from '../video-oral-cut/cut-service.ts'
import { hangModelAfter, modelService, translatingClipModel } from '../video-long2short/shorts-model.ts'
import { type ProOutput, type ToneTalk, writeToneTalk } from './run-pro.ts'

// The transcript is given: video_long2short and video_oral_cut test interrupted recognition.

const type = 'video_long2short_pro'

/** Length of the talk, seconds: its third and eleventh sentences become clips. */
const seconds = soakSize(44, 64)
const credits = Math.ceil(seconds / 60)

describe.skipIf(process.platform !== 'linux')('finished clips that are interrupted', async () => {
  const folder = await scratchFolder()
  let [talk, model]: [ToneTalk?, ModelServer?] = []
  let fileId = ''
  /** What an undisturbed run returns, and its questions. */
  let expected: unknown
  let questions = 0

  const services = createServiceSequence(async () => {
    talk = await writeToneTalk(join(folder, 'talk.mp4'), seconds)
    model = await startModelServer(translatingClipModel())
    return {
      services: { language_model: modelService(model) },
      packs: { folder: join(folder, 'packs'), automatic: false },
      concurrency: 1,
    }
  })
  const { ensureRunning } = services
  const server = () => {
    if (!model) throw new Error('the model has not started')
    return model
  }
  const create = async (): Promise<string> => {
    const { msg, data, status } = await api(await ensureRunning()).create(type, {
      ...{ file_id: fileId, language: 'en-US', stt: talk?.stt, output_size: '180x320' },
      ...{ duration: { pref: 'short', max_clip_sec: 10 }, speed: { factor: 1.25 } },
      ...{ camera_move: { probability: 1, max_ratio: 1 }, subtitle: { translate_language: 'zh-CN' } },
    })
    if (status !== 200) throw new Error(msg)
    return data.task_id
  }
  /** The result with hashes of the videos, without what differs between equal tasks. */
  const comparable = async (id: string): Promise<unknown> => {
    const at = await ensureRunning()
    const { data } = await api(at).ended(type, id)
    if (data.status !== 'completed') throw new Error(JSON.stringify(data))
    const { clips, ...others } = data.output_result as ProOutput
    const described = clips.map(async ({ file: { file_id, filename, duration }, ...clip }) => {
      const video = createHash('sha256').update(await api(at).download(file_id))
      return { ...clip, filename, duration, video: video.digest('hex') }
    })
    return { ...others, clips: await Promise.all(described) }
  }
  const asked = () => server().asked.length
  /** The last question is the translation. */
  const hangTranslation = () => hangModelAfter(server(), questions - 1)
  const secondClip = () => suspendProcesses([() => findProcesses('clip2.mp4', services.dataDir)])

  beforeAll(async () => {
    fileId = await uploadFile(await ensureRunning(), talk?.path ?? '')
    expected = await comparable(await create())
    questions = asked()
    const clips = (expected as ProOutput).clips.length
    if (clips < 2 || questions < 4) throw new Error(`${clips} clips, ${questions} questions`)
  })
  afterAll(() => model?.[Symbol.asyncDispose]())

  const moments = [
    { during: 'the translation', reach: () => hangTranslation().then(() => []), repeated: 1 },
    { during: 'rendering of the second clip', reach: secondClip, repeated: 0 },
  ]
  const cases = moments.flatMap((moment) => interruptions.map((how) => ({ how, ...moment })))
  test.each(sampleCases(cases.toReversed(), 1))(
    '$how during $during: the same clips, and no answer is asked for again',
    async ({ how, reach, repeated }) => {
      const [askedBefore, balance] = [asked(), await api(await ensureRunning()).balance()]
      const reached = reach()
      const id = await create()
      const suspended = await reached
      await interrupt(services, how)
      await waitUntilExited(suspended)
      expect(await comparable(id)).toEqual(expected)
      expect(asked() - askedBefore).toBe(questions + repeated)
      expect(balance - (await api(await ensureRunning()).balance())).toBe(credits)
      await waitUntilClean(services)
    },
  )

  test.each(sampleCases(moments.toReversed(), 1))(
    'stopped during $during, or cancelled in the queue: no process, no file, and a refund',
    ({ reach }) => expectRefunds(services, { type, credits, create, reach }),
  )
})
