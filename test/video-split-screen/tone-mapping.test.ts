import { chmod, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { serve } from '../contract/serve.ts'
import { h264, make, picture, scratchFolder } from '../engines/ffmpeg/made.ts'
import { api } from '../service/api.ts'

const folder = await scratchFolder()
const { ffmpeg, ffprobe, filters } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])

let hdr: Uint8Array<ArrayBuffer>
let sdr: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  const clip = async (name: string, colours: readonly string[] = []) =>
    new Uint8Array(await readFile(await make(join(folder, name), [...picture(0.2), ...h264, ...colours])))
  hdr = await clip('hdr.mp4', [
    ...['-colorspace', 'bt2020nc', '-color_primaries', 'bt2020', '-color_trc', 'smpte2084'],
  ])
  sdr = await clip('sdr.mp4')
})

/** When an ffmpeg that is asked for its filters leaves zscale out. */
type ZscaleHidden = 'always' | 'first' | 'never'

/** Writes an ffmpeg that does all the work of this machine's, but leaves zscale out of what it says it has. */
async function ffmpegHiding(hiding: ZscaleHidden): Promise<string> {
  const own = await mkdtemp(join(folder, hiding))
  // A folder can be made once.
  const when = { always: 'true', first: `mkdir ${own}/asked`, never: 'false' }[hiding]
  const answer = `case "$*" in *-filters*) if ${when} 2>&-; then "${ffmpeg}" "$@" | grep -v zscale; exit; fi;; esac`
  const programs = { ffmpeg: `${answer}\nexec "${ffmpeg}" "$@"`, ffprobe: `exec "${ffprobe}" "$@"` }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(own, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(own, name), 0o755)
  }
  return join(own, 'ffmpeg')
}

async function serveHiding(hiding: ZscaleHidden) {
  const ffmpegHere = await ffmpegHiding(hiding)
  const service = await serve({ REELWRIGHT_FFMPEG: ffmpegHere })
  const calls = api(service)
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    (await calls.upload(name, bytes)).data.file_id
  const ids = { hdr: await upload('sunset.mp4', hdr), sdr: await upload('talk.mp4', sdr) }
  return {
    /** Another takes the place of the ffmpeg that the service has looked at. */
    replace: async (other: ZscaleHidden) => rename(await ffmpegHiding(other), ffmpegHere),
    create: (...files: readonly (keyof typeof ids)[]) =>
      calls.create('video_split_screen', { clips: files.map((file) => ({ file_id: ids[file] })) }),
    end: (id: string) => calls.ended('video_split_screen', id),
    tasks: async () => (await calls.send<{ total: number }>('/task/list')).data.total,
    balance: () => calls.balance(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const absent = process.platform === 'win32' || !filters.has('zscale')

describe.skipIf(absent)('HDR where ffmpeg has no zscale (this test needs one that has it)', () => {
  it('is refused at creation with what helps; no task is made and nothing is charged', async () => {
    await using service = await serveHiding('always')
    const before = await service.balance()
    expect(await service.create('sdr', 'hdr')).toMatchObject({
      status: 500,
      code: 6401,
      msg: expect.stringContaining('sunset.mp4 is HDR') as string,
      data: null,
      hint: expect.stringMatching(/"ffmpeg" in reelwright\.config\.json.* SDR/) as string,
      retryable: false,
    })
    expect([await service.tasks(), await service.balance()]).toEqual([0, before])
    const { data } = await service.create('sdr', 'sdr')
    expect((await service.end(data.task_id)).data.status).toBe('completed')
  })

  it('is taken as soon as an ffmpeg with it was installed', async () => {
    await using service = await serveHiding('first')
    const { data } = await service.create('hdr', 'sdr')
    const ended = await service.end(data.task_id)
    expect(ended.data).toMatchObject({
      status: 'completed',
      output_result: { notes: [expect.stringContaining('sunset.mp4') as string] },
    })
  })

  it('fails and is refunded where only the worker does not have it', async () => {
    await using service = await serveHiding('never')
    const before = await service.balance()
    await service.replace('always')
    const { data } = await service.create('hdr', 'sdr')
    expect((await service.end(data.task_id)).data).toMatchObject({
      status: 'failed',
      output_result: { error: { code: 6401, retryable: false } },
    })
    expect(await service.balance()).toBe(before)
  })
})
