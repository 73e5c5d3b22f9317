import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputOf, RunContext } from '../../src/contract/operation.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import type { Manifest } from '../../src/engines/packs/manifest.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { plan } from '../../tools/video-oral-cut/plan.ts'
import { run } from '../../tools/video-oral-cut/run.ts'
import { useSpeechPacks } from '../engines/speech/recordings.ts'
import { assemble, type Recording } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { type ScriptOptions, type SpokenScript, writeScript } from '../recordings/script.ts'
import { type RecogniserErrors, startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

/** A result file with its path. */
export type CutFile = ResultFile & { readonly path: string }

/** A generated recording that was cut. */
export interface CutRecording {
  readonly script: SpokenScript
  readonly recording: Recording
  readonly report: OutputOf<typeof videoOralCut>['report']
  readonly errors: OutputOf<typeof videoOralCut>['errors']
  readonly notes: readonly string[]
  /** Passages that the recogniser swallowed at least once. */
  readonly swallowed: ReadonlySet<number>
  readonly files: readonly CutFile[]
  readonly progress: readonly number[]
  /** Text of the result file of a type and format. */
  text(type: string, format: string): Promise<string>
}

/** Writes a recording as a video. Returns its path. */
export type FilmRecording = (
  folder: string,
  recording: Recording,
  options: { readonly name: string; readonly rate: Rational },
) => Promise<string>

let runs = 0

/** Generates a recording and cuts it as a worker does, with a recogniser that knows it. */
export async function cutRecording(
  folder: string,
  options: ScriptOptions &
    Omit<CutSpokenOptions, 'service' | 'request'> & {
      readonly errors?: RecogniserErrors | ((recording: Recording) => RecogniserErrors)
      /** Room tone, dBFS. Default: -62. */
      readonly room?: number
      /** Fields of the request, from the recording's own script. */
      readonly request: (script: SpokenScript) => Readonly<Record<string, unknown>>
    },
): Promise<CutRecording> {
  const script = writeScript(options)
  const recording = await assemble(script, { room: options.room })
  await using recogniser = await startStandInRecogniser(recording, errorsOf(options.errors, recording))
  const service = { address: `${recogniser.origin}/v1`, model: 'stand-in' }
  const cut = await cutSpoken(folder, recording, { ...options, service, request: options.request(script) })
  return { script, recording, swallowed: recogniser.swallowed, ...cut }
}

interface CutSpokenOptions {
  readonly rate: Rational
  readonly service: { readonly address: string; readonly model: string }
  /** Writes the recording as a video. Default: with the number of each frame in its picture. */
  readonly film?: FilmRecording
  readonly packs?: Partial<Manifest>
  /** Changes of the context of the run. */
  readonly context?: Partial<RunContext>
  /** Fields of the request. */
  readonly request: Readonly<Record<string, unknown>>
}

/** Cuts a recording as a worker does, with a transcription service. */
export async function cutSpoken(
  folder: string,
  recording: Recording,
  { rate, service, film = writeRecording, packs, context: changes, request }: CutSpokenOptions,
): Promise<Omit<CutRecording, 'script' | 'recording' | 'swallowed'>> {
  useSpeechPacks(folder, packs)
  runs += 1
  const path = await film(folder, recording, { rate, name: `talk-${runs}` })
  configureServices({ transcription: service })
  try {
    const files = await stageFiles([path])
    const input = videoOralCut.input.parse({ file_id: fileIdOf(path), ...request })
    plan(input, files)
    const scratch = join(folder, `run-${runs}`)
    await mkdir(scratch, { recursive: true })
    const { context, results, progress } = createTestContext(files, scratch)
    const output = videoOralCut.output.parse(await run(input, { ...context, ...changes }))
    const { report, errors, files: kept, notes = [] } = output
    const cutFiles = kept.map((file, index) => ({ ...file, path: results[index]?.path ?? '' }))
    return {
      ...{ report, errors, notes, files: cutFiles, progress },
      text: (type, format) => {
        const file = cutFiles.find((one) => one.type === type && one.format.startsWith(format))
        return readFile(file?.path ?? '', 'utf8')
      },
    }
  } finally {
    configureServices({})
  }
}

function errorsOf(
  errors: RecogniserErrors | ((recording: Recording) => RecogniserErrors) | undefined,
  recording: Recording,
): RecogniserErrors | undefined {
  return typeof errors === 'function' ? errors(recording) : errors
}
