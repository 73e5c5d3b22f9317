import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { OutputOf } from '../../src/contract/operation.ts'
import type { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import type { FakeService } from '../engines/services/fake-service.ts'
import { assemble, type Recording } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { type ScriptOptions, type SpokenScript, writeScript } from '../recordings/script.ts'
import { api } from '../service/api.ts'
import type { ServiceProcessOptions } from '../service/process.ts'

/** Type of the tasks. */
export const taskType = 'video_oral_cut'

export type CutOutput = OutputOf<typeof videoOralCut>

/** A generated recording as an mp4 with numbered frames. */
export interface Talk {
  readonly script: SpokenScript
  readonly recording: Recording
  readonly path: string
  readonly rate: Rational
}

/** Generates a recording in a folder, which is created if missing. */
export async function writeTalk(
  folder: string,
  { rate = { num: 25, den: 1 }, ...options }: ScriptOptions & { readonly rate?: Rational },
): Promise<Talk> {
  await mkdir(folder, { recursive: true })
  const script = writeScript(options)
  const recording = await assemble(script)
  const path = await writeRecording(folder, recording, { rate, name: 'talk' })
  return { script, recording, path, rate }
}

/** Options of a service process whose recogniser is a fake one and whose models come from the public test files. */
export function cutServiceOptions(recogniser: FakeService, folder: string): ServiceProcessOptions {
  const mirror = testdata('models')
  return {
    services: { transcription: { address: `${recogniser.origin}/v1`, model: 'stand-in', concurrency: 1 } },
    packs: { folder: join(folder, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) },
  }
}

interface ServiceAccess {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Uploads a file. Returns its id. */
export async function uploadFile(service: ServiceAccess, path: string, name = 'talk.mp4'): Promise<string> {
  const { status, msg, data } = await api(service).upload(name, new Uint8Array(await readFile(path)))
  if (status !== 200) throw new Error(`the upload failed: ${msg}`)
  return data.file_id
}

/** Creates a task. Returns its id. */
export async function createCut(service: ServiceAccess, request: object): Promise<string> {
  const { status, code, msg, data } = await api(service).create(taskType, request)
  if (status !== 200) throw new Error(`the creation failed: ${code} ${msg}`)
  return data.task_id
}

/** Waits for a completed task and returns its output. */
export async function outputOf(service: ServiceAccess, id: string): Promise<CutOutput> {
  const { data } = await api(service).ended(taskType, id)
  if (data.status !== 'completed') throw new Error(`the task ${JSON.stringify(data)}`)
  return data.output_result as CutOutput
}

/** Downloads the result file of a type and format. */
export async function resultFile(
  service: ServiceAccess,
  { files }: CutOutput,
  { type: kind, format }: { readonly type: string; readonly format: string },
): Promise<Uint8Array> {
  const file = files.find((one) => one.type === kind && one.format === format)
  if (!file) throw new Error(`there is no ${kind} ${format}`)
  return await api(service).download(file.file_id)
}

/** Downloads a result file to a path. Returns the path. */
export async function saveResult(service: ServiceAccess, fileId: string, path: string): Promise<string> {
  await writeFile(path, await api(service).download(fileId))
  return path
}
