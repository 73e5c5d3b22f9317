import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { OutputOf, RunContext } from '../../src/contract/operation.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import type { AlignmentRecord } from '../../src/media/dubbing/alignment.ts'
import { videoTranslateDub } from '../../tools/video-translate-dub/contract.ts'
import { plan } from '../../tools/video-translate-dub/plan.ts'
import { run } from '../../tools/video-translate-dub/run.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { fails } from '../engines/services/fake-service.ts'
import type { RecordingLanguage } from '../recordings/sentences.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { type Dialogue, type DialogueOptions, recordDialogue } from './dialogue.ts'
import { dubModel, dubModelService } from './dub-model.ts'
import { type DubSource, type DubSourceOptions, useDubPacks, writeDubSource } from './dub-source.ts'
import { type SpokenServices, startSpokenServices } from './spoken-services.ts'

export type DubOutput = OutputOf<typeof videoTranslateDub>

/** A dub, with the paths of its files by their names. */
export interface DubRun {
  readonly output: DubOutput
  readonly paths: ReadonlyMap<string, string>
  readonly record: AlignmentRecord
  readonly progress: readonly number[]
}

/** A source, the services that know what is said in it, and a model that translates its lines. */
export interface DubStage extends AsyncDisposable {
  readonly dialogue: Dialogue
  readonly source: DubSource
  readonly services: SpokenServices
  readonly model: ModelServer
  readonly to: RecordingLanguage
}

export interface DubStageOptions extends DialogueOptions, DubSourceOptions {
  readonly to: RecordingLanguage
  readonly packs?: Parameters<typeof useDubPacks>[1]
}

/** Writes a source in a folder, and configures the packs and services of this process. */
export async function openDubStage(folder: string, options: DubStageOptions): Promise<DubStage> {
  await mkdir(folder, { recursive: true })
  await useDubPacks(folder, options.packs)
  const dialogue = await recordDialogue(options)
  const source = await writeDubSource(folder, dialogue, options)
  await using opened = new AsyncDisposableStack()
  const services = opened.use(await startSpokenServices([dialogue]))
  const model = opened.use(await startModelServer(dubModel()))
  configureServices({ ...services.settings, language_model: dubModelService(model) })
  const kept = opened.move()
  return {
    ...{ dialogue, source, services, model, to: options.to },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

let runs = 0

interface RunDubOptions {
  readonly folder: string
  /** Folder of an earlier run, whose finished steps are used. */
  readonly scratch?: string
  /** Folder of `hearStage`, whose steps are copied for this run. */
  readonly heard?: string
  /** Paths of further files of the request. */
  readonly files?: readonly string[]
  readonly context?: Partial<RunContext>
}

/** Dubs the source of a stage as a worker does. */
export async function runDub(
  { source, dialogue, to }: DubStage,
  request: Readonly<Record<string, unknown>>,
  { folder, scratch: given, heard, files: others = [], context: changes = {} }: RunDubOptions,
): Promise<DubRun> {
  runs += 1
  const files = await stageFiles([source.path, ...others])
  const input = videoTranslateDub.input.parse({
    ...{ file_id: fileIdOf(source.path), source_lang: dialogue.truth.language, target_lang: to },
    ...{ speaker: 'clone', ...request },
  })
  plan(input, files)
  const scratch = given ?? join(folder, `dub-${runs}`)
  await mkdir(scratch, { recursive: true })
  if (heard !== undefined) await cp(heard, scratch, { recursive: true })
  const { context, results, progress } = createTestContext(files, scratch)
  const output = videoTranslateDub.output.strict().parse(await run(input, { ...context, ...changes }))
  const paths = new Map(results.map(({ name, path }) => [name, path]))
  const record = results.find(({ name }) => name.endsWith('-alignment.json'))
  const text = record ? await readFile(record.path, 'utf8') : '{"lines":[]}'
  return { output, paths, record: JSON.parse(text) as AlignmentRecord, progress }
}

/**
 * Separates and recognises the source of a stage, and selects references of its speakers, once for several runs of which a
 * later step is the subject. Returns the folder of these steps; their sounds stay in it.
 */
export async function hearStage(stage: DubStage, folder: string): Promise<string> {
  const scratch = join(folder, 'before-translation')
  const { says } = stage.model
  stage.model.says = () => fails(400)
  // A dub whose translation fails.
  const failed = await runDub(stage, {}, { folder, scratch }).catch((error: unknown) => error)
  stage.model.says = says
  if (!(failed instanceof MediaError) || failed.code !== 6401)
    throw new Error('the source was not heard', { cause: failed })
  return scratch
}
