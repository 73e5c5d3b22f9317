import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModelServer } from '../engines/language-model/model-server.ts'
import { hangs } from '../engines/services/fake-service.ts'
import { api, pollUntil } from '../service/api.ts'
import { startKillableService, temporaryDataFolder } from '../service/killable-service.ts'
import { askedImages, describingModel, describingPacks, drawnImage, type } from './describing-model.ts'

test.skipIf(!describingPacks(''))(
  'after a kill, no image is asked about or measured twice (REELWRIGHT_TESTDATA)',
  async () => {
    const dataDir = await temporaryDataFolder()
    const packs = describingPacks(join(dataDir, 'packs')) ?? {}
    // One question about one image at a time: the model answers two, then hangs.
    await using model = await startModelServer((body) =>
      model.asked.length <= 2 ? describingModel()(body) : hangs(),
    )
    const address = `${model.origin}/v1`
    const services = { language_model: { address, model: 'small', context_tokens: 4096, concurrency: 1 } }
    const first = await startKillableService(dataDir, { services, packs })
    const before = await api(first).balance()
    const input = Array.from({ length: 3 }, (_, at) => ({ image: drawnImage(at).toString('base64') }))
    const { data: task } = await api(first).create(type, { input })
    const steps = join(dataDir, 'steps', task.task_id)
    const stored = async (kind: string) =>
      (await readdir(steps).catch(() => [])).filter((name) => name.startsWith(kind))
    await pollUntil(
      async () => [model.asked.length, (await stored('picture-')).length, (await stored('answer-')).length],
      ([asked = 0, measured = 0, answered = 0]) => asked > 2 && measured === 3 && answered === 2,
    )
    await first.kill('SIGKILL')
    // Measured again, it would have no border.
    const [measured = ''] = await stored('picture-')
    const evidence = JSON.parse(await readFile(join(steps, measured), 'utf8')) as object
    await writeFile(join(steps, measured), JSON.stringify({ ...evidence, hasBorder: true }))

    model.says = describingModel()
    const next = await startKillableService(dataDir, { services, packs })
    const { data } = await api(next).ended(type, task.task_id)
    expect(data.status).toBe('completed')
    const results = data.output_result?.['data'] as {
      index: number
      usable_flags: { black_border: boolean }
    }[]
    expect(results.map(({ index }) => index)).toEqual(input.map((_, at) => at))
    expect(results.filter(({ usable_flags: flags }) => flags.black_border)).toHaveLength(1)
    // The third question was not answered.
    const asked = model.asked.map((body) => askedImages(body).ids)
    expect([...asked.slice(0, 2), ...asked.slice(3)].flat()).toEqual(input.map((_, at) => at + 1))
    expect(await api(next).balance()).toBe(before - 3)
  },
)
