import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillPath, routes } from '../../src/contract/routes.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { generateMedia, h264, picture, tone } from '../engines/ffmpeg/generate-media.ts'
import { api, type Api } from './api.ts'
import { startTestService } from './in-process.ts'

const srt = '1\n00:00:01,000 --> 00:00:02,000\nHello.\n'
const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n'

/** An account with files, at a service with one operation that recognises speech. No task is created there. */
export interface CuttingAccount extends AsyncDisposable {
  readonly calls: Api
  /** Ids of its files by name, and of `foreign.mp4` and `foreign.srt` of another account. */
  readonly ids: Readonly<Record<string, string>>
  /** Asks for the price of a request. */
  quote(request: object): ReturnType<Api['send']>
}

/** Starts the service and uploads files of every kind. `media` and `texts` are further ones. */
export async function openCuttingAccount(
  type: string,
  {
    folder,
    media = {},
    texts = {},
  }: {
    readonly folder: string
    /** Arguments of ffmpeg by name. */
    readonly media?: Readonly<Record<string, readonly string[]>>
    readonly texts?: Readonly<Record<string, string>>
  },
): Promise<CuttingAccount> {
  configurePacks({ folder: join(folder, 'packs'), automatic: true, own: {}, manifest })
  const service = await startTestService({
    operations: operations.filter(({ operation }) => operation.name === type),
    // No request is sent, because no task is created.
    services: { transcription: { address: 'http://127.0.0.1:9/v1', model: 'none' } },
  })
  const calls = api(await service.account(10))
  const ids: Record<string, string> = {}
  const generated = {
    'talk.mp4': [...picture(4), ...tone(4), ...h264, '-c:a', 'aac'],
    'silent.mp4': [...picture(4), ...h264],
    'sound.wav': tone(4),
    'still.png': [...picture(1), '-frames:v', '1'],
    ...media,
  }
  for (const [name, args] of Object.entries(generated)) {
    const path = await generateMedia(join(folder, name), args)
    ids[name] = (await calls.upload(name, new Uint8Array(await readFile(path)))).data.file_id
  }
  for (const [name, text] of Object.entries({ 'lines.srt': srt, 'lines.vtt': vtt, ...texts }))
    ids[name] = (await calls.upload(name, text)).data.file_id
  const other = api(await service.account(10))
  const bytes = new Uint8Array(await readFile(join(folder, 'talk.mp4')))
  ids['foreign.mp4'] = (await other.upload('foreign.mp4', bytes)).data.file_id
  ids['foreign.srt'] = (await other.upload('foreign.srt', srt)).data.file_id
  return {
    ...{ calls, ids },
    quote: (request) =>
      calls.send(fillPath(routes.quoteTask.path, { task_type: type }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
