import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { h264, generateMedia, picture } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { checkInvariants } from '../service/invariants.ts'
import { startServiceProcess } from '../service/process.ts'
import { currentResidentMiB } from '../service/resident-memory.ts'
import { HttpFuzzer, type HttpFuzzResult } from './http.ts'
import type { Random } from './values.ts'

/** Figures of a run against a service in its own process. */
export interface ServiceFuzzResult extends HttpFuzzResult {
  /** Resident memory of the service after the first fifth and at the end, MiB. */
  readonly resident: readonly [number, number]
}

/** Sends generated requests to a new service and checks its invariants afterwards. Throws on any violation. */
export async function fuzzService(count: number, random: Random): Promise<ServiceFuzzResult> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-fuzz-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const service = await startServiceProcess(dataDir, { resultTimeoutMs: 1000 })
  try {
    const calls = api(service)
    const clip = await readFile(await generateMedia(join(folder, 'clip.mp4'), [...picture(1), ...h264]))
    const uploads = [
      await calls.upload('a.txt', 'text'),
      await calls.upload('clip.mp4', new Uint8Array(clip)),
    ]
    const document = (await (await fetch(`${service.baseUrl}/docs/openapi.json`)).json()) as OpenApiDocument
    const files = uploads.map(({ data }) => data.file_id)
    const fuzzer = new HttpFuzzer({ ...service, document, files }, random)
    await fuzzer.run(Math.ceil(count / 5))
    const early = await currentResidentMiB(service.process.pid)
    await fuzzer.run(Math.floor((count * 4) / 5))
    await fuzzer.close()
    const late = await currentResidentMiB(service.process.pid)
    await service.kill('SIGTERM')
    const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
    await checkInvariants(db, await openDiskStore(join(dataDir, 'files')), { deletions: true })
    await db.destroy()
    return { ...fuzzer.figures(), resident: [early, late] }
  } finally {
    await service.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}
