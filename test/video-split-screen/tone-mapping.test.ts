import { chmod, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { serve } from '../contract/serve.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'

const folder = await scratchFolder()
const { ffmpeg, ffprobe, filters } = await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])

let hdr: Uint8Array<ArrayBuffer>
let sdr: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  const clip = async (name: string, colours: readonly string[] = []) =>
    new Uint8Array(
      await readFile(await generateMedia(join(folder, name), [...picture(0.2), ...h264, ...colours])),
    )
  hdr = await clip('hdr.mp4', [
    // Versions of ffmpeg take them from the filters or from the encoder options.
    ...['-vf', 'setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084'],
    ...['-colorspace', 'bt2020nc', '-color_primaries', 'bt2020', '-color_trc', 'smpte2084'],
  ])
  sdr = await clip('sdr.mp4')
})

/** When ffmpeg omits zscale from the list of its filters. */
type ZscaleHidden = 'always' | 'never'

/** Creates a wrapper of ffmpeg that omits zscale from the list of its filters. Returns its path. */
async function ffmpegWithoutZscale(hidden: ZscaleHidden): Promise<string> {
  const wrapperFolder = await mkdtemp(join(folder, hidden))
  const condition = { always: 'true', never: 'false' }[hidden]
  const listFilters = `case "$*" in *-filters*) if ${condition}; then "${ffmpeg}" "$@" | grep -v zscale; exit; fi;; esac`
  const programs = { ffmpeg: `${listFilters}\nexec "${ffmpeg}" "$@"`, ffprobe: `exec "${ffprobe}" "$@"` }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(wrapperFolder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(wrapperFolder, name), 0o755)
  }
  return join(wrapperFolder, 'ffmpeg')
}

/** Starts a service whose ffmpeg hides zscale. */
async function serveWithoutZscale(hidden: ZscaleHidden) {
  const ffmpegPath = await ffmpegWithoutZscale(hidden)
  const service = await serve({ REELWRIGHT_FFMPEG: ffmpegPath })
  const calls = api(service)
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    (await calls.upload(name, bytes)).data.file_id
  const ids = { hdr: await upload('sunset.mp4', hdr), sdr: await upload('talk.mp4', sdr) }
  return {
    /** Replaces the ffmpeg that the service has inspected. */
    replace: async (other: ZscaleHidden) => rename(await ffmpegWithoutZscale(other), ffmpegPath),
    create: (...files: readonly (keyof typeof ids)[]) =>
      calls.create('video_split_screen', {
        clips: files.map((file) => ({ file_id: ids[file] })),
        ...{ quality: '720p', output_ratio: '1:1' },
      }),
    end: (id: string) => calls.ended('video_split_screen', id),
    tasks: async () => (await calls.send<{ total: number }>('/task/list')).data.total,
    balance: () => calls.balance(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const isUnavailable = process.platform === 'win32' || !filters.has('zscale')

describe.skipIf(isUnavailable)('HDR with an ffmpeg without zscale (the test requires zscale)', () => {
  it('is rejected at creation with a hint, without a task or a charge, and accepted once an ffmpeg with zscale is installed', async () => {
    await using service = await serveWithoutZscale('always')
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
    const { data: plain } = await service.create('sdr', 'sdr')
    expect((await service.end(plain.task_id)).data.status).toBe('completed')

    await service.replace('never')
    const { data: mapped } = await service.create('hdr', 'sdr')
    expect((await service.end(mapped.task_id)).data).toMatchObject({
      status: 'completed',
      output_result: { notes: [expect.stringContaining('sunset.mp4') as string] },
    })
  })

  it('fails and is refunded if zscale is missing only when the worker runs', async () => {
    await using service = await serveWithoutZscale('never')
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
