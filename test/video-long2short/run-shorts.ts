import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { OutputOf, RunContext } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import { videoLong2short } from '../../tools/video-long2short/contract.ts'
import { plan } from '../../tools/video-long2short/plan.ts'
import { run } from '../../tools/video-long2short/run.ts'
import { generateMedia } from '../engines/ffmpeg/generate-media.ts'
import { assemble, type Recording } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { readAloud } from '../recordings/read-aloud.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

/** Type of the tasks. */
export const taskType = 'video_long2short'

export type ShortsOutput = OutputOf<typeof videoLong2short>

/** The result of a run, with the paths of its files by their names. */
export interface ShortsRun {
  readonly output: ShortsOutput
  readonly paths: ReadonlyMap<string, string>
  readonly progress: readonly number[]
  text(name: string): Promise<string>
}

let runs = 0

/** Makes clips of a video as a worker does, with the packs of the test. `subtitles`: path of a subtitle file. */
export async function runShorts(
  path: string,
  request: Readonly<Record<string, unknown>>,
  {
    folder,
    subtitles,
    scratch: given,
    context: changes = {},
  }: {
    readonly folder: string
    readonly subtitles?: string
    /** Folder of a former run, whose finished steps are used. */
    readonly scratch?: string
    readonly context?: Partial<RunContext>
  },
): Promise<ShortsRun> {
  runs += 1
  const files = await stageFiles([path, ...(subtitles === undefined ? [] : [subtitles])])
  const input = videoLong2short.input.parse({
    ...{ file_id: fileIdOf(path), language: 'en-US' },
    ...(subtitles !== undefined && { subtitle_file_id: fileIdOf(subtitles) }),
    ...request,
  })
  plan(input, files)
  const scratch = given ?? join(folder, `shorts-${runs}`)
  await mkdir(scratch, { recursive: true })
  const { context, results, progress } = createTestContext(files, scratch)
  const output = videoLong2short.output.strict().parse(await run(input, { ...context, ...changes }))
  const paths = new Map(results.map((result) => [result.name, result.path]))
  return {
    ...{ output, paths, progress },
    text: (name) => readFile(paths.get(name) ?? '', 'utf8'),
  }
}

/** All files of the clips of a result. */
export function filesOf({ clips }: ShortsOutput): ResultFile[] {
  return clips.flatMap(({ files }) => files)
}

/** A generated talk with numbered frames. */
export interface SpokenTalk {
  readonly path: string
  readonly recording: Recording
  readonly rate: Rational
}

/** Sentences of a talk of about a minute and a half: small talk around two passages that make a point. */
export const talkText = [
  'Hello and welcome back to the show. It is nice that you are here again today.',
  'We have a few things on our list. Let me move this microphone a little bit closer.',
  'A doctor once gave me six months to live. That evening I sold my motorcycle and bought a ticket to Lisbon.',
  'I danced every night until the sun came up. Forty years later I still keep the boarding pass in my wallet.',
  'All right, let us continue with the next thing. There is not much to say about it at this point.',
  'Here is a trick that ended my bad sleep after twelve years. Get up at exactly the same minute every single day.',
  'Pressure to sleep builds like hunger. By Thursday you will collapse into bed before ten.',
  'So that was it for this week. Thank you for listening and see you next time.',
].join(' ')

/** Speaks a text with broken-off sentences, and writes it as a video. */
export async function writeSpokenTalk(
  folder: string,
  {
    text = talkText,
    pause = 1.6,
    rate = { num: 25, den: 1 },
  }: { readonly text?: string; readonly pause?: number; readonly rate?: Rational } = {},
): Promise<SpokenTalk> {
  await mkdir(folder, { recursive: true })
  const recording = await assemble(readAloud(text, { pause }))
  const path = await writeRecording(folder, recording, { rate, name: 'talk' })
  return { path, recording, rate }
}

/** Writes a video with numbered frames and silence, for a transcript that is given. Returns its path. */
export function writeSilentTalk(
  folder: string,
  { seconds, rate }: { readonly seconds: number; readonly rate: Rational },
): Promise<string> {
  const lists = { words: [], passages: [], breaths: [], clicks: [] } as const
  const truth = { language: 'en-US', script: '', seconds, ...lists } as const
  const samples = new Float32Array(seconds * 16_000)
  return writeRecording(folder, { samples, truth }, { name: 'podcast', rate })
}

/** Writes the same without a stream of sound, for what depends on the text alone: hearing minutes takes most of a run. */
export async function writeMuteTalk(
  folder: string,
  options: { readonly seconds: number; readonly rate: Rational },
): Promise<string> {
  const own = join(folder, 'mute')
  await mkdir(own, { recursive: true })
  const path = await writeSilentTalk(folder, options)
  return await generateMedia(join(own, 'podcast.mp4'), ['-i', path, '-an', '-c:v', 'copy'])
}
